# shellcheck shell=bash disable=SC2154,SC2086 # variables of systems.sh, long.sh and lib.sh
# Programs that the library cannot be loaded into, or must not be; sourced by
# systems.sh.  The table is printed at the end, and kept in BUILD/tests/systems/table.md.

to=$(folder "programs of other kinds")
kind() { gcc "${@:2}" -O1 -pthread -o "$to/$1" $sources/wide.c > "$to/$1.log" 2>&1; }

# without SYSTEM NAME COMMAND: the same with the library, but for the loader's own line.
without() {
	outcome "${@:3}" > "$to/$2.without"
	LD_PRELOAD=$preload outcome "${@:3}" > "$to/$2.with"
	grep -v "^ERROR: ld.so: object '.*libsplitpin.so' from LD_PRELOAD cannot be preloaded" "$to/$2.with" > "$to/$2.same"
	judge "$1" idle "as without it" "a $1 program does the same with the library in LD_PRELOAD" "$(diff "$to/$2.without" "$to/$2.same"
		expect "exit status" "$(tail -n 1 "$to/$2.same")" "status 6")"
}

if kind bits32 -m32; then
	without 32-bit bits32 "$to/bits32"
	cell 32-bit loads "no: \"wrong ELF class\", and it goes on"
else
	skip "a 32-bit program" "gcc -m32 does not work: apt-get install gcc-multilib"
fi
if kind static -static; then
	without static static "$to/static"
	cell static loads "no"
else
	skip "a static program" "$(head -n 1 "$to/static.log")"
fi
if [ "$(id -u)" = 0 ] && kind setuid && cp "$to/setuid" /tmp/splitpin-setuid-$$ && chmod 4755 /tmp/splitpin-setuid-$$; then
	without setuid setuid setpriv --reuid=65534 --clear-groups /tmp/splitpin-setuid-$$
	cell setuid loads "not by a path in LD_PRELOAD"
	rm -f /tmp/splitpin-setuid-$$
else
	skip "a setuid program" "it takes root"
fi

# The rows of musl and of old versions are those of the short form.
[ "$failed" != 0 ] || {
	cell "glibc 2.17" loads "by its symbols"
	cell musl loads yes
	cell musl idle "all functions as without it"
	cell musl placed "no: one warning, and it goes on"
}
awk -F'\t' 'BEGIN { print "| system | loads | idle | placed |"; print "|---|---|---|---|" }
	{ if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 } cell[$1, $2] = $3 }
	END { for (i = 1; i <= n; i++) printf "| %s | %s | %s | %s |\n", order[i], cell[order[i], "loads"], cell[order[i], "idle"], cell[order[i], "placed"] }' \
	"$work/cells" | tee "$work/table.md" | sed 's/^/# /'
