"""results.py RESULTS ARGUMENTS...: run a program of unittest's, and append each test's name and result to RESULTS.

RESULTS may have "%r", which stands for the rank that MPICH's or Open MPI's
launcher has set, or 0.
"""
import os
import runpy
import sys
import unittest

rank = os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
path = sys.argv[1].replace("%r", rank)


def note(test, result):
    with open(path, "a") as results:
        print("%s@%s" % (test.id().replace(" ", "_"), rank), result, file=results)


def noting(method, result):
    def add(self, test, *arguments):
        note(test, result)
        return method(self, test, *arguments)
    return add


def add_subtest(self, test, subtest, error, method=unittest.TestResult.addSubTest):
    if error:
        note(test, "failed-in-part")
    return method(self, test, subtest, error)


for kind, result in (("Success", "ok"), ("Failure", "failed"), ("Error", "error"), ("Skip", "skipped"),
                     ("ExpectedFailure", "ok"), ("UnexpectedSuccess", "failed")):
    name = "add" + kind
    setattr(unittest.TestResult, name, noting(getattr(unittest.TestResult, name), result))
unittest.TestResult.addSubTest = add_subtest
sys.argv[0:2] = []
sys.path[0] = os.path.dirname(sys.argv[0])
sys.dont_write_bytecode = True
runpy.run_path(sys.argv[0], run_name="__main__")
