#!/bin/bash
# Build a wheel for pip: the command and the libraries, with hwloc and libnuma in
# them, for glibc 2.17 and later.
#
#   build-aux/build-wheel.sh BUILD VERSION [CPU]
#
# The wheel is laid into BUILD, and its path printed.  CPU is x86_64 or aarch64; the
# machine's own without it, for the other one there is a cross compiler.  MAKE is the
# make that builds.  The tools, and hwloc and libnuma, are those of "make deps wheel".
set -u
mkdir -p "$1"
build=$(readlink -f "$1") version=$2 cpu=${3:-$(uname -m)}
work=$build/wheel/$cpu
stage=$work/stage
tools=$build/deps/wheel/bin
static=$build/deps/static

give_up() {
	printf 'wheel: %s\n' "$*" >&2
	exit 1
}

case $cpu in
x86_64 | aarch64) ;;
*) give_up "there are wheels for x86_64 and aarch64, not for $cpu" ;;
esac
[ -x "$tools/hatchling" ] || give_up "no hatchling in $build/deps/wheel: run make deps wheel"
cross=
if [ "$cpu" != "$(uname -m)" ]; then
	cross=$cpu-linux-gnu- static=$static-$cpu
	command -v "${cross}gcc" > /dev/null || give_up "no ${cross}gcc: install the package gcc-$cpu-linux-gnu"
fi
compiler=${cross:+${cross}gcc}
compiler=${compiler:-${CC:-cc}}
# A part that is missing would be missing for all who install the wheel.
CC=$compiler build-aux/pmix-flags > /dev/null || give_up "that header is needed here: run make deps"

mkdir -p "$work"
rm -rf "$stage"
CC=$compiler HOST=${cross%-} build-aux/static-deps.sh "$static" >&2 || exit
# shellcheck disable=SC2086 # a command and its options
${MAKE:-make} B="$work" HWLOC=static STATIC="$static" CC="$compiler" AR="${cross}ar" CFLAGS=-O2 PREFIX= LIBDIR=/lib DESTDIR="$stage/root" install \
	> "$work/log" 2>&1 || give_up "$(grep -m 1 'error\|undefined' "$work/log"), see $work/log"
"${cross}strip" "$stage/root/bin/splitpin" "$stage"/root/lib/libsplitpin.so "$stage"/root/lib/splitpin/*.so || give_up "cannot strip"

cp LICENSE README.md "$stage"
cp "$static/source/hwloc/COPYING" "$stage/LICENSE.hwloc" || give_up "no licence of hwloc"
cp "$static/source/numactl/LICENSE.LGPL2.1" "$stage/LICENSE.libnuma" || give_up "no licence of libnuma"
cat > "$stage/NOTICE" <<END
The command splitpin and libsplitpin-hardware.so contain hwloc $(sed -n 's/^\(major\|minor\|release\)=//p' "$static/source/hwloc/VERSION" | paste -s -d .)
(LICENSE.hwloc), and libsplitpin-numa.so contains libnuma $(cat "$static/source/numactl/VERSION") (LICENSE.libnuma, the GNU Lesser
General Public License), both as their authors publish them. To exchange them, build splitpin $version from its sources:
HWLOC_SOURCE=FOLDER NUMA_SOURCE=FOLDER make wheel
END
cp -r packaging/wheel/splitpin packaging/wheel/tag.py "$stage"
sed "s|@VERSION@|$version|" packaging/wheel/pyproject.toml.in > "$stage/pyproject.toml"

rm -f "$build"/splitpin-*_"$cpu".whl
(cd "$stage" && WHEEL_CPU=$cpu "$tools/hatchling" build -t wheel -d "$build") > "$work/log" 2>&1 ||
	give_up "hatchling: $(tail -n 1 "$work/log"), see $work/log"
ls "$build/splitpin-$version-py3-none-manylinux2014_$cpu.whl"
