# shellcheck shell=bash disable=SC2154,SC2086 # build, preload and work: tests/lib.sh
# Scenes on emulated machines: written one by one, played in one boot, judged.
# Sourced after tests/lib.sh; without the emulator the script ends here, with a
# skipped test that says what is missing.
#
#   begin SHAPE        the scenes that follow are for that machine
#   write_scene ...    one more
#   play               boot the machine, run its scenes, and judge

# shellcheck source=tests/stacks/libraries.sh
. tests/stacks/libraries.sh

# A job must find no trace of the one before, so nothing need be ignored; and a
# machine has a /tmp of its own.
unset SPLITPIN_NEIGHBOURS OMPI_MCA_orte_tmpdir_base

[ -e "$preload" ] || { echo "bignode: no $preload: run make first" >&2; exit 1; }
machine=tests/bignode/machine.sh
# A kernel that is installed, or the one that "make deps check-all" has unpacked.
if [ -d "$build/deps/kernel" ] && ! $machine --check > /dev/null 2>&1; then
	export BIGNODE_KERNEL=$build/deps/kernel
fi
if ! missing=$($machine --check 2>&1); then
	skip "emulated machines" "${missing#bignode: }"
	closing
	exit
fi
for mpi in mpich openmpi; do
	mpi_tool $mpi mpirun > /dev/null || { skip "emulated machines" "no $mpi"; closing; exit; }
done
watch=$build/tests/bin/watch
mkdir -p "$build/tests/bin"
gcc -O2 -Wall -Wextra $sources/watch.c -o "$watch" || exit 1

# begin SHAPE [FORM]: scenes that follow are for that machine; FORM: as which the script plays them alone.
begin() {
	shape=$1
	again="$0 ${2:-$shape} $build"
	rm -rf "${work:?}/$shape"
	mkdir -p "$work/$shape"
}

# launcher LIBRARY: the command that starts its ranks, as users type it.
launcher() {
	case $1 in
	openmpi5) echo "$ompi5/bin/mpirun" ;;
	intel) echo "$impi/bin/mpiexec.hydra" ;;
	*) mpi_tool "$1" mpirun ;;
	esac
}

# compiled LIBRARY RUNTIME SOURCE
compiled() {
	local family=clang
	[ "$2" != libgomp ] || family=gcc
	case $1 in
	openmpi | mpich) program "$1" $family "$3" ;;
	*) built "$1" "$2" "${3//./_}" $sources/"$3" ;;
	esac
}

# write_scene NAME RANKS PREPARATION EXPECTATION COMMAND...: one line for inside.sh
write_scene() {
	printf '%s\t%s\t%s\t%s\t' "${@:1:4}"
	printf '%q ' "${@:5}"
	echo
} >> "$work/$shape/scenes"

# Boot the machine, run its scenes, and judge.
play() {
	local log=$work/$shape/log begin=$SECONDS count
	count=$(wc -l < "$work/$shape/scenes")
	$machine --shape "$shape" --root --timeout $((900 + 60 * count)) --dir "$work" -- \
		bash tests/bignode/inside.sh "$work/$shape" "$watch" > "$log" 2>&1 ||
		fail "$shape" "the emulator ended with $?: $(tail -n 1 "$log"), see $log"
	relay "" < <(python3 tests/bignode/judge.py "$work/$shape" "$shape" "$again" || echo "not ok - judge.py ended with $?")
	echo "# $shape: $count scenes, $((SECONDS - begin)) seconds"
}
