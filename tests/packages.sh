#!/bin/bash
# The packages that "make deb rpm" builds: what is in them, that the same sources
# give the same package, and that they are installed, work, take the place of an
# older one and go without a trace, the one in a clean Debian, the other in a root
# of its own; and what Spack makes of its recipe, where there is Spack: that of
# SPACK_ROOT or of the path, with the settings and mirrors of its user.
#
#   tests/packages.sh [BUILD]
set -u
# shellcheck source=tests/own-processes.sh
. tests/own-processes.sh
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/tree.sh
. tests/tree.sh

version=$(sed -n 's/^VERSION = //p' Makefile)

# files LIBDIR MODULEDIR: what every package has, manual pages by their names here.
files() {
	local page
	cat <<-END
	/usr/bin/splitpin
	/usr/$1/libsplitpin.so
	/usr/$1/splitpin/libsplitpin-engine.so
	/usr/$1/splitpin/libsplitpin-hardware.so
	/usr/$1/splitpin/libsplitpin-numa.so
	/usr/$1/splitpin/survey-report
	/usr/$1/pkgconfig/splitpin.pc
	/usr/share/bash-completion/completions/splitpin
	/usr/share/fish/vendor_completions.d/splitpin.fish
	/usr/share/zsh/site-functions/_splitpin
	/usr/share/$2/splitpin/$version
	/usr/share/$2/splitpin/$version.lua
	END
	for page in packaging/systemd/*; do
		echo "/usr/lib/systemd/system/${page##*/}"
	done
	for page in man/*.[157]; do
		echo "/usr/share/man/man${page##*.}/${page##*/}"
	done
	for page in docs/*.md docs/*.svg docs/*.json docs/*.example; do
		[[ ! -e $page || $page =~ ^docs/(cost|cut|tested)\.md$ ]] || echo "/usr/share/doc/splitpin/$page"
	done
}

# lists FILE EXPECTED: missing from the list in FILE, or too many; documentation
# of the distribution's own kind aside.
lists() {
	sed -e 's/\.gz$//' "$1" | grep -v -e '/usr/share/doc/splitpin/[A-Za-z.]*$' -e '^/usr/share/licenses/' -e '^/usr/lib/.build-id' -e '^/usr/share/lintian' |
		sort | diff <(files "${@:2}" | sort) - | sed -n 's/^</it lacks/p; s/^>/it has/p'
}

# used DIRECTORY: what two ranks of a program wrote there.
share() { sed -n 's/^start .*\bcpus=\([^ ]*\).*/\1/p' "$1/rank.0" 2>/dev/null; }
used() {
	local i
	for i in 0 1; do
		[ -n "$(share "$1/$i")" ] || echo "rank $i did not run: $(head -n 1 "$1/$i/err")"
		expect "standard error of rank $i" "$(cat "$1/$i/err")" ""
		[ "$(share "$1/$i")" != "$cpus" ] || echo "rank $i has all CPUs"
	done
	[ "$(share "$1/0")" != "$(share "$1/1")" ] || echo "both ranks have the CPUs $(share "$1/0")"
}

# Two ranks without MPI, each told by hand which it is.
# shellcheck disable=SC2016 # another shell expands
ranks='for i in 0 1; do
	mkdir -p "$to/$i"
	PLACEMENT_DIR=$to/$i SPLITPIN_LOCAL_RANK=$i SPLITPIN_LOCAL_SIZE=2 LD_PRELOAD=$library \
		"$program" > "$to/$i/out" 2> "$to/$i/err"
done'
can_pin="${confined:-$([ "$ncpus" -ge 2 ] || echo there is one CPU)}"
program=$(program none gcc alone.c) || can_pin="alone.c does not compile"

#
# The package of Debian.
#

triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null)

# Everything in the tree, with what it is; without apt's and dpkg's memory.
everything='find / -xdev \( -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/log -o -path /out \) -prune -o \
	-type f -printf "%p %M %U\n" -exec sha256sum {} + -o -type l -printf "%p %l\n" -o -printf "%p %M %U %G\n" | sort'

in_debian() {
	in_tree "$top:$tree/packages" timeout "$hangs" sh -c "$1" > "$work/out" 2> "$work/err"
}

# older FILE: the package with an older version, one file more and one less.
older() {
	rm -rf "$work/older"
	dpkg-deb -R "$deb" "$work/older"
	sed -i 's/^Version:.*/Version: 0.0.1/' "$work/older/DEBIAN/control"
	mv "$work/older/usr/bin/splitpin" "$work/older/usr/bin/splitpin-of-old"
	(cd "$work/older" && find usr -type f -exec md5sum {} + > DEBIAN/md5sums)
	dpkg-deb --root-owner-group -b "$work/older" "$1" > "$work/err" 2>&1 || cat "$work/err"
}

# Built once more, elsewhere, by somebody whose files are nobody else's, in
# another part of the world.
twice() {
	local other=$work/elsewhere
	rm -rf "$other"
	(
		umask 077
		TZ=Pacific/Auckland LC_ALL=C DEB_BUILD_OPTIONS="nocheck parallel=1" make -s B="$other" deb > "$work/elsewhere.make" 2>&1
	) || tail -n 3 "$work/elsewhere.make"
	cmp "$deb" "$other/${deb##*/}" 2>&1
}

# make dist, in two folders, and of what it packed, where Python has left something since.
dist() {
	local once twice unpacked=$work/unpacked
	once=$(make -s B="$work/once" dist)
	twice=$(umask 077; TZ=Pacific/Auckland make -s B="$work/twice" dist)
	cmp "$once" "$twice" 2>&1
	rm -rf "$unpacked"
	mkdir -p "$unpacked/packaging/__pycache__"
	tar -x --strip-components=1 -f "$once" -C "$unpacked"
	touch "$unpacked/packaging/__pycache__/package.cpython-311.pyc"
	cmp "$once" "$(make -s -C "$unpacked" B="$work/thrice" dist)" 2>&1
	tar -tf "$once" | grep -m 1 -v "^splitpin-$version/"
	(cd "$work/once" && sha256sum --quiet -c "splitpin-$version.tar.gz.sha256") 2>&1
	expect "the sources in it" "$(tar -tf "$once" | grep -c "^splitpin-$version/lib/.*\.c$")" "$(find lib -name '*.c' | wc -l)"
}

# What $build has, built once more where these sources lie in another folder, without what a compiler's cache remembers.
alike() {
	local other=$work/another/folder file
	rm -rf "$other"
	mkdir -p "$other"
	tar -x --strip-components=1 -f "$work/once/splitpin-$version.tar.gz" -C "$other"
	CCACHE_DISABLE=1 make -s -j "$ncpus" -C "$other" B="$other/build" all > "$work/another.make" 2>&1 || tail -n 3 "$work/another.make"
	for file in splitpin libsplitpin.so libsplitpin-engine.so libsplitpin-hardware.so libsplitpin-numa.so; do
		cmp "$build/$file" "$other/build/$file" 2>&1
	done
}

debian() {
	local needed
	needed=$(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/,//g')
	if ! tree_layer packages "apt-get update
		apt-get install libgomp1
		apt-get install --download-only $needed"; then
		skip "the package in a clean Debian" "$tree_why"
		return
	fi
	top=$work/top
	rm -rf "$top" "$work/ranks"
	mkdir -p "$top"
	cp "$deb" "$top/splitpin.deb"
	older "$top/older.deb"
	cp "$program" "$top/alone"
	in_debian "$everything"
	mv "$work/out" "$work/before"

	in_debian "apt-get install /splitpin.deb"
	verdict "deb: installs in a clean Debian" "$(expect status $? 0; grep '^[EW]:' "$work/err")"
	in_debian "apt-get --purge remove splitpin && apt-get install /older.deb && dpkg-query -W splitpin && apt-get install /splitpin.deb && dpkg-query -W splitpin && dpkg --verify splitpin"
	verdict "deb: takes the place of an older one" "$(
		expect status $? 0
		expect versions "$(sed -n 's/^splitpin\t//p' "$work/out" | paste -s -d ' ')" "0.0.1 $version"
		grep '^[EW]:\|^[^ ]*[5?.]\{9\}' "$work/err" "$work/out"
	)"
	in_debian "splitpin --version && splitpin plan -n 2 -t 2 --topology 'core:4 pu:2' && test -x /usr/bin/splitpin && ldd /usr/lib/$triplet/splitpin/libsplitpin-hardware.so && ldd /usr/lib/$triplet/splitpin/libsplitpin-numa.so"
	verdict "deb: the command runs" "$(
		expect status $? 0
		expect version "$(head -n 1 "$work/out")" "splitpin $version"
		grep 'not found' "$work/out"
		"$build/splitpin" plan -n 2 -t 2 --topology 'core:4 pu:2' | diff <(sed '1d; /=>\|linux-vdso\|ld-linux/d' "$work/out") -
	)"
	if [ -n "$can_pin" ]; then
		skip "deb: two ranks" "$can_pin"
	else
		in_debian "to=/out program=/alone library=libsplitpin.so; $ranks"
		mv "$top/out" "$work/ranks"
		verdict "deb: two ranks" "$(used "$work/ranks")"
		in_debian "splitpin run --alone --cores 1 -- grep Cpus_allowed_list /proc/self/status"
		verdict "deb: splitpin run finds the library" "$([ "$(cut -f 2 < "$work/out")" != "$cpus" ] || echo "grep has all CPUs"; cat "$work/err")"
	fi
	in_debian "apt-get --purge autoremove splitpin; dpkg -l | grep '^ii *\(splitpin\|libhwloc\)'"
	verdict "deb: goes" "$(expect "what is left" "$(grep '^ii' "$work/out")" "")"
	in_debian "$everything"
	verdict "deb: no file is left" "$(diff "$work/before" "$work/out" | sed -n 's/^</no longer/p; s/^>/left/p')"
}

# A tree is fetched while the package is built.
tree_make &
package deb dh
wait
deb=$built
if [ -n "$deb" ]; then
	dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n 's|^\.\(/.*[^/]\)$|\1|p' > "$work/deb.files"
	verdict "deb: files" "$(lists "$work/deb.files" "lib/$triplet" splitpin/modulefiles)"
	verdict "deb: dependencies" "$(
		for name in libc6 libhwloc15 libnuma1; do
			dpkg-deb -f "$deb" Depends | grep -q "\b$name\b" || echo "it does not depend on $name"
		done
	)"
	if command -v lintian > /dev/null; then
		# Who answers for the package is for its builder to say; and each release's lintian wants another version of
		# the policy to be named, the last that it knows.  In the code gcc 14 cuts texts into pieces, which side by
		# side spell other words ("ofthe"); the texts themselves stand in the sources.
		lintian --allow-root --info --display-info --pedantic --display-experimental \
			--suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,out-of-date-standards-version,spelling-error-in-binary \
			"$build"/deb/*.changes > "$work/lintian" 2>&1
		verdict "deb: lintian, of the sources too and pedantic" "$(expect status $? 0; grep '^[EWIPX]: ' "$work/lintian")"
	else
		skip "deb: lintian" "it is not there"
	fi
	verdict "deb: built elsewhere it is the same" "$(twice)"
	debian
fi
verdict "dist: packed elsewhere it is the same, and as its sum says" "$(dist)"
if command -v reuse > /dev/null; then
	verdict "dist: each file has a licence that scanners read" "$(cd "$work/unpacked" && reuse lint 2>&1 | grep -q '^Congratulations' || echo "reuse lint finds some without")"
else
	skip "dist: each file has a licence that scanners read" "reuse is not there"
fi
verdict "make: what is built in another folder is the same" "$(alike)"

#
# The package of Red Hat's and SUSE's.
#

# On Debian rpm before 4.20 warns that it is a guest; a plugin of 4.20's, that it is of no use in another root.
guest=$(! rpm --force-debian --version > /dev/null 2>&1 || echo --force-debian)
in_root() { rpm ${guest:+"$guest"} --noplugins --root "$work/root" --dbpath /var/lib/rpm "$@"; }

package rpm rpmbuild
rpm=$built
if [ -n "$rpm" ]; then
	if command -v rpmlint > /dev/null; then
		rpmlint --ignore-unused-rpmlintrc -r packaging/rpm/splitpin.rpmlintrc "$build"/rpm/RPMS/*/*.rpm "$build"/rpm/SRPMS/*.rpm "$build/rpm/splitpin.spec" > "$work/rpmlint" 2>&1
		verdict "rpm: rpmlint" "$(expect status $? 0; grep ': [EW]: ' "$work/rpmlint")"
	else
		skip "rpm: rpmlint" "it is not there, run make deps"
	fi
	rm -rf "$work/root" "$work/rpm-ranks"
	mkdir -p "$work/root"
	rpm --root "$work/root" --dbpath /var/lib/rpm --initdb
	in_root --nodeps --install "$rpm" > "$work/err" 2>&1
	verdict "rpm: installs in a root of its own" "$(expect status $? 0; cat "$work/err")"
	in_root -ql splitpin | while read -r name; do
		[ -d "$work/root$name" ] || echo "$name"
	done > "$work/rpm.files"
	verdict "rpm: files" "$(lists "$work/rpm.files" lib64 modulefiles)"
	verdict "rpm: dependencies" "$(
		for name in libc.so.6 libhwloc.so libnuma.so; do
			rpm -qp --requires "$rpm" | grep -q "^$name" || echo "it does not depend on $name"
		done
		rpm -qp --requires "$rpm" | grep -v -e '^lib[a-z]*\.so' -e '^rpmlib(' -e '^rtld('
	)"
	verdict "rpm: what is installed is what is in it" "$(in_root -V --nodeps splitpin 2>&1)"
	if [ -n "$can_pin" ]; then
		skip "rpm: two ranks" "$can_pin"
	else
		to=$work/rpm-ranks program=$program library=$work/root/usr/lib64/libsplitpin.so bash -c "$ranks"
		verdict "rpm: two ranks" "$(used "$work/rpm-ranks")"
	fi
	in_root -e splitpin > "$work/err" 2>&1
	verdict "rpm: goes, and no file is left" "$(
		expect status $? 0
		cat "$work/err"
		find "$work/root" \( -type f -o -name '*splitpin*' \) ! -path '*/var/lib/rpm/*'
	)"
fi

#
# The recipe for Spack.
#

spack=$(command -v "${SPACK_ROOT:+$SPACK_ROOT/bin/}spack") || give_up skip "the recipe for Spack" "there is no Spack"

# All that it makes is in one folder, and it builds nothing of what the system has.
spack_folder=$work/spack
in_spack() { (cd "$spack_folder" && timeout "$hangs" "$spack" -C "$spack_folder/config" "$@") > "$spack_folder/out" 2> "$spack_folder/err"; }
spack_said() { expect status "$1" 0; [ "$1" = 0 ] || cat "$spack_folder/out" "$spack_folder/err" | tail -n 5; }

# external NAME VERSION [PREFIX]
external() { printf "  %s: {externals: [{spec: '%s@%s', prefix: %s}]}\n" "$1" "$1" "$2" "${3:-/usr}"; }
by_pkg_config() { external "$1" "$(pkg-config --modversion "$2")" "$(pkg-config --variable=prefix "$2")"; }

spack_settings() {
	mkdir -p "$spack_folder/config"
	cat > "$spack_folder/config/config.yaml" <<-END
	config:
	  install_tree: {root: $spack_folder/store}
	  build_stage: [$spack_folder/stage]
	  test_stage: $spack_folder/test
	END
	cp -r packaging/spack/spack_repo "$spack_folder"
	echo "repos: {splitpin: $spack_folder/spack_repo/splitpin}" > "$spack_folder/config/repos.yaml"
	cat > "$spack_folder/config/packages.yaml" <<-END
	packages::
	  all: {buildable: false}
	  splitpin: {buildable: true}
	  gcc: {externals: [{spec: "gcc@$(/usr/bin/gcc -dumpfullversion) languages:=c", prefix: /usr, extra_attributes: {compilers: {c: /usr/bin/gcc}}}]}
	$(external gmake "$(make --version | sed -n '1s/.* //p')")
	$(external pkgconf "$(pkg-config --version)")
	$(by_pkg_config hwloc hwloc)
	$(by_pkg_config numactl numa)
	$(by_pkg_config pmix pmix)
	END
}

recipe_of_spack() {
	local prefix
	rm -rf "$spack_folder"
	make -s B="$spack_folder" dist > /dev/null
	if ! spack_settings 2> "$spack_folder/err" || ! in_spack spec gmake; then
		skip "the recipe for Spack" "$(tail -n 1 "$spack_folder/err")"
		return
	fi
	in_spack spec splitpin+preload
	verdict "spack: its dependencies are found" "$(spack_said $?)"
	in_spack audit packages splitpin
	verdict "spack: audit" "$(spack_said $?)"
	# What Spack itself fetches, its compiler's wrapper.
	if ! in_spack install --only dependencies splitpin+preload; then
		skip "spack: installs" "$(cat "$spack_folder/out" "$spack_folder/err" | grep -m 1 'failed')"
		return
	fi
	in_spack install --no-checksum splitpin+preload
	verdict "spack: installs" "$(spack_said $?)"
	in_spack location -i splitpin
	prefix=$(cat "$spack_folder/out")
	verdict "spack: built with the header of its llvm-openmp" "$(zcat "$prefix"/.spack/spack-build-out.txt.gz |
		grep -q -e "-idirafter $spack_folder/llvm-openmp/include" || echo "without")"
	in_spack test run splitpin
	verdict "spack: test run" "$(spack_said $?)"
	in_spack load --sh splitpin
	verdict "spack: load" "$(
		eval "$(< "$spack_folder/out")"
		expect version "$(splitpin --version)" "splitpin $version"
		expect LD_PRELOAD "${LD_PRELOAD-}" "$prefix/lib/libsplitpin.so"
	)"
	if [ -n "$can_pin" ]; then
		skip "spack: two ranks" "$can_pin"
	else
		to=$spack_folder/ranks program=$program library=$prefix/lib/libsplitpin.so bash -c "$ranks"
		verdict "spack: two ranks" "$(used "$spack_folder/ranks")"
	fi
}

recipe_of_spack
closing
