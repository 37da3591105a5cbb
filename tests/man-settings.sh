#!/bin/sh
# The manual page has every setting of the table and no other, in the same
# order, with the same values and the same default.
#
# usage: man-settings.sh SETTINGS PAGE
#   SETTINGS  program that prints the table
#   PAGE      splitpin.7; an entry of its section SETTINGS begins with
#                 .It Ev NAME
#                 Takes VALUES; default: INITIAL.
#             of which the second line may be broken into several.
set -eu

if [ $# -ne 2 ]; then
	echo "usage: $0 SETTINGS PAGE" >&2
	exit 2
fi
settings=$1
page=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$settings" >"$scratch/table"
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
' "$page" >"$scratch/page"

if ! [ -s "$scratch/table" ]; then
	echo "man-settings: $settings prints no settings" >&2
	exit 1
fi
if ! diff -u -L "the table in lib/settings/config.c" -L "$page" "$scratch/table" "$scratch/page"; then
	echo "man-settings: the page and the table differ" >&2
	exit 1
fi
echo "man-settings: $(wc -l <"$scratch/table") settings, the page agrees"
