#!/bin/bash
# Built for another processor: its unit tests, a program that is no rank, and two
# ranks of MPICH with OpenMP, in an emulator of processes (qemu-user).
#
#   tests/cross.sh CPU BUILD
#
# The build is in BUILD/CPU, the processor's libraries in BUILD/deps/cross/CPU,
# from "make deps check-CPU".  Suites of what the emulator cannot do are skipped,
# each with its reason; what single tests leave out: is_emulated() in tests/unit.
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh "${2:-build}"

cpu=$1 again="tests/cross.sh $1 $build"
root=$build/deps/cross/$cpu
work=$work/$cpu
mkdir -p "$work"
# shellcheck source=tests/systems/table.sh
. tests/systems/table.sh
triplet=$(basename "$(dirname "$(find "$root/usr/lib" -name libhwloc.so 2>/dev/null)")")
emulator=(qemu-"$cpu" -L "$root")
unset RENEW	# what check-systems renews is a table, not what the unit tests have recorded
declare -A unfit
unfit[asking]="it traces its ranks, and the emulator knows no ptrace"

[ -e "$root.ready" ] || give_up skip "$cpu" "no libraries: $(cat "$root.absent" 2>/dev/null || echo "run make deps check-$cpu")"
command -v "${emulator[0]}" > /dev/null || give_up skip "$cpu" "no ${emulator[0]}, run make deps check-$cpu"

export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig
if ! make -s B="$build/$cpu" CC="$triplet-gcc --sysroot=$root" AR="$triplet-ar" all "$build/$cpu/unit-tests" > "$work/make" 2>&1; then
	give_up fail "it is built" "$(grep -m 1 'error\|undefined' "$work/make")"
fi
verdict "it is built without a warning" "$(grep 'warning:' "$work/make")"

while read -r suite; do
	if [ -n "${unfit[$suite]-}" ]; then
		skip "$suite" "${unfit[$suite]}"
	else
		CK_TIMEOUT_MULTIPLIER=20 unit_suite "$suite" timeout "$hangs" "${emulator[@]}" "$build/$cpu/unit-tests"
	fi
done < <(unit_suites)

# What it starts are this machine's own programs, for which the library is of a wrong kind.
guest=("${emulator[@]}" -E LD_PRELOAD="$build/$cpu/libsplitpin.so" "$work/guest")
outcome() { timeout "$hangs" "$@" 2>&1 < /dev/null; echo "status $?"; }
if "$triplet-gcc" --sysroot="$root" -O1 -pthread -Wl,-rpath-link,"$root/lib/$triplet" -o "$work/guest" $sources/wide.c > "$work/guest.log" 2>&1; then
	outcome "${emulator[@]}" "$work/guest" > "$work/guest.without"
	outcome "${guest[@]}" > "$work/guest.with"
	cell "$cpu" loads "$(loads "${guest[@]}")"
	judge "$cpu" idle "all interposed functions as without it" "a program that is no rank does the same" \
		"$(same "$work/guest.without" "$work/guest.with")"
else
	fail "wide.c compiles" "$(head -n 1 "$work/guest.log")"
fi

hybrid() {
	"$triplet-gcc" --sysroot="$root" -O2 -fopenmp -I"$root/usr/include/$triplet/mpich" -I$sources \
		$sources/hybrid.c $sources/placement.c -o "$work/hybrid" -lmpich -Wl,-rpath-link,"$root/usr/lib/$triplet:$root/lib/$triplet"
}

# One thread of each rank, or two where there are 4 CPUs.  UCX by shared memory:
# over TCP it sets an option (TCP_KEEPINTVL) that the emulator does not know.
ranks() {
	local preload_it=("${@:2}")
	rm -rf "${work:?}/$1"
	mkdir "$work/$1"
	UCX_TLS=sm,self \
	OMP_NUM_THREADS=$threads PLACEMENT_DIR=$work/$1 launch mpich 2 "${emulator[@]}" "${preload_it[@]}" "$work/hybrid" \
		> "$work/$1/out" 2> "$work/$1/err"
	echo $? > "$work/$1/status"
}
threads=$((ncpus < 4 ? 1 : 2))
# What one rank may use, and its threads.
share() { sed -n 's/^start .*\bcpus=\([^ ]*\).*/\1/p' "$work/with/rank.$1" 2>/dev/null; }
threads_of() { sed -n 's/^thread region=0 .* cpus=\([^ ]*\)$/\1/p' "$work/with/rank.$1" 2>/dev/null; }
if ! mpi_tool mpich mpirun > /dev/null || ! hybrid > "$work/hybrid.log" 2>&1; then
	skip "two ranks of MPICH with OpenMP" "$(head -n 1 "$work/hybrid.log" 2>/dev/null || echo no MPICH)"
elif [ -n "$confined" ] || [ "$ncpus" -lt 2 ]; then
	skip "two ranks of MPICH with OpenMP" "${confined:-there is one CPU}"
else
	ranks without
	ranks with -E LD_PRELOAD="$build/$cpu/libsplitpin.so"
	judge "$cpu" placed "2 of 2 ranks, in an emulator" "two ranks of MPICH with OpenMP" "$(
		expect "status without it" "$(cat "$work/without/status")" 0
		expect status "$(cat "$work/with/status")" 0
		expect output "$(sort "$work/with/out")" "$(sort "$work/without/out")"
		expect "standard error" "$(cat "$work/with/err")" ""
		[ -n "$(share 0)" ] && [ "$(share 0)" != "$cpus" ] || echo "rank 0 may use \"$(share 0)\""
		[ "$(share 0)" != "$(share 1)" ] || echo "both ranks have the CPUs $(share 0)"
		expect "CPUs of the threads" "$( (threads_of 0; threads_of 1) | sort -u | wc -l)" $((2 * threads))
	)"
fi
closing
