"""What Python counts in a rank, before and after a parallel region of libgomp.

One line each: what, the CPUs of the mask, numpy's pool, joblib's workers, the
masks of all threads of the process, and what a child of multiprocessing counts.
"""
import ctypes
import multiprocessing
import os
import warnings

import joblib
import numpy  # noqa: F401  makes OpenBLAS's pool

warnings.simplefilter("error", UserWarning)


def blas_threads():
    with open("/proc/self/maps") as maps:
        library = next(line.split()[-1] for line in maps if "openblas" in line)
    loaded = ctypes.CDLL(library)
    for name in ("scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads", "openblas_get_num_threads"):
        if hasattr(loaded, name):
            return getattr(loaded, name)()
    return 0


def count():
    return len(os.sched_getaffinity(0))


def truth(task):
    with open(f"/proc/self/task/{task}/status") as status:
        return next(line.split()[1] for line in status if line.startswith("Cpus_allowed_list"))


# Masks are read before the pool of processes: a thread that it has made and joined is in /proc for a moment longer.
def tell(what):
    masks = sorted({truth(task) for task in os.listdir("/proc/self/task")})
    with multiprocessing.get_context("fork").Pool(1) as pool:
        child = pool.apply(count)
    print(what, "mask", count(), "blas", blas_threads(), "joblib", joblib.effective_n_jobs(-1), "child", child,
          "threads", *masks, flush=True)


tell("before")
region = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
ctypes.CDLL("libgomp.so.1").GOMP_parallel(region(lambda _: None), None, 2, 0)
tell("after")
print("results", joblib.Parallel(n_jobs=2)(joblib.delayed(abs)(i) for i in (-1, -2)))
