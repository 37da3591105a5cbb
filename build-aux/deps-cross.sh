#!/bin/bash
# Install what building for another processor and running its programs here
# need: a cross compiler and an emulator of processes, as packages of Debian or
# Ubuntu, and that processor's libraries, unpacked in BUILD/deps/cross/CPU: this
# machine's dpkg is not told of another architecture.
#
#   build-aux/deps-cross.sh BUILD aarch64|ppc64le|s390x
#
# Installs only what is missing.  BUILD/deps/cross/CPU.absent says why the
# libraries could not be had.
set -u
build=$1 cpu=$2
# shellcheck source=build-aux/packages.sh
. "$(dirname "$0")/packages.sh"

case $cpu in
aarch64) debian=arm64 triplet=aarch64-linux-gnu ;;
ppc64le) debian=ppc64el triplet=powerpc64le-linux-gnu ;;
s390x) debian=s390x triplet=s390x-linux-gnu ;;
*)
	say "no libraries are known for $cpu"
	exit 1 ;;
esac
mkdir -p "$build/deps/cross"
root=$(readlink -f "$build")/deps/cross/$cpu apt=$(readlink -f "$build")/deps/cross/$cpu.apt

# An apt for that processor alone, which has installed nothing.
foreign_apt() {
	local command=$1
	shift
	"$command" -q -y -o APT::Architecture="$debian" -o APT::Architectures::="$debian" -o Dir::State="$apt" \
		-o Dir::State::status="$apt/status" -o Dir::Cache="$apt" -o APT::Sandbox::User="$(id -un)" \
		-o APT::Install-Recommends=false "$@"
}

# The libraries and headers, without compilers and what comes with them.
libraries() {
	local wanted=(libc6-dev libhwloc-dev libnuma-dev libpmix-dev check libmpich-dev libgomp1)
	# Not every processor has LLVM's runtime.
	{ foreign_apt apt-get install --print-uris "${wanted[@]}" libomp-dev || foreign_apt apt-get install --print-uris "${wanted[@]}"; } |
		sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" |
		grep -v '^\(g++\|gcc\|cpp\|gfortran\|binutils\|perl\|python3\)\|^libllvm\|^libpython\|^libperl\|^libicu\|^libjs\|san[0-9]*$'
}

fetch() {
	local names
	rm -rf "$root" "$apt"
	mkdir -p "$root" "$apt/lists/partial" "$apt/archives/partial"
	: > "$apt/status"
	# A list that fails may be one that is not needed: of another source, or of updates.
	foreign_apt apt-get update
	names=$(libraries) && [ -n "$names" ] || return
	# shellcheck disable=SC2086 # a list of words
	(cd "$apt" && foreign_apt apt-get download $names) || return
	for package in "$apt"/*.deb; do
		dpkg-deb -x "$package" "$root" || return
	done
	rm -rf "$apt" "${root:?}"/usr/share
	# Links are followed by this machine: those that begin at the root have to begin at that one.
	find "$root" -type l -lname '/*' -printf '%p\0%l\0' |
		while IFS= read -r -d '' link && IFS= read -r -d '' to; do
			ln -srfn "$root$to" "$link" || return
		done
}

if ! has_packages; then
	say "this is neither Debian nor Ubuntu: to build for $cpu, a cross compiler, and hwloc, numactl, PMIx, check and MPICH for it"
	exit 0
fi
packages "gcc-$triplet" "libc6-dev-$debian-cross" qemu-user mpich
[ ! -e "$root.ready" ] || exit 0
say "fetching libraries for $cpu, to be unpacked in $root (170 MB)"
if fetch > "$root.log" 2>&1; then
	: > "$root.ready"
	rm -f "$root.absent"
else
	grep '^E:' "$root.log" | tail -n 1 > "$root.absent"
	say "no libraries for $cpu: $(cat "$root.absent")"
fi
