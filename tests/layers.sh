#!/bin/bash
# build-aux/layers.sh finds each breach in a small tree of its own, and none
# where there is none.
#
#   tests/layers.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

layers=$PWD/build-aux/layers.sh

# A tree that keeps the rule; prints its folder.
tree() {
	local top
	top=$(folder "$1")
	mkdir -p "$top"/{cmd/{plan,show},include} "$top"/lib/{shim,engine,hardware,board,settings,launcher,cut,slots,base}
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

top=$(tree "too many shared headers")
touch "$top"/include/{a,b,c,d,e,f,g,h,i}.h
said=$("$layers" "$top" 2>&1)
verdict "too many shared headers" "$(expect "exit status" $? 1; expect "what is said" "${said%%,*}" "include: 11 headers")"
closing
