#!/bin/bash
# build-aux/layers.sh finds each breach in a small tree of its own, and none
# where there is none; so does build-aux/circles.sh with circles of calls.
#
#   tests/layers.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

layers=$PWD/build-aux/layers.sh
circles=$PWD/build-aux/circles.sh

# A tree that keeps the rule; prints its folder.
tree() {
	local top
	top=$(folder "$1")
	mkdir -p "$top"/{cmd/{plan,show},ompt,include} "$top"/lib/{shim,engine,hardware,board,settings,launcher,cut,slots,base}
	echo '#include "base/cpus.h"' > "$top/cmd/main.c"
	echo '#include "engine.h"' > "$top/lib/shim/mpi.c"
	touch "$top"/cmd/{cmd.h,plan/plan.h,show/show.h}
	echo '#include "cmd/cmd.h"' > "$top/cmd/plan/plan.c"
	touch "$top"/include/{engine,cpus}.h "$top"/lib/{base/cpus,cut/cut,slots/slots,board/board,settings/settings}.h
	echo "$top"
}

# breach NAME FILE TEXT FRAGMENT: with this file in the tree, one line holds the fragment.
breach() {
	local top said
	top=$(tree "$1")
	printf '%s\n' "$3" > "$top/$2"
	if said=$("$layers" "$top" 2>&1); then
		fail "$1" "nothing was found"
	else
		verdict "$1" "$(expect "what is said" "$(grep -c -F -- "$4" <<< "$said") of $(wc -l <<< "$said")" "1 of 1")"
	fi
}

said=$("$layers" "$(tree "no breach")" 2>&1)
verdict "no breach" "$(expect "exit status" $? 0)$said"
breach "up" lib/base/log.c '#include "board/board.h"' 'lib/base/log.c:1: lib/base includes "board/board.h" of lib/board'
breach "siblings" lib/cut/cut.c '#include "slots/slots.h"' 'lib/cut/cut.c:1: lib/cut includes'
breach "subcommands" cmd/show/text.c '#include "cmd/plan/plan.h"' 'cmd/show includes "cmd/plan/plan.h" of cmd/plan'
breach "shim to settings" lib/shim/mpi.c '#include "settings/settings.h"' 'lib/shim includes "settings/settings.h" of lib/settings'
breach "hardware to board" lib/hardware/memory.c '# include "board/board.h"' 'lib/hardware includes'
breach "shared header to a layer" include/engine.h '#include "cut/cut.h"' 'include/engine.h:1: include includes'
breach "without its folder" lib/cut/cut.c '#include "cut.h"' 'is not named by its folder'
breach "loose in lib" lib/log.c '' "lies in no layer's folder"
breach "too long" lib/base/log.c "$(seq 501)" 'more than 500 lines'

top=$(tree "headers in a circle")
echo '#include "base/log.h"' > "$top/lib/base/cpus.h"
echo '#include "base/cpus.h"' > "$top/lib/base/log.h"
said=$("$layers" "$top" 2>&1)
verdict "headers in a circle" "$(expect "exit status" $? 1; expect "what is said" "${said%%: *}" "headers that include each other")"

top=$(tree "too many sources")
touch "$top"/lib/cut/{a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u}.c
said=$("$layers" "$top" 2>&1)
verdict "too many sources" "$(expect "exit status" $? 1; expect "what is said" "$said" "lib/cut: 21 sources, more than 20")"

# calls NAME CODE_OF_A CODE_OF_B: what build-aux/circles.sh says of two sources.
calls() {
	local top
	top=$(folder "$1")
	mkdir -p "$top"/{src,build/src}
	echo "$2" > "$top/src/a.c"
	echo "$3" > "$top/src/b.c"
	(cd "$top" && gcc -w -c src/a.c -o build/src/a.o && gcc -w -c src/b.c -o build/src/b.o
		"$circles" build src 2>&1)
}

said=$(calls "calls that go down" 'int two(void); int one(void) { return two(); }' 'int two(void) { return 2; }')
verdict "calls that go down" "$(expect "exit status" $? 0)$said"
said=$(calls "calls in a circle" 'int two(void); int one(void) { return two(); } int three;' 'extern int three; int two(void) { return three; }')
verdict "calls in a circle" "$(expect "exit status" $? 1; expect "what is said" "$said" "need each other: src/a src/b")"
said=$(calls "an object is missing" 'int one(void) { return 1; }' '#error' 2> /dev/null)
verdict "an object is missing" "$(expect "exit status" $? 2)"

top=$(tree "too many shared headers")
touch "$top"/include/{a,b,c,d,e,f,g,h,i}.h
said=$("$layers" "$top" 2>&1)
verdict "too many shared headers" "$(expect "exit status" $? 1; expect "what is said" "${said%%,*}" "include: 11 headers")"
closing
