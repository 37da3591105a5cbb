#!/bin/bash
# Build an installable package with the distribution's own tools, from a copy
# of the sources.
#
#   build-aux/build-package.sh deb|rpm|dist BUILD VERSION
#
# The packages, or with dist the sources as one file for Spack, EasyBuild and
# others, with its SHA-256 sum beside it, are laid into BUILD; what the tools said is in BUILD/KIND/log.
# PACKAGER="Name <address>" is who answers for them.  Tests run where they are built,
# but for DEB_BUILD_OPTIONS=nocheck and NOCHECK=1.
set -u
kind=$1 version=$3
mkdir -p "$2"
build=$(readlink -f "$2")
work=$build/$kind
packager=${PACKAGER:-"The splitpin authors <splitpin@$(hostname -f 2>/dev/null || hostname)>"}

give_up() {
	printf '%s: %s\n' "$kind" "$*" >&2
	exit 1
}

# needs TOOL PACKAGE
needs() { command -v "$1" > /dev/null || give_up "no $1 here: install the package $2"; }

# The sources are of one time, whoever packs them, where and when: that of the
# last commit, or of the file that a package of the sources has kept.
day() {
	local epoch=${SOURCE_DATE_EPOCH-}
	[ -n "$epoch" ] || [ ! -e .git ] || epoch=$(git log -1 --format=%ct 2>/dev/null)
	LC_ALL=C date -u -d "@${epoch:-$(stat -c %Y CHANGELOG.md)}" "$@"
}

# The sources without what was built, as folder splitpin-VERSION in FOLDER.
# Distributions want no programs in them: those of the fuzzer stay here.
copy_sources() {
	mkdir -p "$1/splitpin-$version"
	tar -c --exclude=./build --exclude="./${build#"$PWD"/}" --exclude=./.[!.]* --exclude=__pycache__ \
		--exclude=./tests/fuzz/corpus/elf . |
		tar -x -C "$1/splitpin-$version"
}

# What was given to this make is not meant for the package's.
tool() {
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL "$@" > "$work/log" 2>&1 && return
	tail -n 20 "$work/log" >&2
	give_up "$1 failed, see $work/log"
}

# pkgconf's former name is obsolete in Debian 13, and all that Debian 11 has installed.
pkg_config_package() {
	case $(dpkg-query -W -f '${db:Status-Status}' pkgconf 2>/dev/null) in
	installed) echo pkgconf ;;
	*) echo pkg-config ;;
	esac
}

deb() {
	local top=$work/splitpin-$version control
	needs dpkg-buildpackage dpkg-dev
	needs dh debhelper
	copy_sources "$work"
	cp -r packaging/debian "$top/debian"
	control=$(< packaging/debian/control)
	control=${control//@MAINTAINER@/"$packager"}
	printf '%s\n' "${control//@PKG_CONFIG@/"$(pkg_config_package)"}" > "$top/debian/control"
	cat > "$top/debian/changelog" <<-CHANGES
	splitpin ($version) unstable; urgency=medium

	  * See changelog.gz.

	 -- $packager  $(day -R)
	CHANGES
	(cd "$top" && tool dpkg-buildpackage -us -uc) || exit
	rm -f "$build"/splitpin*.deb
	ln -f "$work"/*.deb "$build"
	ls "$build"/splitpin_*.deb
}

# Where rpm is a guest it knows none of the packages that building needs, and
# before 4.20 or without Red Hat's macros does not by itself put what debuggers
# need into a package of its own.
rpm_() {
	local guest=() debug=
	needs rpmbuild "rpm-build (rpm on Debian and Ubuntu)"
	if ! rpm -q rpm > /dev/null 2>&1; then
		guest=(--nodeps)
		if ! command -v find-debuginfo > /dev/null || ! command -v eu-strip > /dev/null; then
			guest+=(--define "debug_package %{nil}")
		elif [ -z "$(rpm --eval '%{?_enable_debug_packages}')" ]; then
			debug=%debug_package
		fi
	fi
	mkdir -p "$work/SOURCES"
	copy_sources "$work/copy"
	tar -c -z -C "$work/copy" -f "$work/SOURCES/splitpin-$version.tar.gz" "splitpin-$version"
	{
		sed "s|@VERSION@|$version|" packaging/rpm/splitpin.spec
		printf '\n%s\n' "$debug"
		printf '\n%%changelog\n* %s %s - %s-1\n- See CHANGELOG.md.\n' "$(day '+%a %b %d %Y')" "${packager//%/%%}" "$version"
	} > "$work/splitpin.spec"
	tool rpmbuild -ba ${guest[@]+"${guest[@]}"} ${NOCHECK:+--nocheck} --define "_topdir $work" --define "_prefix /usr" "$work/splitpin.spec"
	rm -f "$build"/splitpin*.rpm
	ln -f "$work"/RPMS/*/*.rpm "$build"
	ls "$build"/splitpin-"$version"-*.rpm
}

# The same file from the same sources, whoever packs them and when.
dist() {
	local file=$build/splitpin-$version.tar.gz
	copy_sources "$work"
	tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=go+rX,go-w --mtime="$(day '+%F %T')Z" \
		-C "$work" "splitpin-$version" | gzip -n -9 > "$file" || exit
	(cd "$build" && sha256sum "${file##*/}" > "${file##*/}.sha256") || exit
	echo "$file"
}

[ -e packaging/rpm/splitpin.spec ] || give_up "run \"make $kind\" at the top of the sources"
rm -rf "$work"
mkdir -p "$work"
case $kind in
deb) deb ;;
rpm) rpm_ ;;
dist) dist ;;
*) give_up "there are deb, rpm and dist" ;;
esac
