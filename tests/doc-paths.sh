#!/bin/bash
# build-aux/doc-paths.sh finds the paths that are not there, and these alone.
#
#   tests/doc-paths.sh [BUILD]
# shellcheck disable=SC2016 # backquotes of Markdown
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

check=$PWD/build-aux/doc-paths.sh

# document NAME TEXT FAULTS: what is said of this text in a small tree, with the line cut off.
document() {
	local top said
	top=$(folder "$1")
	mkdir -p "$top/lib/cut" "$top/docs"
	touch "$top/lib/cut/cut.c" "$top/docs/cut.md"
	printf '%s\n' "$2" > "$top/docs/page.md"
	said=$(cd "$top" && "$check" docs/page.md 2>&1 | sed 's/.*: //' | paste -s -d ';')
	verdict "$1" "$(expect "what is said" "$said" "$3")"
}

document "paths that are there" '`lib/cut`, `lib/cut/cut.c`, `lib/*/*.c`, [the cut](cut.md#here)' ''
document "no paths" '`make lint`, `MPI_Init`, `/dev/shm`, `build/x`, [hwloc](https://example.org/cut.md)' ''
document "a file that is gone" 'see `lib/cut/descent.c`' 'there is no lib/cut/descent.c'
document "a pattern of nothing" '`lib/slots/*.c`' 'there is no lib/slots/*.c'
document "a link to nothing" '[the cut](cuts.md)' 'there is no cuts.md'
document "two in a line" '`lib/a.c` and `lib/b.c`' 'there is no lib/a.c;there is no lib/b.c'
closing
