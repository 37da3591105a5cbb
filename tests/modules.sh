#!/bin/bash
# The modulefiles, as "make install" fills them in, under Lmod and Environment
# Modules: what becomes of LD_PRELOAD and the paths, and that a rank is pinned.
#
#   tests/modules.sh [BUILD]
#
# Both are unpacked by "make deps check-all", since packages of the two exclude each other.
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

root=$work/root
library=$root/lib/libsplitpin.so
first=$work/first.so second=$work/second.so third=$work/third.so namesake=$work/namesake/libsplitpin.so
# Lmod takes out what a path has twice.
export PATH=/usr/local/bin:/usr/bin:/bin

lmod=$(find "$build/deps/modules/lmod" -path '*/libexec/lmod' -type f 2>/dev/null | head -n 1)
envmodules=$(find "$build/deps/modules/environment-modules" -name modulecmd.tcl -type f 2>/dev/null | head -n 1)

# module SYSTEM COMMAND...: change this shell's environment as its module command does.
module() {
	local system=$1 code
	shift
	case $system in
	lmod) code=$("$lmod" bash "$@" 2> "$work/err") ;;
	environment-modules) code=$(tclsh "$envmodules" bash "$@" 2> "$work/err") ;;
	esac
	eval "$code"
}

# one SYSTEM BEFORE AFTER: LD_PRELOAD is BEFORE; the module is loaded and unloaded, and leaves AFTER.
one() {
	local system=$1 path=$PATH
	export LD_PRELOAD=$2
	[ -n "$2" ] || unset LD_PRELOAD
	module "$system" load splitpin
	expect "after load LD_PRELOAD" "${LD_PRELOAD-}" "$library${3:+:$3}"
	grep 'cannot be preloaded\|rror' "$work/err"
	module "$system" load splitpin
	expect "after a second load LD_PRELOAD" "${LD_PRELOAD-}" "$library${3:+:$3}"
	expect "PATH" "$PATH" "$root/bin:$path"
	[[ $2 == "$namesake"* ]] || splitpin check 2>&1 | grep -qF "$library, version $version, by LD_PRELOAD (module splitpin/$version)" ||
		echo "splitpin check: $(splitpin check 2>&1 | head -n 2)"
	export LD_PRELOAD="$LD_PRELOAD $third"
	module "$system" unload splitpin
	expect "after unload LD_PRELOAD" "${LD_PRELOAD-}" "${3:+$3:}$third"
	expect "after unload PATH" "$PATH" "$path"
}

manuals() {
	local system=$1
	unset MANPATH
	module "$system" load splitpin
	expect "page" "$(man -w 7 splitpin 2>&1)" "$root/share/man/man7/splitpin.7"
	[ "$(man -w 1 man 2>&1)" = "$(env -u MANPATH man -w 1 man 2>&1)" ] || echo "the system's pages are hidden by MANPATH=$MANPATH"
	export MANPATH=/one:/two
	module "$system" unload splitpin
	module "$system" load splitpin
	expect "MANPATH" "$MANPATH" "$root/share/man:/one:/two"
	module "$system" unload splitpin
	expect "after unload MANPATH" "$MANPATH" "/one:/two"
}

# The words of a person who looks for it.
words() {
	local system=$1
	module "$system" help splitpin
	grep -q 'SPLITPIN_REPORT=1' "$work/err" || echo "help does not tell of SPLITPIN_REPORT"
	module "$system" whatis splitpin
	grep -q 'own cores for every MPI rank' "$work/err" || echo "whatis does not tell what it is"
	module "$system" -t avail
	grep -qx "splitpin/$version" "$work/err" || echo "avail does not show splitpin/$version"
	expect "number of modules" "$(grep -c '^splitpin/[0-9]' "$work/err")" 1
}

# Both of two ranks in a program of OpenMP, each of which writes where it runs.
ranks() {
	local system=$1 i command
	command=$(program none gcc alone.c) || { echo "alone.c does not compile"; return; }
	module "$system" load splitpin
	for i in 0 1; do
		rm -rf "$work/rank.$i"
		mkdir "$work/rank.$i"
		PLACEMENT_DIR=$work/rank.$i SPLITPIN_LOCAL_RANK=$i SPLITPIN_LOCAL_SIZE=2 \
			"$command" > "$work/rank.$i/out" 2> "$work/rank.$i/err"
		expect "standard error" "$(cat "$work/rank.$i/err")" ""
	done
	[ "$(share 0)" != "$(share 1)" ] || echo "both ranks have the CPUs $(share 0)"
	[ "$(share 0)" != "$cpus" ] || echo "rank 0 has all CPUs"
	expect "the library, to pkg-config," "$(pkg-config --variable=preload splitpin)" "$library"
}

share() { sed -n 's/^start .*\bcpus=\([^ ]*\).*/\1/p' "$work/rank.$1/rank.0"; }

# A folder of modules in which others are at home, as OpenHPC's: nothing is to be
# said of it ("module use"), and what is there stays when splitpin goes.
site() {
	local system=$1 pub=$work/ohpc/pub
	local where=$pub/utils/splitpin/$version
	export MODULEPATH=$pub/modulefiles
	rm -rf "$work/ohpc"
	mkdir -p "$pub/modulefiles/other"
	printf '#%%Module1.0\nsetenv OTHER 1\n' > "$pub/modulefiles/other/1.0"
	make -s B="$build" PREFIX="$where" MODULEDIR="$pub/modulefiles" install > "$work/install" 2>&1 || cat "$work/install"
	module "$system" -t avail
	expect "modules" "$(grep -o '^[a-z]*/[0-9.]\+$' "$work/err" | paste -s -d ' ')" "other/1.0 splitpin/$version"
	module "$system" load other splitpin
	expect "LD_PRELOAD" "${LD_PRELOAD-}" "$where/lib/libsplitpin.so"
	expect "the module beside it" "${OTHER-}" 1
	expect "version" "$(splitpin --version | head -n 1)" "splitpin $version"
	expect "page" "$(man -w 7 splitpin 2>&1)" "$where/share/man/man7/splitpin.7"
	expect "the library, to pkg-config," "$(pkg-config --variable=preload splitpin)" "$where/lib/libsplitpin.so"
	module "$system" unload splitpin
	expect "after unload LD_PRELOAD" "${LD_PRELOAD-}" ""
	make -s B="$build" PREFIX="$where" MODULEDIR="$pub/modulefiles" uninstall
	expect "what is left" "$(cd "$pub" && find . -type f)" "./modulefiles/other/1.0"
}

# The site's own default module with the lines of docs/sites.md.
default_module() {
	local folder=$work/default
	export MODULEPATH=$folder:$MODULEPATH LMOD_SYSTEM_DEFAULT_MODULES=StdEnv
	mkdir -p "$folder/other"
	echo 'setenv("OTHER", "1")' > "$folder/other/1.0.lua"
	(echo 'load("other")'; sed -n '/add_property("lmod", "sticky")/,/load("splitpin")/s/^    //p' docs/sites.md) > "$folder/StdEnv.lua"
	expect "lines of StdEnv.lua" "$(wc -l < "$folder/StdEnv.lua")" 3
	unset OTHER
	module lmod --initial_load restore
	expect "at login LD_PRELOAD" "${LD_PRELOAD-}" "$library"
	expect "at login the site's other module" "${OTHER-}" 1
	module lmod purge
	expect "after purge LD_PRELOAD" "${LD_PRELOAD-}" "$library"
	expect "after purge the site's other module" "${OTHER-}" 1
	module lmod unload splitpin
	expect "after unload LD_PRELOAD" "${LD_PRELOAD-}" ""
	expect "after unload the site's other module" "${OTHER-}" 1
}

# recipe FIRST LAST: what docs/sites.md has from one line to another, in the folder $work/opt.
recipe() {
	sed -n "\\|^    $1|,\\|^    $2|s/^    //p" docs/sites.md | sed "s|/opt/splitpin|$work/opt/splitpin|g; s|\\\$PWD|$work|; s| stage/| $work/stage/|; s|stub.so|$work/stub.so|g; s|make |make -s B='$build' |"
}

# A path that stays, through a switch to the next version, and what is left for jobs with an old path.
path_that_stays() {
	local current=$work/opt/splitpin/current
	rm -rf "$work/opt" "$work/stage"
	recipe "mkdir -p /opt/splitpin" "ln -s" > "$work/install.sh"
	bash -e "$work/install.sh" || echo "the recipe ends with an error"
	expect "current" "$(readlink "$current")" 1.0.0
	expect "the modulefile's library" "$(grep -o "$work/opt.*/libsplitpin.so" "$current"/share/splitpin/modulefiles/splitpin/*.lua | sort -u)" "$current/lib/libsplitpin.so"
	expect "splitpin" "$("$current/bin/splitpin" --version | head -n 1)" "splitpin $version"
	expect "a rank" "$(LD_PRELOAD=$current/lib/libsplitpin.so SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 SPLITPIN_DRYRUN="core:2 pu:1" SPLITPIN_DEBUG=1 "$(program none gcc alone.c)" 2>&1 | grep -c ' active=no cpu_list=0-1 ')" 1
	sed 's/1\.0\.0/1.0.1/' "$work/install.sh" > "$work/next.sh"
	bash -e "$work/next.sh" || echo "the recipe for the next version ends with an error"
	expect "current, switched" "$(readlink "$current")" 1.0.1
	recipe "echo . gcc" "mv stub" > "$work/stub.sh"
	bash -e "$work/stub.sh" || echo "the recipe of the stub ends with an error"
	rm -r "$work/opt/splitpin/1.0.0/lib/splitpin"
	expect "a program of a job with the old path" "$(LD_PRELOAD=$work/opt/splitpin/1.0.0/lib/libsplitpin.so SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1 sh -c 'echo runs' 2>&1)" runs
}

# A library that exists but does nothing, so that loading it is no error.
: > "$work/empty.c"
mkdir -p "${namesake%/*}"
for name in "$first" "$second" "$third" "$namesake"; do
	gcc -shared -fPIC -o "$name" "$work/empty.c"
done

rm -rf "$root"
make -s B="$build" PREFIX="$root" install > "$work/install" 2>&1 || { cat "$work/install"; exit 1; }
version=$(basename "$root"/share/splitpin/modulefiles/splitpin/*.lua .lua)
export MODULEPATH=$root/share/splitpin/modulefiles MODULES_COLOR=never LMOD_PAGER=none MODULES_PAGER=''
export -n MODULERCFILE

for system in lmod environment-modules; do
	case $system in
	lmod) [ -n "$lmod" ] && "$lmod" bash --version > /dev/null 2>&1 ;;
	environment-modules) [ -n "$envmodules" ] && tclsh "$envmodules" bash --version > /dev/null 2>&1 ;;
	esac || {
		skip "$system" "it is not there, run make deps check-all"
		continue
	}
	verdict "$system: nothing preloaded before" "$(one $system "" "")"
	verdict "$system: one other" "$(one $system "$first" "$first")"
	verdict "$system: others, blank between" "$(one $system "$first $second" "$first:$second")"
	verdict "$system: others, colon between" "$(one $system "$first:$second" "$first:$second")"
	verdict "$system: others, both between" "$(one $system " $first: $second" "$first:$second")"
	verdict "$system: it is there already" "$(one $system "$first $library:$second" "$first:$second")"
	verdict "$system: it is there alone" "$(one $system "$library" "")"
	verdict "$system: another of its name stays" "$(one $system "$namesake" "$namesake")"
	verdict "$system: manuals" "$(manuals $system)"
	verdict "$system: help, whatis, avail" "$(words $system)"
	verdict "$system: in a site's folder of modules" "$(site $system)"
	[ $system != lmod ] || verdict "lmod: the site's default module" "$(default_module)"
	if [ "$ncpus" -ge 2 ] && [ -z "$confined" ]; then
		verdict "$system: two ranks" "$(ranks $system)"
	else
		skip "$system: two ranks" "${confined:-there is one CPU}"
	fi
done

# Where every system looks the modulefile leaves the paths alone.
make -s B="$build" PREFIX=/usr/local DESTDIR="$work/local" install > "$work/install" 2>&1
verdict "no paths in a modulefile for /usr/local" "$(
	grep -rn '\(MAN\|CONFIG_\)PATH\|"PATH\| PATH' "$work/local/usr/local/share/splitpin/modulefiles"
	grep -rLE 'prepend.path.*LD_PRELOAD' "$work/local/usr/local/share/splitpin/modulefiles"
)"
verdict "a path that stays" "$(path_that_stays)"

closing
