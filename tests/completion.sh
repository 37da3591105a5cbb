#!/bin/bash
# What bash, zsh and fish offer after the beginning of a command line, each asked
# by itself; of a shell that is not installed nothing is tested.
#
#   tests/completion.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

# In a folder without packages: zsh takes any file on the PATH for a command.
mkdir -p "$work/bin" "$work/path"
ln -sf "$build/splitpin" "$work/path/splitpin"
PATH=$work/path:$PATH
export PATH HOME="$work" TERM=dumb
printf '#!/bin/sh\n' > "$work/bin/splitpin-solver"
chmod +x "$work/bin/splitpin-solver"

bash_offers() {
	(
		# shellcheck source=completions/splitpin.bash
		. completions/splitpin.bash
		read -r -a COMP_WORDS <<< "$1"
		[[ $1 != *' ' ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_splitpin 2>/dev/null
		printf '%s\n' "${COMPREPLY[@]}"
	)
}

# fish 4 offers what has the word in it, too; of that it takes what begins with it first.
# shellcheck disable=SC2016 # fish expands
fish_offers() {
	fish -c 'source completions/splitpin.fish; complete --do-complete="$argv[1]"' -- "$1" 2>&1 | cut -f 1 |
		while IFS= read -r offer; do
			[[ $offer != "${1##* }"* ]] || echo "$offer"
		done
}

# zsh completes only where it edits a line: on a terminal of its own, where
# compadd writes down what it is given.  Which functions there are is looked up once.
rm -f "$work/functions"
cat > "$work/ask.zsh" <<'END'
zmodload zsh/zpty
zpty child zsh -f -i
zpty -w child "fpath=(${(q)PWD}/completions \$fpath); autoload -Uz compinit; compinit -u -C -d ${(q)3}"
zpty -w child 'compadd() { local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >>'"${(q)1}"'; builtin compadd "$@"; }'
zpty -w child "complete-and-leave() { zle complete-word; exit; }; zle -N complete-and-leave; bindkey '^I' complete-and-leave"
zpty -n -w child "$2"$'\t'
zpty -r child out '*never*'
END
zsh_offers() {
	rm -f "$work/offered"
	timeout "$hangs" zsh -f "$work/ask.zsh" "$work/offered" "$1" "$work/functions" > /dev/null 2>&1
	cat "$work/offered"
}

# offers SHELL LINE EXPECTED: all of it, in alphabetical order.
offers() {
	expect "after \"$2\" $1's offer" "$("$1_offers" "$2" | sed '/^$/d; s/=$//' | LC_ALL=C sort -u | paste -s -d ' ')" "$3"
}

# The same of every shell.
cases() {
	offers "$1" "splitpin co" "compare config"
	offers "$1" "splitpin help co" "compare config"
	offers "$1" "splitpin plan --fo" "--for --format"
	offers "$1" "splitpin plan --format " "json lists masks text xml"
	offers "$1" "splitpin plan --domain " "auto core l3 node numa package"
	offers "$1" "splitpin plan --debug " "0 1"
	offers "$1" "splitpin plan --dryrun " "0 1"
	offers "$1" "splitpin plan --report " "0 1 memory"
	offers "$1" "splitpin plan --smt 1 --neigh" "--neighbours"
	offers "$1" "splitpin run --bind clo" "close close:core close:thread"
	offers "$1" "splitpin plan --for openmpi" "openmpi openmpi4 openmpi5"
	offers "$1" "splitpin run --alone --res" "--reserve"
	offers "$1" "splitpin run --memory inter" "interleave interleave:all"
	offers "$1" "splitpin run --memory hbm:" "hbm:bind"
	PATH="$work/bin:$PATH" offers "$1" "splitpin run --smt 1 splitpin-" "splitpin-solver"
	PATH="$work/bin:$PATH" offers "$1" "splitpin run --report splitpin-" "splitpin-solver"
	offers "$1" "splitpin config --format " "json text"
	PATH="$work/bin:$PATH" offers "$1" "splitpin config --for splitpin-" "splitpin-solver"
	offers "$1" "splitpin show --format " "json table text"
	offers "$1" "splitpin show --color " "always auto never"
	offers "$1" "splitpin check --fo" "--format"
	PATH="$work/bin:$PATH" offers "$1" "splitpin check --format json splitpin-" "splitpin-solver"
	offers "$1" "splitpin compare --format " "json text"
	offers "$1" "splitpin compare --ro" "--rounds"
}

# The options and arguments of a command that is started are that command's.
started() {
	offers "$1" "splitpin run --report memory grep --max-c" "--max-count"
	offers "$1" "splitpin run --debug 1 grep --max-c" "--max-count"
	offers "$1" "splitpin check -- grep --max-c" "--max-count"
	offers "$1" "splitpin compare --rounds 3 grep --max-c" "--max-count"
}

# What the shells are told of: words, or what they complete themselves.
told_offers() {
	local words
	read -r -a words <<< "$1"
	[[ $1 != *' ' ]] || words+=("")
	splitpin complete "${words[@]:1}" | cut -f 1
}
verdict "splitpin complete" "$(
	offers told "splitpin " "check compare config help plan probe run show survey"
	offers told "splitpin help s" "settings show survey"
	offers told "splitpin show --format=js" "--format=json"
	offers told "splitpin show --format = js" "json"
	offers told "splitpin show --format =" "json table text"
	offers told "splitpin show --al" "--all"
	offers told "splitpin config " "--all --file --for --format --help"
	offers told "splitpin config --for x" "<program>"
	offers told "splitpin plan --topology x" "<file>"
	offers told "splitpin plan -n 4 : -n 2 --for sl" "slurm"
	offers told "splitpin plan -n 4 mpirun -n" "<command> 3"
	offers told "splitpin run --alone o" "off"
	offers told "splitpin run --alone off x" "<command> 3"
	offers told "splitpin run --debug x" "<command> 2"
	offers told "splitpin run --smt 1 --kinds perf" "performance"
	offers told "splitpin run --wait " ""
	offers told "splitpin run -- x --" "<command> 2"
	offers told "splitpin probe " "<command> 1"
	offers told "splitpin survey " "--help letter report run"
	offers told "splitpin survey run --f" "--folder --for"
	offers told "splitpin survey report --format js" "json"
	offers told "splitpin survey report --sacct x" "<file>"
	offers told "splitpin plan --report memory mpirun -n" "<command> 3"
	offers told "splitpin nothing " ""
)"

for shell in bash fish zsh; do
	if command -v "$shell" > /dev/null; then
		verdict "$shell completes subcommands, options, settings and their words" "$(cases "$shell")"
	else
		skip "$shell completes" "no $shell"
	fi
	# Those of bash are in a package of its own.
	[ "$shell" = bash ] || ! command -v "$shell" > /dev/null ||
		verdict "$shell completes the command that is started" "$(started "$shell")"
done

closing
