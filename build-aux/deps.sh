#!/bin/bash
# Install what building, demonstrating or testing need: packages of Debian or
# Ubuntu, and for the tests MPI libraries and Intel's OpenMP runtime from Python
# wheels, unpacked below the build folder.
#
#   build-aux/deps.sh [BUILD [GOAL...]]
#
# GOAL is one of make's: "all", the default, takes what building takes, "demo"
# one MPI library more, and most others all there is; see sets_of().  Installs
# only what is missing; a second run does nothing.  Ends with 1 where something
# is missing without which the libraries cannot be built.  Whatever else is
# missing costs tests: they are skipped and named.
set -u
build=${1:-build}
goals=("${@:2}")

building="gcc libc6-dev make pkg-config libhwloc-dev libnuma-dev libpmix-dev"
unit="check"
checking="openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran python3 procps util-linux strace numactl"
linting="clang cppcheck shellcheck mandoc"
mpi="openmpi-bin libopenmpi-dev"
testing="g++ libc6-dbg libomp-dev openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran
	python3 python3-pip valgrind strace numactl procps util-linux
	openssh-client openssh-server iproute2 hwloc gdb libjemalloc2 libeatmydata1
	libcap2-bin musl-tools zsh fish"
emulating="qemu-system-x86 busybox-static cpio xz-utils zstd"
packaging="build-essential debhelper dpkg-dev lintian debootstrap rpm rpmlint debugedit elfutils tcl lua5.3 lua-filesystem lua-json lua-posix lua-term"
containing="bubblewrap charliecloud debootstrap musl-tools mpich"
# numactl of a distribution's sources has no configure.
wheeling="python3 python3-venv binutils autoconf automake libtool"
stacking="munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins libslurm-dev python3-venv
	libopenblas-pthread-dev libtbb-dev"

# shellcheck source=build-aux/packages.sh
. "$(dirname "$0")/packages.sh"

# sets_of GOAL: beside what building takes.
sets_of() {
	case $1 in
	all | install | uninstall | clean) ;;
	check-unit | check-man*) echo unit ;;
	check) echo unit checking ;;
	lint) echo unit linting ;;
	demo) echo mpi ;;
	deb | rpm) echo packaging ;;
	wheel | check-wheel) echo wheeling ;;
	check-aarch64 | check-ppc64le | check-s390x) echo unit cross ;;
	check-systems) echo unit containing cross ;;
	*) echo all ;;
	esac
}

# The demonstration runs with any MPI library and its compiler.
has_mpi() {
	[ -n "$(compgen -c mpirun)" ] && [ -n "$(compgen -c mpicc)" ]
}

other_system() {
	cat <<END
deps: this is neither Debian nor Ubuntu; please install by its own means
deps:   to build:  a C compiler, make, pkg-config, hwloc, numactl and OpenPMIx with headers
deps:   to test:   Open MPI and MPICH with headers, C++ and Fortran compilers, clang,
deps:              check, python3 with pip, valgrind, strace, shellcheck, mandoc,
deps:              gdb, perf, heaptrack, rr, jemalloc, eatmydata, zsh, fish, the tests of python3, procps, util-linux,
deps:              an ssh client and server, iproute2, Lmod or Environment Modules, QEMU for x86 with busybox and cpio,
deps:              Slurm with munge and the PMIx plugin, Python's virtual environments
END
}

can_build() {
	local lack="" tool
	for tool in "${CC:-cc}" make "${PKG_CONFIG:-pkg-config}"; do
		command -v "$tool" >/dev/null || lack="$lack $tool"
	done
	"${PKG_CONFIG:-pkg-config}" --exists hwloc 2>/dev/null || lack="$lack hwloc"
	echo '#include <numa.h>' | "${CC:-cc}" -E - >/dev/null 2>&1 || lack="$lack numa.h"
	"$(dirname "$0")/pmix-flags" >/dev/null
	[ -z "$lack" ] && return 0
	say "cannot build without:$lack"
	return 1
}

# Python's own tests, of the version that the system's python3 has.
python_tests() {
	local package
	package=$(/usr/bin/python3 -c 'import sys; print("libpython%d.%d-testsuite" % sys.version_info[:2])' 2>/dev/null)
	[ -z "$package" ] || ! known "$package" || packages "$package"
}

# LLVM's OpenMP runtime, of the version that libomp-dev has: unpacked, not installed, since
# the package takes all of LLVM for what runs on GPUs.
libomp() {
	local version to=$build/deps/libomp
	version=$(LC_ALL=C apt-cache depends libomp-dev 2>/dev/null | sed -n 's/.*Depends: libomp-\([0-9]*\)-dev$/\1/p')
	[ -n "$version" ] && [ ! -e "$to/usr" ] && ! command -v clang > /dev/null || return 0
	mkdir -p "$to"
	(cd "$to" && apt-get -q download "libomp5-$version" && dpkg-deb -x libomp5-*.deb . && rm libomp5-*.deb) > "$to/log" 2>&1 ||
		say "no libomp: $(grep '^E:' "$to/log" | tail -n 1); its tests will be skipped"
}

# clang's checkers and libFuzzer, of the version that the system's clang has.
clang_checkers() {
	local package
	package=libclang-rt-$(clang -dumpversion 2>/dev/null | cut -d . -f 1)-dev
	! known "$package" || packages "$package"
}

# What not every release has, by these names.
of_some_releases() {
	local package
	for package in heaptrack linux-perf rr libtcmalloc-minimal4 libtcmalloc-minimal4t64 libmimalloc2.0 libmimalloc3; do
		! known "$package" || packages "$package"
	done
}

# The runtime that Intel's compilers use.  The wheel is unpacked, not
# installed: "pip install --target" leaves out its lib folder, and systems that
# manage their own Python packages refuse a plain "pip install".
# "absent" says why it could not be had; remove it to try again.
intel_runtime() {
	local to=$build/deps/intel why wheel
	[ -n "$(find "$to" -name libiomp5.so 2>/dev/null)" ] && return
	if [ -e "$to/absent" ]; then
		say "no Intel OpenMP runtime: $(cat "$to/absent") (remove $to/absent to try again)"
		return
	fi
	mkdir -p "$to"
	say "fetching the Intel OpenMP runtime (Python wheel intel-openmp, 50 MB)"
	if ! python3 -m pip --version >/dev/null 2>&1; then
		why="python3 has no pip"
	elif ! timeout 300 python3 -m pip download --quiet --no-deps --only-binary :all: \
		--dest "$to" intel-openmp > "$to/log" 2>&1; then
		why="pip: $(grep -i error "$to/log" | tail -n 1)"
	else
		wheel=$(find "$to" -name 'intel_openmp-*.whl' | head -n 1)
		if python3 - "$wheel" "$to" <<-'END' && [ -n "$(find "$to" -name libiomp5.so)" ]; then
			import sys, zipfile
			wheel = zipfile.ZipFile(sys.argv[1])
			for name in wheel.namelist():
			    if name.endswith("/libiomp5.so"):
			        wheel.extract(name, sys.argv[2])
		END
			rm -f "$wheel"
			return
		fi
		why="no libiomp5.so in ${wheel##*/}"
	fi
	echo "$why" > "$to/absent"
	say "no Intel OpenMP runtime: $why; its tests will be skipped"
}

# Lmod and Environment Modules, which the packages do not let stand side by side:
# unpacked, not installed.
module_systems() {
	local name to
	for name in lmod environment-modules; do
		to=$build/deps/modules/$name
		[ -e "$to/usr" ] && continue
		mkdir -p "$to"
		known "$name" || apt_get update > /dev/null
		(cd "$to" && apt-get -q download "$name" && dpkg-deb -x "$name"_*.deb . && rm "$name"_*.deb) > "$to.log" 2>&1 ||
			say "no $name: $(grep '^E:' "$to.log" | tail -n 1); its tests will be skipped"
	done
}

# For 32-bit programs: gcc-multilib itself cannot stand beside a cross compiler.
multilib() {
	local package
	[ "$(uname -m)" = x86_64 ] || return
	package=gcc-$(gcc -dumpversion 2>/dev/null | cut -d . -f 1)-multilib
	! known "$package" || packages "$package"
}

sets=$(for goal in "${goals[@]}"; do sets_of "$goal"; done)
all=
[[ $sets != *all* ]] || all=1

wanted=$building
[[ $sets != *unit* ]] || wanted="$wanted $unit"
[[ $sets != *linting* ]] || wanted="$wanted $linting"
[[ $sets != *checking* ]] || wanted="$wanted $checking"
[[ $sets != *containing* ]] || wanted="$wanted $containing"
[[ $sets != *packaging* ]] || wanted="$wanted $packaging"
[[ $sets != *mpi* ]] || has_mpi || wanted="$wanted $mpi"
[[ $sets != *wheeling* ]] || wanted="$wanted $wheeling"
[ -z "$all" ] || wanted="$building $unit $linting $testing $packaging $emulating $wheeling $stacking"

if has_packages; then
	# shellcheck disable=SC2086 # a list of words
	packages $wanted
else
	other_system
fi
can_build || exit 1
[[ $sets != *checking* ]] || ! has_packages || libomp
if [ -n "$all" ]; then
	if has_packages; then
		python_tests
		clang_checkers
		of_some_releases
		"$(dirname "$0")/../tests/bignode/kernel.sh" "$build"
		module_systems
	fi
	intel_runtime
	"$(dirname "$0")/deps-stacks.sh" "$build"
fi
[[ $sets != *wheeling* && -z $all ]] || "$(dirname "$0")/deps-wheel.sh" "$build"
[[ $sets != *containing* ]] || ! has_packages || multilib
for goal in "${goals[@]}"; do
	[[ $(sets_of "$goal") != *cross* ]] ||
		"$(dirname "$0")/deps-cross.sh" "$build" "$(sed 's/check-systems/aarch64/; s/^check-//' <<< "$goal")"
done
say "ready${goals[*]:+ for ${goals[*]}}"
