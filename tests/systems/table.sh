# shellcheck shell=bash disable=SC2154 # variables of lib.sh
# The table of docs/tested.md, each entry by the test that shows it.  Sourced
# after lib.sh by systems.sh and cross.sh.
#
#   cell SYSTEM COLUMN TEXT                an entry, loads, idle or placed
#   judge SYSTEM COLUMN TEXT TEST FAULTS   a verdict, and the entry that follows from it
#   loads COMMAND...                       yes or no, by what wide.c's program finds in its memory
#   same BEFORE AFTER FILE...              the faults of two outcomes, but for the loader's own line
#   table                                  all entries that $work/cells has
#   table_agrees                           a verdict: docs/tested.md has that; RENEW=1 puts it there

: > "$work/cells"

rows="glibc 2.17
Debian 11, glibc 2.31
Debian 12, glibc 2.36
Ubuntu 24.04, glibc 2.39
Debian 13, glibc 2.41
musl
aarch64
32-bit
static
setuid"

cell() { printf '%s\t%s\t%s\n' "$@" >> "$work/cells"; }

judge() {
	if [ -z "$5" ]; then cell "$1" "$2" "$3"; else cell "$1" "$2" "**no**"; fi
	verdict "$4" "$5"
}

loads() {
	local said
	said=$("$@" loaded 2>/dev/null < /dev/null)
	case $said in
	loaded) echo yes ;;
	"not loaded") echo no ;;
	*) echo unknown ;;
	esac
}

same() {
	diff "$1" <(grep -v "^ERROR: ld.so: object '.*libsplitpin.so' from LD_PRELOAD cannot be preloaded" "$2")
	expect "exit status" "$(tail -n 1 "$2")" "status 6"
}

table() {
	echo "| system | loads | idle | placed |"
	echo "|---|---|---|---|"
	awk -F'\t' -v rows="$rows" '
		{ has[$1] = 1; if (cell[$1, $2] != "**no**") cell[$1, $2] = $3 }
		END {
			n = split(rows, row, "\n")
			for (i = 1; i <= n; i++)
				if (row[i] in has)
					printf "| %s | %s | %s | %s |\n", row[i], cell[row[i], "loads"], cell[row[i], "idle"], cell[row[i], "placed"]
		}' "$work/cells"
}

# The numbers of programs are those of the day.
without_numbers() { sed 's/[0-9]\+ programs/N programs/; s/, [0-9]\+ by chance//'; }
table_of_document() { sed -n '/^| system | loads/,/^$/p' docs/tested.md | grep '^|'; }

table_agrees() {
	local test="docs/tested.md has the table of this run" row
	table > "$work/table.md"
	sed 's/^/# /' "$work/table.md"
	while read -r row; do
		if ! grep -q "^$row"$'\tloads' "$work/cells"; then
			skip "$test" "$row did not run"
			return
		fi
	done <<< "$rows"
	if [ -n "${RENEW:-}" ]; then
		awk -v new="$work/table.md" '/^\| system \| loads/ { while ((getline line < new) > 0) print line; skip = 1 }
			!/^\|/ { skip = 0 } !skip' docs/tested.md > "$work/document" && cat "$work/document" > docs/tested.md
	fi
	verdict "$test" "$(diff <(table_of_document | without_numbers) <(without_numbers < "$work/table.md"))"
}
