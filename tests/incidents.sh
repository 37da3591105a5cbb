#!/bin/bash
# What has broken libraries that sites preload (XALT, Darshan, libfaketime,
# jemalloc and others), and what a site's own care can do to a job: environments
# of package managers, odd settings, cleaned folders, users who are root in their
# containers.  Guests go on as without the preload, and ranks with one warning at
# most.  More of it is in guest.sh (allocators, auditors, closed descriptors),
# board.sh (files of others in /dev/shm) and faults.sh (system calls that fail).
#
#   tests/incidents.sh [BUILD [PRELOAD]]
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/compared.sh
. tests/compared.sh

[ -e "$preload" ] || { echo "incidents: no $preload: run make first" >&2; exit 1; }
for source in settle launch; do
	gcc -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -pthread "$sources/$source.c" -o "$work/$source" || exit 1
done
settle=$work/settle
alone=$(program none gcc alone.c) || exit 1
by_user=(env SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1)
boards() { find /dev/shm -name 'splitpin-*' | sort; }

# in_rank TEST COMMAND: as the only rank of a node it does what it does without the preload.
in_rank() { same "$1, in a rank" "${by_user[@]}" "${@:2}"; }

# complains TEST PATTERN COMMAND: a rank that goes on as without the preload, after one warning.
complains() {
	local test=$1 pattern=$2 to
	to=$(folder "$test")
	mkdir "$to/without" "$to/with"
	run "$to/without" "${by_user[@]}" "${@:3}"
	run "$to/with" "${by_user[@]}" LD_PRELOAD="$preload" "${@:3}"
	verdict "$test" "$(
		warned_once "$to/with" "$pattern"
		sed -i '/^splitpin: warning: /d' "$to/with/err"
		difference "$to/without" "$to/with"
	)"
}

#
# Environments: conda, Spack and users put folders before the system's.
#

# Libraries of these names that are none, and one that lacks what is called.
mkdir -p "$work/conda" "$work/odd" "$work/empty"
for name in libhwloc.so.15 libnuma.so.1; do
	head -c 5000 /dev/urandom > "$work/conda/$name"
	echo 'int nothing;' | gcc -shared -fPIC -x c -Wl,-soname,$name -o "$work/odd/$name" -
done
for set in conda odd; do
	same "libraries of other builds in LD_LIBRARY_PATH, $set" env LD_LIBRARY_PATH="$work/$set" "$alone"
	complains "libraries of other builds in LD_LIBRARY_PATH, $set, in a rank" "libhwloc.so.15\|libsplitpin-hardware.so" \
		env LD_LIBRARY_PATH="$work/$set" "$alone"
done
# An empty element is the current folder.
for value in "" ":" "/nowhere:"; do
	for folder in empty conda; do
		same "LD_LIBRARY_PATH=\"$value\" beside $folder" env -C "$work/$folder" LD_LIBRARY_PATH="$value" "$alone"
	done
	in_rank "LD_LIBRARY_PATH=\"$value\"" env -C "$work/empty" LD_LIBRARY_PATH="$value" "$alone"
done
# What "conda activate" leaves: its own LD_PRELOAD is kept beside ours, its paths come first.
same "git in conda's environment" env CONDA_PREFIX="$work/conda" CONDA_DEFAULT_ENV=base PATH="$work/conda/bin:$PATH" \
	LD_LIBRARY_PATH="$work/conda" git --version

# A site preloads it (/etc/ld.so.preload), and a user another version or his own build: one of them acts.
mkdir -p "$work/other"
cp "$(dirname "$preload")"/libsplitpin*.so "$work/other"
for family in gcc clang; do
	command=$(program none $family alone.c) || continue
	for who in "" "PMIX_RANK=0" "SPLITPIN_LOCAL_RANK=x" "SPLITPIN_LOCAL_RANK=0 SPLITPIN_LOCAL_SIZE=1"; do
		test="two copies, $family${who:+, $who}"
		to=$(folder "$test")
		mkdir "$to/one" "$to/two"
		# shellcheck disable=SC2086 # two variables
		run "$to/one" env $who SPLITPIN_DEBUG=1 LD_PRELOAD="$preload" "$command"
		# shellcheck disable=SC2086
		run "$to/two" env $who SPLITPIN_DEBUG=1 LD_PRELOAD="$work/other/libsplitpin.so:$preload" "$command"
		[ -s "$to/one/err" ] || fail "$test says something" "no line without the second"
		for i in one two; do
			sed -i -E 's/ (pid|tid)=[0-9]+//' "$to/$i/err"
			sort -o "$to/$i/err" "$to/$i/err"
		done
		verdict "$test" "$(difference "$to/one" "$to/two")"
	done
done

#
# Settings: empty, quoted as in a file of variables, as long as a string may be.
#

long=$(head -c 131000 /dev/zero | tr '\0' 7)
for name in SPLITPIN SPLITPIN_SMT SPLITPIN_RESERVE SPLITPIN_DOMAIN SPLITPIN_WAIT SPLITPIN_DEBUG; do
	for value in "" '"1"' "'1'" "$long"; do
		test="$name=${value:0:5}"
		same "$test" env "$name=$value" "$alone"
		case $name/$value in
		SPLITPIN_WAIT/ | SPLITPIN_SMT/ | SPLITPIN_RESERVE/ | SPLITPIN_DOMAIN/ | SPLITPIN_DEBUG/ | SPLITPIN/)
			in_rank "$test" env "$name=" "$alone" ;;
		*) complains "$test, in a rank" "$name" env "$name=$value" "$alone" ;;
		esac
	done
done

#
# A terminal that stops what writes in the background (stty tostop), and a rank that writes nothing itself.
#

cat > "$work/background.py" <<'END'
import os, pty, signal, sys, termios

pid, terminal = pty.fork()
if pid == 0:
	modes = termios.tcgetattr(0)
	modes[1] &= ~termios.OPOST
	modes[3] |= termios.TOSTOP
	termios.tcsetattr(0, termios.TCSANOW, modes)
	rank = os.fork()
	if rank == 0:
		os.setpgid(0, 0)
		os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
		os.execvp(sys.argv[1], sys.argv[1:])
	_, status = os.waitpid(rank, os.WUNTRACED)
	if os.WIFSTOPPED(status):
		os.kill(rank, signal.SIGKILL)
		os._exit(99)
	os._exit(os.waitstatus_to_exitcode(status))
try:
	while text := os.read(terminal, 4096):
		os.write(2, text)
except OSError:
	pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
complains "in the background of a terminal, in a rank" SPLITPIN_SMT env SPLITPIN_SMT=lots python3 "$work/background.py" "$alone"

#
# Python: each way to start workers, from a rank whose first thread is pinned.
#

cat > "$work/workers.py" <<'END'
import ctypes, multiprocessing, os, sys

def mask(_):
	return sorted(os.sched_getaffinity(0))

if __name__ == "__main__":
	gomp = ctypes.CDLL("libgomp.so.1")
	gomp.omp_get_num_procs()
	mine = mask(0)
	with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
		print("as the rank" if pool.map(mask, range(4)) == [mine] * 4 else "not as the rank", len(mine))
END
for method in fork spawn forkserver; do
	same "multiprocessing by $method" python3 "$work/workers.py" $method
	in_rank "multiprocessing by $method" python3 "$work/workers.py" $method
done

# Workers that one parent starts, as docs/gpus.md tells users to number them: of each its CPUs.  By fork
# a number comes too late.
cat > "$work/numbered.py" <<'END'
import ctypes, multiprocessing, os, sys

def work():
	ctypes.CDLL("libgomp.so.1").omp_get_num_procs()
	os.write(1, (",".join(map(str, sorted(os.sched_getaffinity(0)))) + "\n").encode())

if __name__ == "__main__":
	context = multiprocessing.get_context(sys.argv[1])
	workers = []
	for number in range(2):
		os.environ["SPLITPIN_LOCAL_RANK"] = str(number)
		os.environ["SPLITPIN_LOCAL_SIZE"] = "2"
		workers.append(context.Process(target=work))
		workers[-1].start()
	for worker in workers:
		worker.join()
	sys.exit(max(worker.exitcode for worker in workers))
END
same "numbered workers by fork" python3 "$work/numbered.py" fork
test="numbered workers by spawn"
if [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	skip "$test" "${confined:-there is one CPU}"
else
	to=$(folder "$test")
	run "$to" env LD_PRELOAD="$preload" python3 "$work/numbered.py" spawn
	verdict "$test" "$(
		expect status "$(cat "$to/status")" 0
		expect "standard error" "$(cat "$to/err")" ""
		expect "workers" "$(grep -c . "$to/out")" 2
		expect "CPUs that both have" "$(tr , '\n' < "$to/out" | sort | uniq -d)" ""
	)"
fi

#
# /dev/shm, and users.
#

# job FOLDER [LAUNCH'S OPTIONS] N COMMAND
job() { run "$1" "$work/launch" -p "$preload" "${@:2}"; sed -i '/^launch: /d' "$1/err"; }
# Of each rank of a file, "0 0-3": the CPUs that it had, each time.
shares() { sed -n 's/^rank \(.*\) cpus /\1 /p' "$1/out" | sort -u; }
held() { there "$1.0" "$1.1"; }

# systemd removes what a user has there when his last session ends (RemoveIPC of logind.conf).
test="somebody cleans /dev/shm while a job runs"
if [ "$shm" != own ] || [ "$ncpus" -lt 2 ] || [ -n "$confined" ]; then
	skip "$test" "${confined:-one CPU, or no /dev/shm of its own}"
else
	to=$(folder "$test")
	# Workers that Python has ended may have left theirs.
	known=$(boards)
	job "$to" 2 sh -c "$settle hold $to/held; $settle" &
	held "$to/held"
	seen=$(boards | grep -cvxF "$known")
	rm -f /dev/shm/splitpin-*
	rm -f "$to"/held.*
	wait $!
	verdict "$test" "$(
		expect "boards before" "$seen" 1
		expect "exit status" "$(cat "$to/status")" 0
		expect "standard error" "$(cat "$to/err")" ""
		expect "ranks and shares, before and after" "$(shares "$to" | wc -l)" 2
		expect "different shares" "$(shares "$to" | cut -d ' ' -f 2 | sort -u | wc -l)" 2
		expect "what is left in /dev/shm" "$(boards)" ""
	)"
fi

# Each is uid 0 in a container of his own, and both see the same /dev/shm.
test="two users who are root in their containers"
if [ "$(id -u)" != 0 ] || [ "$shm" != own ] || [ "$ncpus" -lt 2 ] || ! setpriv --reuid=4711 --clear-groups unshare -r true 2>/dev/null; then
	skip "$test" "only root can try that, where users may make name spaces"
else
	to=$(folder "$test")
	# Processes are killed by this name: another run of this script has its own.
	mkdir -p "$to/first" "$to/second" "$to/after" /dev/shm/programs-$$
	chmod 1777 /dev/shm
	cp "$(dirname "$preload")"/libsplitpin*.so "$settle" "$work/launch" /dev/shm/programs-$$
	user() {
		local to=$1 uid=$2
		run "$to" setpriv --reuid="$uid" --regid="$uid" --clear-groups unshare -r \
			/dev/shm/programs-$$/launch -p /dev/shm/programs-$$/libsplitpin.so "${@:3}"
		sed -i '/^launch: /d' "$to/err"
	}
	mkdir -m 1777 /dev/shm/held
	user "$to/first" 4711 2 /dev/shm/programs-$$/settle hold /dev/shm/held/first &
	held /dev/shm/held/first
	user "$to/second" 4712 2 /dev/shm/programs-$$/settle
	rm -f /dev/shm/held/first.*
	wait $!
	verdict "$test" "$(
		for who in first second; do
			expect "exit status of the $who" "$(cat "$to/$who/status")" 0
			expect "standard error of the $who" "$(cat "$to/$who/err")" ""
			expect "different shares of the $who" "$(shares "$to/$who" | cut -d ' ' -f 2 | sort -u | wc -l)" 2
		done
		expect "what is left in /dev/shm" "$(boards)" ""
	)"

	# One who is killed leaves what the other may not remove.
	test="what another user who is root in his container leaves"
	user "$to/first" 4711 2 /dev/shm/programs-$$/settle hold /dev/shm/held/dead 2>/dev/null &
	held /dev/shm/held/dead
	pkill -KILL -u 4711 -f /dev/shm/programs-$$/
	wait $!
	left=$(boards)
	user "$to/after" 4712 2 /dev/shm/programs-$$/settle
	verdict "$test" "$(
		expect "boards of the dead" "$(wc -w <<< "$left")" 1
		expect "exit status" "$(cat "$to/after/status")" 0
		expect "standard error" "$(cat "$to/after/err")" ""
		expect "different shares" "$(shares "$to/after" | cut -d ' ' -f 2 | sort -u | wc -l)" 2
		expect "what is left in /dev/shm" "$(boards)" "$left"
	)"
	rm -rf /dev/shm/splitpin-* /dev/shm/programs-$$ /dev/shm/held
fi

# A program with capabilities of its file is as a setuid one: the loader takes no path from its environment.
test="a program with capabilities by its file"
cp "$settle" "$work/capable"
if [ "$(id -u)" != 0 ] || ! setcap cap_net_raw+ep "$work/capable" 2>/dev/null || [ "$shm" != own ] ||
	! setpriv --reuid=4711 --clear-groups true 2>/dev/null; then
	skip "$test" "only root can try that, with setcap"
else
	to=$(folder "$test")
	mkdir /dev/shm/programs
	cp -a "$work/capable" "$settle" /dev/shm/programs 2>/dev/null
	setcap cap_net_raw+ep /dev/shm/programs/capable 2>/dev/null
	cp "$(dirname "$preload")"/libsplitpin*.so /dev/shm/programs
	for program in settle capable; do
		mkdir "$to/$program"
		run "$to/$program" setpriv --reuid=4711 --regid=4711 --clear-groups "${by_user[@]}" SPLITPIN_DEBUG=1 \
			LD_PRELOAD=/dev/shm/programs/libsplitpin.so "/dev/shm/programs/$program"
	done
	if [ -z "$(getcap /dev/shm/programs/capable)" ]; then
		skip "$test" "no capabilities of files here"
	else
		verdict "$test" "$(
			grep -q 'splitpin: .* active=yes ' "$to/settle/err" || echo "without capabilities it is not loaded: $(cat "$to/settle/err")"
			expect "standard error" "$(cat "$to/capable/err")" ""
			expect "standard output" "$(cat "$to/capable/out")" "$("${by_user[@]}" "$settle")"
		)"
	fi
	rm -rf /dev/shm/programs
fi

# The launcher is root's, and /proc shows users their own processes alone.
test="a launcher that /proc hides (hidepid)"
to=$(folder "$test")
# shellcheck disable=SC2016 # for the shell of the name spaces
hidden='mount -t proc -o hidepid=2 proc /proc && setpriv --reuid=4711 --regid=4711 --clear-groups env MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2 \
	SPLITPIN_DEBUG=1 LD_PRELOAD="$0/libsplitpin.so" "$0/settle"; :'
if [ "$(id -u)" != 0 ] || [ "$shm" != own ] || ! setpriv --reuid=4711 --clear-groups true 2>/dev/null ||
	! unshare -m -p --fork mount -t proc -o hidepid=2 proc /proc 2>/dev/null; then
	skip "$test" "only root can try that, with name spaces and hidepid"
else
	mkdir /dev/shm/programs
	cp "$settle" "$(dirname "$preload")"/libsplitpin*.so /dev/shm/programs
	run "$to" unshare -m -p --fork sh -c "$hidden" /dev/shm/programs
	verdict "$test" "$(
		grep -q '/proc hides the launcher, which is another user.s (hidepid); ranks cannot see each other' "$to/err" || echo "says $(cat "$to/err")"
		expect warnings "$(grep warning "$to/err")" ""
	)"
	rm -rf /dev/shm/programs
fi
closing
