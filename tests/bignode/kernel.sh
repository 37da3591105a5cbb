#!/bin/bash
# A kernel for the emulated machines, where none with the file system 9p is
# installed: a package of Debian or Ubuntu is unpacked below the build folder.
# Nothing is installed, and root is not needed.
#
#   tests/bignode/kernel.sh [BUILD]
#
# Leaves BUILD/deps/kernel, or BUILD/deps/kernel.absent with the reason; remove
# that to try again.
set -u
build=$(readlink -f "${1:-build}")
to=$build/deps/kernel absent=$build/deps/kernel.absent
machine=$(dirname "$0")/machine.sh

say() { echo "deps: $*"; }

give_up() {
	rm -rf "$to"
	echo "$*" > "$absent"
	say "no kernel for emulated machines: $*; their tests will be skipped"
	exit 0
}

can_boot() { BIGNODE_KERNEL=$1 "$machine" --check >/dev/null 2>&1; }

# The packages that hold the kernel that a package of no content stands for.
packages_of() {
	LC_ALL=C apt-cache depends "$1" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-\(image\|modules\|modules-extra\)-[0-9].*\)/\1/p'
}

can_boot / && exit
can_boot "$to" && exit
[ ! -e "$absent" ] || { say "no kernel for emulated machines: $(cat "$absent") (remove $absent to try again)"; exit; }
mkdir -p "$to"
command -v apt-get dpkg-deb >/dev/null || give_up "there is no apt-get here; install a kernel with the module 9p"

for name in linux-image-amd64 linux-image-generic; do
	packages=$(packages_of $name)
	[ -z "$packages" ] || break
done
[ -n "$packages" ] || give_up "apt-get knows neither linux-image-amd64 nor linux-image-generic (apt-get update?)"
# Ubuntu has the modules apart.
for package in $packages; do
	version=${package#linux-image-}
	[ "$package" = "$version" ] || packages="$packages $(apt-cache pkgnames "linux-modules-$version") $(apt-cache pkgnames "linux-modules-extra-$version")"
done

say "fetching a kernel for emulated machines, to be unpacked in $to: $(tr '\n' ' ' <<< "$packages")"
# shellcheck disable=SC2086 # a list of words
(cd "$to" && timeout 600 apt-get download $packages) > "$to/log" 2>&1 || give_up "apt-get download: $(grep '^E:' "$to/log" | head -n 1)"
for package in "$to"/*.deb; do
	dpkg-deb -x "$package" "$to" || give_up "cannot unpack ${package##*/}"
done
# From Debian 13 on the package has no folder lib.
[ -e "$to/lib" ] || ln -s usr/lib "$to/lib"
# Most drivers are of no use here.
rm -rf "${to:?}"/*.deb "${to:?}"/usr/share "$to"/lib/modules/*/kernel/{sound,crypto,arch} \
	"$to"/lib/modules/*/kernel/drivers/{gpu,net,media,infiniband,usb,scsi,iio,staging,hid,input,mtd,md,ata,power,platform,hwmon,nvme,target,block,bluetooth}
can_boot "$to" || give_up "$(BIGNODE_KERNEL=$to "$machine" --check 2>&1)"
say "kernel for emulated machines: $(basename "$to"/boot/vmlinuz-*)"
