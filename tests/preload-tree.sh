#!/bin/bash
# A whole Debian with the library in /etc/ld.so.preload, so that every program
# loads it: what they print and write is as without it.
#
#   tests/preload-tree.sh [BUILD]
#
# The same commands run three times over the same files, twice without the
# library and once with it.  What differs between the two runs without it
# (times, keys, names of temporary files) says nothing; tree-compare.py finds
# what differs besides.  All that was printed and written is kept in
# BUILD/tests/preload-tree/{plain,again,with}.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/tree.sh
. tests/tree.sh

here=tests/preload-tree

# The packages with which the steps work, and those that they install.
tools="gcc libc6-dev make perl python3 git man-db openssh-client tmux gdb procps"
installed="jq ca-certificates python3-yaml"
programs="sh apt-get dpkg gcc make git man python3 perl ssh-keygen tmux:_server gdb setuid-find"

rm -rf "$work"
mkdir -p "$work/installed" "$work/preload/etc"
package deb dh
deb=$built
[ -n "$deb" ] || give_up skip "a Debian with the library everywhere" "there is no package of it"

needed=$(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/,//g')
tree_layer tools "apt-get update
	apt-get install $tools $needed
	apt-get install --download-only $installed
	cd /usr/src
	apt-get source --download-only hello" ||
	give_up skip "a Debian with the library everywhere" "$tree_why"

cp "$deb" "$work/installed/splitpin.deb"
in_tree "$work/installed:$tree/tools" dpkg -i /splitpin.deb > "$work/dpkg" 2>&1 ||
	give_up fail "the package is installed" "$(tail -n 1 "$work/dpkg")"
cp $here/*.sh "$work/installed"
# A bare name would not do for setuid programs.
dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n 's|^\.\(/.*/libsplitpin\.so\)$|\1|p' > "$work/preload/etc/ld.so.preload"

# run NAME SECONDS SCRIPT: those that begin with "with" have the library.
run() {
	local layers=$work/installed:$tree/tools
	[[ $1 != with* ]] || layers=$work/preload:$layers
	in_tree "$work/$1:$layers" timeout "$2" "/$3" > "$work/$1.log" 2>&1 ||
		fail "$1" "the commands did not run to their end: $(tail -n 1 "$work/$1.log")"
}

compare() { $here/tree-compare.py "$@" 2>&1; }

for name in plain again with; do
	run $name 550 steps.sh
done

mapfile -t steps < <(sed -n 's/^step \([a-z]*\) .*/\1/p' $here/steps.sh)
for name in "${steps[@]}"; do
	why=$(compare "$work/plain" "$work/again" "$work/with" "/out/$name.*")
	status=$(cat "$work/plain/out/$name.status" 2>/dev/null)
	case $name/$status in
	shell/139 | */0) ;;
	*) why="$why; without the library it ended with $status: $(tail -n 1 "$work/plain/out/$name.err")" ;;
	esac
	if [ -z "$why" ]; then
		pass "$name: prints the same"
	else
		fail "$name: prints the same" "$why"
	fi
done

why=$(compare --noise "$work/noise" "$work/plain" "$work/again" "$work/with" '/*')
count=$(find "$work/plain" ! -type d | wc -l)
noise=$(wc -l < "$work/noise")
if [ -z "$why" ] && [ "$count" -gt 500 ] && [ "$noise" -lt 60 ]; then
	pass "all of them write the same: $count files, of which $noise differ each time"
else
	fail "all of them write the same" "$count files, of which $noise differ each time ($work/noise); $why"
fi

for name in plain with; do
	run $name-witness 100 witnesses.sh
done
for name in $programs; do
	if ! grep -qx "$name no" "$work/plain-witness/witnessed"; then
		fail "$name has the library" "without /etc/ld.so.preload it was not seen, or had it too"
	elif ! grep -qx "$name yes" "$work/with-witness/witnessed" || grep -qx "$name no" "$work/with-witness/witnessed"; then
		fail "$name has the library" "/proc/PID/maps: $(grep "^$name " "$work/with-witness/witnessed" | sort | uniq -c | paste -s -d ';')"
	else
		pass "$name has the library"
	fi
done
if grep -qx 'static-program no' "$work/with-witness/witnessed"; then
	pass "a static program has not"
else
	fail "a static program has not" "$(grep '^static-program' "$work/with-witness/witnessed")"
fi

closing
