"""The wheel's tag: any Python 3, and the processor for which it was built."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-manylinux2014_" + os.environ["WHEEL_CPU"]
