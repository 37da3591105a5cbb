#!/bin/bash
# Another release of Debian as a new user meets it: the sources, of "make dist",
# unpacked in a clean tree of it, and "make deps GOAL..." there.
#
#   tests/debian.sh SUITE [BUILD [GOAL...]]
#
# SUITE is bullseye, trixie or another that debootstrap has a script for; GOAL
# "check" by default.  The tree is kept in BUILD/deps/debian-SUITE, with all that
# was installed and built, so that a second run builds and tests only; remove its
# folders "user" and "build" to begin anew.  The status is that of make, or 0
# after a word where no tree can be made.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh "${2:-build}"
# shellcheck source=tests/tree.sh
. tests/tree.sh

suite=$1
goals=("${@:3}")
[ "${#goals[@]}" -gt 0 ] || goals=(check)

tree_of "$suite"
tree_make || give_up skip "Debian $suite" "$tree_why"
home=$tree/user/root/splitpin
# Not in the overlay that the tree is: tests mount others of their own in it.
mkdir -p "$tree/build"
tree_shows "$tree/build" /root/splitpin/build
tree_resolver "$tree/user"
rm -rf "$home"
mkdir -p "$home"
packed=$(make -s B="$work" dist) && tar -x --no-same-owner --strip-components=1 -f "$packed" -C "$home" || exit

# The lists of packages age; without make there is no "make deps".
# shellcheck disable=SC2016 # the inner shell expands
in_tree "$tree/user" bash -c '
	command -v make > /dev/null || { apt-get update && apt-get install make; } || exit
	cd /root/splitpin && exec make deps "$@"' make "${goals[@]}"
