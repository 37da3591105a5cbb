# shellcheck shell=bash disable=SC2154,SC2086,SC2001,SC2016 # variables of systems.sh, trees.sh and lib.sh; inner shells expand
# The long form: what every program of other systems does with the library, and
# whether ranks in containers are placed; sourced by systems.sh.

shared=$work/shared
rm -rf "$shared"
mkdir -p "$shared"
cp tests/systems/every-program.sh tests/systems/placed.c $sources/wide.c $sources/wide-mpi.c $sources/weak.c "$shared"
echo /opt/splitpin/libsplitpin.so > "$shared/preload"

# programs SUITE FILE OPTION... -- ARGUMENT...: outcomes of programs in the tree.
programs() {
	local suite=$1 file=$2
	shift 2
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	inside "$suite" --unshare-all "${options[@]}" -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		sh /mnt/every-program.sh "${@:2}" > "$file" 2> "$file.err"
}

# every SUITE SYSTEM: all programs, without the library and with it in every
# process.  Where they differ they run four times more each way: some print what
# depends on chance, and one way must not always be another than the other.
every() {
	local to differ program count said i chance=0 everywhere=(--ro-bind "$shared/preload" /etc/ld.so.preload)
	to=$(folder "programs of $1")
	programs "$1" "$to/plain" -- /usr/bin /usr/sbin
	programs "$1" "$to/with" "${everywhere[@]}" -- /usr/bin /usr/sbin
	count=$(wc -l < "$to/plain")
	differ=$(diff "$to/plain" "$to/with" | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | sort -u)
	for program in $differ; do
		for i in 1 2 3 4; do
			programs "$1" "$to/again.plain.$i" -- "$program"
			programs "$1" "$to/again.with.$i" "${everywhere[@]}" -- "$program"
		done
		if grep -qxFf <(cat "$to"/again.plain.[1-4]) <(cat "$to"/again.with.[1-4]); then
			differ=$(grep -vxF "$program" <<< "$differ")
			chance=$((chance + 1))
		fi
	done
	said="$count programs as without it"
	[ $chance = 0 ] || said="$said, $chance by chance"
	judge "$2" idle "$said" "every program of $2 prints and returns the same" "$(
		[ "$count" -gt 300 ] || echo "only $count programs ran"
		diff "$to/plain.err" "$to/with.err"
		[ -z "$differ" ] || echo "$differ" | sed 's/^/differs: /')"
}

# guest SUITE SYSTEM: the interposed functions.
guest() {
	local to
	to=$(folder "guest in $1")
	inside "$1" -- sh -c '/mnt/guest; echo status $?' > "$to/without" 2>&1
	inside "$1" --setenv LD_PRELOAD /opt/splitpin/libsplitpin.so -- sh -c '/mnt/guest; echo status $?' > "$to/with" 2>&1
	cell "$2" loads "$(loads inside "$1" --setenv LD_PRELOAD /opt/splitpin/libsplitpin.so -- /mnt/guest)"
	verdict "a program of $2 calls all functions" "$(diff "$to/without" "$to/with"
		expect "exit status" "$(tail -n 1 "$to/with")" "status 6")"
}

# single_threaded SUITE SYSTEM: glibc before 2.34, and libpthread is not loaded.
single_threaded() {
	local to
	to=$(folder "single-threaded in $1")
	inside "$1" -- sh -c '/mnt/weak; echo status $?' > "$to/without" 2>&1
	inside "$1" --setenv LD_PRELOAD /opt/splitpin/libsplitpin.so -- sh -c '/mnt/weak; echo status $?' > "$to/with" 2>&1
	verdict "a single-threaded program of $2 that refers weakly to functions of threads" "$(diff "$to/without" "$to/with"
		expect "what works" "$(grep -c ' works$' "$to/without")" 0
		expect "exit status" "$(tail -n 1 "$to/with")" "status 6")"
}

# job_in CONTAINER SUITE PROGRAM OPTION...: two ranks inside, MPICH's launcher outside; what they print.
job_in() {
	local container=$1 suite=$2 program=$3 launcher
	shift 3
	launcher=$(mpi_tool mpich mpirun) || return
	rm -f "$shared"/met.*
	(
		export SPLITPIN_REPORT=1 OMP_NUM_THREADS=1
		case $container in
		bubblewrap) export -f inside && export systems parts shared &&
			timeout 60 "$launcher" -n 2 bash -c 'inside "$@"' job "$suite" "$@" \
				--setenv LD_PRELOAD /opt/splitpin/libsplitpin.so -- "/mnt/$program" ;;
		charliecloud) USER=${USER:-root} timeout 60 "$launcher" -n 2 ch-run -b "$parts:/opt/splitpin" -b "$shared:/mnt" \
			--set-env=LD_PRELOAD=/opt/splitpin/libsplitpin.so "$@" "$systems/$suite" -- "/mnt/$program" ;;
		chroot) timeout 60 "$launcher" -n 2 unshare --mount "$@" sh -c '
			mount --bind "$2" "$1/opt/splitpin" && mount --bind "$3" "$1/mnt" && mount -t proc proc "$1/proc" &&
			mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
			mount --bind /etc/hosts "$1/etc/hosts" &&
			LD_PRELOAD= exec chroot "$1" env LD_PRELOAD=/opt/splitpin/libsplitpin.so "/mnt/$4"' \
			sh "$systems/$suite" "$parts" "$shared" "$program" ;;
		esac
	) 2>&1 < /dev/null
}

# placed FILE: the faults of a job of two ranks.
placed() {
	expect "masks" "$(sed -n 's/^rank [01] thread.*: //p' "$1" | sort | paste -s -d ' ')" "0 1"
	grep 'splitpin: warning' "$1"
}

# container TEST CONTAINER SUITE PROGRAM OPTION...: what it does is left in $to/out.
container() {
	local test=$1
	shift
	to=$(folder "$test")
	job_in "$@" > "$to/out"
	[ "$ncpus/$cpus" = 2/0-1 ] || { skip "$test" "not on CPUs 0 and 1"; return 1; }
}

# poorer SUITE SYSTEM: without hwloc one rank says so, and HWLOC=static needs none.
poorer() {
	local lacks=(--ro-bind /dev/null /usr/lib/x86_64-linux-gnu/libhwloc.so.15 --ro-bind /dev/null /usr/lib/x86_64-linux-gnu/libnuma.so.1)
	container "ranks in $2 without hwloc" bubblewrap "$1" placed-none --bind /dev/shm /dev/shm "${lacks[@]}" || return
	verdict "ranks in $2 without hwloc go on, and one of them says so" "$(
		expect "threads" "$(grep -c '^rank' "$to/out")" 2
		grep -q 'libhwloc.so.15' "$to/out" || echo "no warning names libhwloc.so.15")"
	if ! make -s B="$build/static" HWLOC=static "$build"/static/libsplitpin{,-engine,-hardware}.so > "$work/static.log" 2>&1; then
		skip "HWLOC=static in $2" "it does not build: $(tail -n 1 "$work/static.log")"
		return
	fi
	local parts=$build/static
	container "ranks in $2, HWLOC=static" bubblewrap "$1" placed-none --bind /dev/shm /dev/shm "${lacks[@]}"
	verdict "ranks in $2 without hwloc are placed by libraries of HWLOC=static" "$(placed "$to/out")"
}

for tool in debootstrap bwrap; do
	[ -n "$(PATH=$PATH:/usr/sbin command -v $tool)" ] || tree_why="no $tool: apt-get install debootstrap bubblewrap"
done
[ "$(id -u)" = 0 ] || tree_why="it takes root"

if [ -n "$tree_why" ] || ! system_tree bullseye; then
	skip "trees of other systems" "$tree_why"
elif ! inside bullseye -- sh -c 'cd /mnt && exec > log 2>&1 && gcc -O1 -pthread -o guest wide.c && gcc -O1 -o weak weak.c &&
	mpicc.mpich -O1 -fopenmp -o placed placed.c && mpicc.openmpi -O1 -fopenmp -o placed-openmpi placed.c &&
	gcc -shared -fPIC -o libmpi-none.so wide-mpi.c &&
	gcc -O1 -fopenmp -DNO_MPI -o placed-none placed.c -L. -lmpi-none -Wl,-rpath,/mnt'; then
	fail "the programs compile in Debian 11" "$(tail -n 1 "$shared/log")"
else
	single_threaded bullseye "Debian 11"
	for row in "bullseye:Debian 11, glibc 2.31" "bookworm:Debian 12, glibc 2.36" "trixie:Debian 13, glibc 2.41" \
		"noble:Ubuntu 24.04, glibc 2.39"; do
		IFS=: read -r suite name <<< "$row"
		if ! system_tree "$suite"; then
			skip "$name" "$tree_why"
			continue
		fi
		guest "$suite" "$name"
		every "$suite" "$name"
		# Debian 11's MPICH 3.4 does not understand what a later mpirun tells it; its Open MPI needs a network.
		program=placed
		[ "$suite" != bullseye ] || program=placed-none
		container "ranks in $name, bubblewrap" bubblewrap "$suite" $program --bind /dev/shm /dev/shm &&
			judge "$name" placed "2 of 2 ranks" "ranks in $name are placed" "$(placed "$to/out"
				grep -q 'result: 2 of 2 ranks have their own CPUs' "$to/out" || echo "they do not see each other")"
		container "ranks in $name, /dev/shm of their own" bubblewrap "$suite" placed-none &&
			verdict "ranks in $name are placed, each with its own /dev/shm" "$(placed "$to/out")"
		container "ranks in $name, PIDs of their own" bubblewrap "$suite" $program --unshare-pid --bind /dev/shm /dev/shm &&
			verdict "ranks in $name are placed, each with its own PIDs" "$(placed "$to/out")"
		container "ranks in $name, both of their own" bubblewrap "$suite" placed-none --unshare-pid &&
			verdict "ranks in $name are placed, each with its own PIDs and /dev/shm" "$(placed "$to/out")"
		poorer "$suite" "$name"
		for kind in charliecloud:ch-run chroot:unshare; do
			options=()
			# MPICH's ranks reach each other's memory only in common name spaces.
			[ $kind != charliecloud:ch-run ] || options=(--join --join-ct 2 --join-tag "systems-$$-$suite")
			command -v "${kind#*:}" > /dev/null || { skip "ranks in $name, ${kind%:*}" "no ${kind#*:}"; continue; }
			container "ranks in $name, ${kind%:*}" "${kind%:*}" "$suite" $program "${options[@]}" &&
				verdict "ranks in $name are placed, ${kind%:*}" "$(placed "$to/out")"
		done
	done
fi
