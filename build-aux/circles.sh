#!/bin/bash
# Sources that need each other: a calls b and b calls a, or by way of others.
# Neither can be read, or tested, without the other.  make lint runs this.
#
#   build-aux/circles.sh BUILD FOLDER...
#   build-aux/circles.sh < PAIRS
#
# Of the objects that BUILD has for the sources of these folders, and of those
# below them; or of pairs "A B", one a line, where A needs B.  Prints the members
# of each circle in one line, and fails if there was any, or an object is missing.
set -u

# pairs OBJECT...: "a b" for each object that uses a name which another one defines.
pairs() {
	nm -AgP "$@" | awk -v build="$build/" '
	{ object = substr($1, 1, length($1) - 3); sub("^" build, "", object) }
	$3 == "U" { used[object " " $2]; next }
	{ defined[$2] = object }
	END {
		for (one in used) {
			split(one, use, " ")
			if (use[2] in defined && defined[use[2]] != use[1])
				print use[1], defined[use[2]]
		}
	}' | sort -u
}

# tsort names the members of each circle that it breaks up.
circles() {
	tsort 2>&1 > /dev/null | awk '
	/contains a loop/ { if (line) print line; line = ""; next }
	{ line = line (line ? " " : "") $2 }
	END { if (line) print line }'
}

if [ $# = 0 ]; then
	found=$(circles)
else
	build=$1
	mapfile -t objects < <(find "${@:2}" -name '*.[cS]' | sed "s|^\(.*\)\..$|$build/\1.o|")
	[ ${#objects[@]} -gt 1 ] || { echo "${*:2}: no sources" >&2; exit 2; }
	ls "${objects[@]}" > /dev/null || exit 2
	found=$(pairs "${objects[@]}" | circles | sed 's/^/need each other: /')
fi
[ -z "$found" ] || { echo "$found"; exit 1; }
