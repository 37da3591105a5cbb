# SPDX-License-Identifier: BSD-3-Clause

import os

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Splitpin(MakefilePackage):
    """CPU affinity for hybrid MPI and OpenMP programs.

    A library for LD_PRELOAD gives every MPI rank of a node its own cores and
    pins every OpenMP thread to its own place in them, in unmodified programs,
    under the common launchers and OpenMP runtimes."""

    # What "make dist" packs, in the folder where Spack is called: docs/install.md.
    manual_download = True
    url = f"file://{os.getcwd()}/splitpin-1.0.0.tar.gz"

    license("BSD-3-Clause")

    # The file holds this recipe, so its checksum cannot stand here.
    version("1.0.0")

    variant(
        "preload",
        default=False,
        description="Put the library into LD_PRELOAD where the package is loaded",
    )

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.4:")
    depends_on("numactl")
    # Its headers alone: what a program itself has loaded is called.
    depends_on("pmix", type="build")
    depends_on("check", type="test")

    conflicts("platform=darwin", msg="splitpin is for Linux")
    conflicts("platform=windows", msg="splitpin is for Linux")

    def settings(self):
        return [f"PREFIX={self.prefix}", f"LIBDIR={self.prefix.lib}"]

    @property
    def build_targets(self):
        return ["all"] + self.settings()

    @property
    def install_targets(self):
        return ["install"] + self.settings()

    # Called after the build where tests are asked for.
    def check(self):
        with working_dir(self.build_directory):
            # Nor does Spack's linker record where libraries of tests are.
            rpath = f"LDFLAGS=-Wl,-rpath,{self.spec['check'].prefix.lib}"
            make("check-package", rpath, *self.settings())

    # spack test run splitpin
    def test_check(self):
        """what is installed is complete, and preloaded by splitpin run"""
        splitpin = self.prefix.bin.splitpin
        Executable(splitpin)("run", "--", splitpin, "check")

    @property
    def libs(self):
        return LibraryList([join_path(self.prefix.lib, "libsplitpin.so")])

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        if self.spec.satisfies("+preload"):
            env.prepend_path("LD_PRELOAD", join_path(self.prefix.lib, "libsplitpin.so"), " ")
