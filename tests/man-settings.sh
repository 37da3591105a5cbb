#!/bin/bash
# The manual page has every setting of the table and no other, in the same
# order, with the same values and the same default.
#
#   tests/man-settings.sh [BUILD]
#
# BUILD/settings prints the table.  An entry of the page's section SETTINGS
# begins with
#     .It Ev NAME
#     Takes VALUES; default: INITIAL.
# of which the second line may be broken into several.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

page=man/splitpin.7
[ -x "$build/settings" ] || { echo "man-settings: no $build/settings: run make check-man" >&2; exit 1; }
"$build/settings" > "$work/table"
awk '
	function entry(name, text) {
		if (text !~ /^Takes .*; default: .*\.$/)
			text = "Takes (no line \"Takes VALUES; default: INITIAL.\"); default: ?."
		sub(/^Takes /, "", text)
		sub(/\.$/, "", text)
		sub(/; default: /, "\t", text)
		print name "\t" text
	}
	/^\.Sh / { inside = ($2 == "SETTINGS") }
	!inside { next }
	/^\.It Ev / { name = $3; text = ""; next }
	name != "" {
		text = text (text == "" ? "" : " ") $0
		if ($0 ~ /\.$/ || $0 ~ /^\./) {
			entry(name, text)
			name = ""
		}
	}
' "$page" > "$work/page"

verdict "$page has the settings of lib/settings/config.c" "$(
	[ -s "$work/table" ] || echo "the table is empty"
	diff -L "the table" -L "the page" -u "$work/table" "$work/page" | sed '/^@@/d'
)"
closing
