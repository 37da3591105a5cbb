#!/bin/bash
# The package as a distribution makes and tests it: built with its tests, then
# debian/tests by autopkgtest in a clean Debian, with the MPI of that.  Minutes,
# root and a network; "make check-autopkgtest".
#
#   tests/autopkgtest.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/tree.sh
. tests/tree.sh

package_with_tests=1
package deb dh
[ -n "$built" ] || give_up skip "autopkgtest" "there is no package"
verdict "the tests ran while it was built" "$(grep -q '^100%: Checks: [1-9]' "$build/deb/log" || echo "see $build/deb/log")"

needed=$(dpkg-deb -f "$built" Depends | sed 's/([^)]*)//g; s/,//g')
tree_layer autopkgtest "apt-get update
	apt-get install autopkgtest dpkg-dev $needed
	apt-get install mpi-default-bin mpi-default-dev gcc libc6-dev openssh-client" ||
	give_up skip "autopkgtest" "$tree_why"

top=$work/top
rm -rf "$top"
mkdir -p "$top/test"
cp "$built" "$build"/deb/*.dsc "$build"/deb/*.tar.* "$top/test"
in_tree "$top:$tree/autopkgtest" timeout 500 sh -c \
	'apt-get update; cd /test && autopkgtest --apt-upgrade --no-built-binaries --output-dir=/out *.deb *.dsc -- null' > "$work/log" 2>&1
status=$?
case $status in
0) pass "autopkgtest: $(sed -n 's/^[^ ]* *\(PASS\)$/\1/p' "$top/out/summary" | wc -l) of $(wc -l < "$top/out/summary") tests" ;;
2 | 8) skip "autopkgtest" "$(paste -s -d ';' "$top/out/summary")" ;;
*) fail "autopkgtest" "it ended with $status: $(paste -s -d ';' "$top/out/summary" 2>/dev/null), see $work/log" ;;
esac
closing
