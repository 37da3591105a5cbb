#!/bin/bash
# "make install" and "make uninstall": what lies where, and that ranks find the
# parts of splitpin however the library is named.
#
#   tests/install.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

# What the loader puts in the place of $LIB: the folder in which it then finds a library.
lib=
for name in lib lib64 "lib/$(gcc -print-multiarch 2>/dev/null)"; do
	to=$(folder "try")
	mkdir -p "$to/$name"
	cp "$preload" "$to/$name/any.so"
	[ -z "$(LD_PRELOAD="$to/\$LIB/any.so" env true 2>&1)" ] && lib=$name
done
root=$work/root
where=$root/${lib:-lib}
rm -rf "$root" "$work/staged"
make -s B="$build" PREFIX="$root" LIBDIR="$where" install > "$work/install" 2>&1 || { cat "$work/install"; exit 1; }

verdict "the library that is named lies alone in the public folder" "$(
	expect "what is there" "$(cd "$where" && echo *)" "libsplitpin.so pkgconfig splitpin"
	expect "the parts" "$(cd "$where/splitpin" && echo *)" "libsplitpin-engine.so libsplitpin-hardware.so libsplitpin-numa.so survey-report"
)"

# ranks HOW: two, each of which writes where it runs; $preload names the library.
ranks() {
	local i to=$work/${1//[^[:alnum:]]/_}
	for i in 0 1; do
		rm -rf "$to.$i"
		mkdir "$to.$i"
		PLACEMENT_DIR=$to.$i SPLITPIN_LOCAL_RANK=$i SPLITPIN_LOCAL_SIZE=2 LD_LIBRARY_PATH=$path \
			LD_PRELOAD=$preload "$program" > "$to.$i/out" 2> "$to.$i/err"
		expect "standard error" "$(cat "$to.$i/err")" ""
	done
	[ "$(share 0)" != "$(share 1)" ] || echo "both ranks have the CPUs $(share 0)"
	[ -n "$(share 1)" ] || echo "rank 1 did not run"
}
share() { sed -n 's/^start .*\bcpus=\([^ ]*\).*/\1/p' "$to.$1/rank.0" 2>/dev/null; }

# named HOW PRELOAD [LD_LIBRARY_PATH]
named() {
	local preload=$2 path=${3-}
	verdict "ranks of a library named by $1" "$(ranks "$1")"
}

if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	skip "ranks" "${confined:-there is one CPU}"
elif ! program=$(program none gcc alone.c); then
	skip "ranks" "alone.c does not compile"
else
	named "its path" "$where/libsplitpin.so"
	named "a path from here" "$(realpath --relative-to=. "$where/libsplitpin.so")"
	named "its name alone" libsplitpin.so "$where"
	# shellcheck disable=SC2016 # the loader expands
	named 'a path with $LIB' "$root/"'$LIB/libsplitpin.so'
	mkdir -p "$work/flat"
	cp "$where/libsplitpin.so" "$where"/splitpin/*.so "$work/flat"
	named "its path, all in one folder" "$work/flat/libsplitpin.so"
fi

# Parts of a version before, beside the new library, do not count.
echo old > "$where/libsplitpin-engine.so"
verdict "splitpin check finds the parts" "$(
	said=$(LD_PRELOAD=$where/libsplitpin.so "$root/bin/splitpin" check 2>&1)
	# A board that another build has left in /dev/shm is none of this.
	grep -i 'part\|version\|engine\|hardware' <<< "$said" | grep -v "$where/libsplitpin.so, version\|/dev/shm/"
	grep -qF "$where/libsplitpin.so, version" <<< "$said" || echo "it says: ${said%%$'\n'*}"
)"
rm "$where/splitpin/libsplitpin-hardware.so"
verdict "splitpin check misses a part" "$(
	said=$(LD_PRELOAD=$where/libsplitpin.so "$root/bin/splitpin" check 2>&1)
	grep -qF "libsplitpin-hardware.so is neither beside $where/libsplitpin.so nor in the subfolder splitpin/ there" <<< "$said" ||
		echo "it says: $said"
)"

make -s B="$build" PREFIX=/usr/local DESTDIR="$work/staged" install > "$work/install" 2>&1
pages=$(cd "$work/staged/usr/local/share/doc/splitpin/docs" && echo *.md)
verdict "pages for users are installed, evidence is not" "$(
	for page in install sites launchers gpus tools; do
		[[ " $pages " == *" $page.md "* ]] || echo "no $page.md"
	done
	for page in cost cut stacks systems trust; do
		[[ " $pages " != *" $page.md "* ]] || echo "$page.md is there"
	done
)"

# What a build before was told does not stay.
verdict "make SYSCONFDIR= after a build counts" "$(
	for etc in /etc /elsewhere/etc; do
		make -s B="$work/built" SYSCONFDIR=$etc "$work/built/lib/settings/site_file.o" > "$work/make" 2>&1
		strings "$work/built/lib/settings/site_file.o" 2> /dev/null | grep -qx "$etc/splitpin.conf" || echo "no $etc/splitpin.conf: $(tail -n 1 "$work/make")"
	done
)"
make -s B="$build" PREFIX=/usr/local DESTDIR="$work/staged" uninstall
verdict "uninstall leaves nothing" "$(find "$work/staged" -type f -o -name '*splitpin*')"

closing
