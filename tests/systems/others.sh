# shellcheck shell=bash disable=SC2154,SC2086 # variables of systems.sh, long.sh and lib.sh
# Programs that the library cannot be loaded into, or must not be, and those of
# another processor; sourced by systems.sh.

to=$(folder "programs of other kinds")
kind() { gcc "${@:2}" -O1 -pthread -o "$to/$1" $sources/wide.c > "$to/$1.log" 2>&1; }

# without SYSTEM COMMAND...: the same with the library, but for the loader's own line.
without() {
	local name=$1
	outcome "${@:2}" > "$to/$name.without"
	LD_PRELOAD=$preload outcome "${@:2}" > "$to/$name.with"
	judge "$name" idle "as without it" "a $name program does the same with the library in LD_PRELOAD" \
		"$(same "$to/$name.without" "$to/$name.with")"
}

# left_out SYSTEM WORDS COMMAND...: the entry "no" with these words, where the program has not loaded it.
left_out() {
	local is
	is=$(LD_PRELOAD=$preload loads "${@:3}")
	[ "$is" != no ] || is=$2
	cell "$1" loads "$is"
	verdict "a $1 program does not load the library" "$(expect "whether it is in its memory" "$is" "$2")"
}

if kind 32-bit -m32; then
	without 32-bit "$to/32-bit"
	left_out 32-bit "no: \`wrong ELF class\`, and it goes on" "$to/32-bit"
	verdict "the loader says so" "$(grep -q 'wrong ELF class' "$to/32-bit.with" || echo "it says nothing of a wrong ELF class")"
else
	skip "a 32-bit program" "gcc -m32 does not work, run make deps check-systems"
fi
if kind static -static; then
	without static "$to/static"
	left_out static no "$to/static"
else
	skip "a static program" "$(head -n 1 "$to/static.log")"
fi
setuid=/tmp/splitpin-setuid-$$
if [ "$(id -u)" = 0 ] && kind setuid && cp "$to/setuid" $setuid && chmod 4755 $setuid; then
	nobody=(setpriv --reuid=65534 --clear-groups "$setuid")
	without setuid "${nobody[@]}"
	left_out setuid "not by a path in \`LD_PRELOAD\`" "${nobody[@]}"
	rm -f $setuid
else
	skip "a setuid program" "it takes root"
fi

# Another processor's, with a count of its own.
relay "aarch64: " < <(tests/cross.sh aarch64 "$build")
cat "$build/tests/cross/aarch64/cells" >> "$work/cells" 2>/dev/null
