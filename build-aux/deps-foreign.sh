#!/bin/bash
# Fetch the test suites of others that tests/foreign.sh runs, and unpack of them
# what it needs: packages' sources and Python packages, below BUILD/deps/foreign
# (250 MB).  Called by tests/foreign.sh.
#
#   build-aux/deps-foreign.sh [BUILD [SUITE...]]
#
# Fetches only what is missing.  apt's lists of sources are kept apart, so that
# the system's own are as they were.  What cannot be had is named, and its suite
# skipped.
set -u
build=$(readlink -f "${1:-build}")
suites=("${@:2}")
[ ${#suites[@]} -gt 0 ] || suites=(libgomp libomp cpython mpi4py mpich)
to=$build/deps/foreign
# shellcheck source=build-aux/packages.sh
. "$(dirname "$0")/packages.sh"

# The archives from which this system is installed, as archives of sources.
options=(-q -o "Dir::Etc::SourceList=$to/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o "Dir::State::Lists=$to/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=)
archives() {
	local origin keyring
	for origin in Debian Ubuntu; do
		keyring=/usr/share/keyrings/${origin,,}-archive-keyring.gpg
		# shellcheck disable=SC2016 # apt-get fills that in
		apt-get indextargets --format "deb-src [signed-by=$keyring] "'$(REPO_URI) $(RELEASE) $(COMPONENT)' \
			"Origin: $origin" "Created-By: Packages" | sort -u
	done
}

# source_package NAME: its archives, in the folder download.
source_package() {
	[ -z "$(find "$to/download" -name "$1_*.orig.tar.*")" ] || return 0
	if [ ! -e "$to/apt/sources.list" ]; then
		mkdir -p "$to/apt/lists/partial"
		archives > "$to/apt/sources.list"
		apt-get "${options[@]}" update || return 1
	fi
	(cd "$to/download" && apt-get "${options[@]}" --download-only source "$1")
}

# unpack FOLDER ARCHIVE PATTERN...: what matches; FOLDER is complete where it exists.
unpack() {
	local folder=$to/$1 archive=$2
	rm -rf "$folder.new"
	mkdir -p "$folder.new"
	tar -xf "$archive" -C "$folder.new" --strip-components=1 --wildcards "${@:3}" && mv "$folder.new" "$folder"
}

first() { find "$to/download" -name "$1" | head -n 1; }

libgomp() {
	[ -d "$to/gcc" ] && return
	(cd "$to/download" && { [ -n "$(first 'gcc-12-source_*.deb')" ] || apt-get -q download gcc-12-source; }) || return 1
	dpkg-deb --fsys-tarfile "$(first 'gcc-12-source_*.deb')" | tar -xO --wildcards './usr/src/gcc-12/gcc-*.tar.xz' > "$to/download/gcc.tar.xz" &&
		unpack gcc "$to/download/gcc.tar.xz" '*/libgomp/testsuite' '*/libgomp/config' '*/libgomp/*.h' && rm "$to/download/gcc.tar.xz"
}

libomp() {
	local wheel
	[ -d "$to/llvm" ] || { source_package llvm-toolchain-14 && unpack llvm "$(first 'llvm-toolchain-14_*.orig.tar.*')" '*/openmp/runtime/test' '*/openmp/runtime/src/kmp_platform.h'; } || return 1
	[ -d "$to/lit" ] && return
	python3 -m pip download -q --no-deps --only-binary :all: -d "$to/download" "lit~=18.1" &&
		wheel=$(first 'lit-*.whl') && python3 -m zipfile -e "$wheel" "$to/lit"
}

mpich() {
	[ -d "$to/mpich" ] || { source_package mpich && unpack mpich "$(first 'mpich_*.orig.tar.*')" '*/test/mpi' '*/confdb'; }
}

# The tests of the version that deps-stacks.sh has installed.
mpi4py() {
	local python=$build/deps/stacks/mpi4py-system/bin/python version
	[ -d "$to/mpi4py" ] && return
	version=$("$python" -c 'import importlib.metadata; print(importlib.metadata.version("mpi4py"))') || return 1
	python3 -m pip download -q --no-deps --no-binary mpi4py -d "$to/download" "mpi4py==$version" &&
		unpack mpi4py "$(first 'mpi4py-*.tar.gz')" '*/test'
}

# Python's own are a package of the distribution, see deps.sh.
cpython() { :; }

mkdir -p "$to/download"
for suite in "${suites[@]}"; do
	"$suite" > "$to/$suite.log" 2>&1 || say "no sources of $suite: $(grep -v '^W:' "$to/$suite.log" | tail -n 1); it will be skipped"
done
