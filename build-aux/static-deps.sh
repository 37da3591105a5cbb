#!/bin/bash
# hwloc and libnuma as archives for shared libraries, for make HWLOC=static.
#
#   build-aux/static-deps.sh [FOLDER]
#
# Debian's own archives will not do: they are not position-independent, and hwloc's
# opens plugins.  These are built, once, in FOLDER (build/deps/static): hwloc with what
# a share needs (no plugins, libxml2, GPU libraries or udev; PCI devices are
# read from /sys) and libnuma.  The sources are those of folders that are named,
# HWLOC_SOURCE=... NUMA_SOURCE=..., or of Debian's or Ubuntu's source packages.
# CC is the compiler; HOST=aarch64-linux-gnu is another machine than this, whose
# FOLDER ends in -aarch64.
set -u
to=$(readlink -m "${1:-build/deps/static}")
host=${HOST:-}
names=$(readlink -f "$(dirname "$0")/../lib/base/libc_names.h")

say() { echo "static: $*"; }
fail() {
	say "$*" >&2
	exit 1
}

[ -e "$to/ready" ] && exit
mkdir -p "$to/source"

# Lists of source packages of our own: the machine's apt need not have them.
fetch() {
	local lists=$to/lists options
	mkdir -p "$lists/partial"
	# shellcheck disable=SC2016 # apt expands
	apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's/^\(Debian\|Ubuntu\) /deb-src /p' | sort -u > "$to/sources.list"
	[ -s "$to/sources.list" ] || return
	options=(-q -o "Dir::Etc::SourceList=$to/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$lists" -o APT::Sandbox::User=root)
	(
		cd "$to/source" && apt-get "${options[@]}" update || exit
		apt-get "${options[@]}" source --download-only "$1" && exit
		# The archive of security updates may list what it no longer has: the release's own.
		# shellcheck source=/dev/null
		. /etc/os-release && apt-get "${options[@]}" source --download-only "$1/$VERSION_CODENAME"
	) > "$to/log" 2>&1
}

# unpack NAME FOLDER: sources into $to/source/NAME, from a folder of the user's or the package.
unpack() {
	local name=$1 folder=$2 archive
	rm -rf "$to/source/$name"
	if [ -n "$folder" ]; then
		# With their times: make would generate anew what configure comes from.
		cp -a "$folder" "$to/source/$name"
		return
	fi
	archive=$(find "$to/source" -maxdepth 1 -name "${name}_*.orig.tar.*" ! -name '*.asc' 2>/dev/null | sort -V | tail -n 1)
	[ -n "$archive" ] || fetch "$name" || fail "no source of $name: $(grep '^[EW]:' "$to/log" | tail -n 1)"
	archive=$(find "$to/source" -maxdepth 1 -name "${name}_*.orig.tar.*" ! -name '*.asc' | sort -V | tail -n 1)
	[ -n "$archive" ] || fail "no source of $name: name its folder by HWLOC_SOURCE or NUMA_SOURCE"
	mkdir "$to/source/$name"
	tar -xf "$archive" -C "$to/source/$name" --strip-components=1 || fail "cannot unpack $archive"
}

# library NAME OPTION... -- COMMAND: configure, and run the command in its sources.
library() {
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	say "building $name"
	(
		cd "$to/source/$name" || exit
		[ -x configure ] || ./autogen.sh
		CPPFLAGS="-D_GNU_SOURCE -include $names ${CPPFLAGS:-}" ./configure --prefix="$to" --libdir="$to/lib" --disable-shared --enable-static --with-pic \
			${host:+"--host=$host"} \
			"${options[@]}" && eval "$2"
	) > "$to/$name.log" 2>&1 || fail "$name: see $to/$name.log"
}

# For another machine those that this one's have been built from.
for archive in "${to%"-${host%%-*}"}"/source/*.orig.tar.*; do
	[ -z "$host" ] || [ ! -e "$archive" ] || ln -sf "$archive" "$to/source"
done
unpack hwloc "${HWLOC_SOURCE:-}"
unpack numactl "${NUMA_SOURCE:-}"
# The libraries alone, without their programs and tests.
library hwloc --disable-plugins --disable-plugin-dlopen --disable-libxml2 --disable-cairo --disable-pci --disable-opencl \
	--disable-cuda --disable-nvml --disable-rsmi --disable-levelzero --disable-gl --disable-libudev -- \
	"make -C hwloc -j2 install && make -C include install"
library numactl -- "make -j2 libnuma.la && make install-libLTLIBRARIES install-includeHEADERS"
# A library that has libnuma in itself has none of its versions.
"${host:+$host-}nm" "$to/lib/libnuma.a" 2>/dev/null | sed -n 's/.* \([^ ]*\)@@\(libnuma_.*\)/\1@@\2 \1/p; s/.* \([^ @]*\)@\(libnuma_.*\)/\1@\2 \1_\2/p' |
	sort -u > "$to/names"
"${host:+$host-}objcopy" --redefine-syms="$to/names" "$to/lib/libnuma.a" || fail "cannot take the versions out of libnuma.a"
: > "$to/ready"
say "ready: $to"
