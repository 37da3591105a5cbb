# shellcheck shell=bash disable=SC2034 # slurm_why is for the script that sources this
# A Slurm of our own: one or two nodes on this machine, loopback only, without
# systemd, with its own key, all files in one folder.  Sourced by stacks.sh.
#
#   slurm_start FOLDER NODES    0, or 1 with the reason in $slurm_why;
#                               exports SLURM_CONF
#   slurm_stop                  ends what slurm_start has started
#
# Two nodes, n1 and n2, are two slurmd, each with a host name and a /dev/shm of
# its own, by which programs tell nodes apart.  That takes root.
# The daemons die with this shell, however it ends.

slurm_daemons=() slurm_names=() slurm_why=

# Three ports that nobody uses now.
slurm_ports() {
	python3 - <<-'END'
	import socket
	sockets = [socket.socket() for _ in range(3)]
	for s in sockets:
	    s.bind(("127.0.0.1", 0))
	print(*(s.getsockname()[1] for s in sockets))
	END
}

# slurm_node NAME PORT [WORD]: its line of slurm.conf, with this machine's
# topology as slurmd sees it.
slurm_node() {
	local topology
	topology=$(SLURM_CONF='' slurmd -C | grep -o '\bCPUs=.* RealMemory=[0-9]*')
	echo "NodeName=$1 NodeAddr=127.0.0.1 Port=$2 $topology ${3:-} State=UNKNOWN"
}

slurm_configure() {
	local folder=$1 host=$2 me port
	shift 2
	me=$(id -un)
	read -ra port <<< "$(slurm_ports)"
	cat > "$folder/slurm.conf" <<-END
	ClusterName=test
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=${port[0]}
	SlurmUser=$me
	SlurmdUser=$me
	AuthType=auth/munge
	AuthInfo=socket=$folder/munge.sock
	StateSaveLocation=$folder/state
	SlurmdSpoolDir=$folder/spool-%n
	TmpFS=$folder/tmp-%n
	SlurmctldPidFile=$folder/slurmctld.pid
	SlurmdPidFile=$folder/slurmd-%n.pid
	SlurmctldLogFile=$folder/slurmctld.log
	SlurmdLogFile=$folder/slurmd-%n.log
	CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/affinity
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerParameters=batch_sched_delay=0,bf_interval=1
	ReturnToService=2
	PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
	END
	if [ "$1" = "$host" ]; then
		slurm_node "$host" "${port[1]}"
	else
		slurm_node n1 "${port[1]}" "NodeHostname=$host"
		slurm_node n2 "${port[2]}" "NodeHostname=$host"
	fi >> "$folder/slurm.conf"
	{ cat /etc/hosts; echo "127.0.0.1 n1 n2"; } > "$folder/hosts"
	echo 'CgroupPlugin=cgroup/v1' > "$folder/cgroup.conf"
	: > "$folder/plugstack.conf"
}

# slurm_daemon NAME COMMAND: in the foreground, so that it ends when we do.
slurm_daemon() {
	local name=$1
	shift
	"$@" > "$slurm_folder/$name.out" 2>&1 < /dev/null &
	slurm_daemons+=($!)
	slurm_names+=("$name")
}

# Whether one of the daemons has ended; slurm_why is then what it said last.
slurm_ended() {
	local i name
	for i in "${!slurm_daemons[@]}"; do
		kill -0 "${slurm_daemons[i]}" 2>/dev/null && continue
		name=${slurm_names[i]}
		slurm_why="$name: $(cat "$slurm_folder/$name.out" "$slurm_folder/$name.log" 2>/dev/null | grep -i 'error\|fatal' | tail -n 1)"
		return 0
	done
	return 1
}

# slurm_until COMMAND: wait until it succeeds, $slurm_patience seconds at most (120), while all daemons run.
slurm_until() {
	local end=$((SECONDS + ${slurm_patience:-120}))
	while [ $SECONDS -lt $end ] && ! slurm_ended; do
		timeout 30 "$@" > /dev/null 2>&1 && return
		sleep 0.1
	done
	return 1
}

slurm_start() {
	local count=$2 host name tool dies=(setpriv --pdeathsig KILL)
	slurm_folder=$1
	host=$(hostname -s)
	PATH=$PATH:/usr/sbin:/sbin
	for tool in munged munge slurmctld slurmd srun sinfo setpriv; do
		command -v $tool >/dev/null || {
			slurm_why="no $tool, run make deps"
			return 1
		}
	done
	# Daemons on loopback alone listen where the host's name leads, and are looked for at 127.0.0.1.
	if getent ahostsv4 "$host" | grep -q '^127\.' && ! getent ahostsv4 "$host" | grep -q '^127\.0\.0\.1 '; then
		slurm_why="/etc/hosts has $host at $(getent ahostsv4 "$host" | head -n 1 | cut -d ' ' -f 1), not at 127.0.0.1"
		return 1
	fi
	if [ "$count" = 1 ]; then
		set -- "$host"
	elif [ "$(id -u)" != 0 ] || ! unshare -u -m true 2>/dev/null; then
		slurm_why="two nodes on one machine take root and name spaces"
		return 1
	else
		set -- n1 n2
	fi
	rm -rf "$slurm_folder"
	mkdir -p "$slurm_folder/state"
	for name; do
		mkdir "$slurm_folder/spool-$name" "$slurm_folder/tmp-$name"
	done
	slurm_configure "$slurm_folder" "$host" "$@"
	export SLURM_CONF=$slurm_folder/slurm.conf

	(umask 077; head -c 1024 /dev/urandom > "$slurm_folder/munge.key")
	slurm_daemon munged "${dies[@]}" munged --foreground --force --key-file="$slurm_folder/munge.key" \
		--socket="$slurm_folder/munge.sock" --pid-file="$slurm_folder/munged.pid" \
		--log-file="$slurm_folder/munged.log" --seed-file="$slurm_folder/munged.seed"
	slurm_why="munged does not answer"
	slurm_until munge -n --socket="$slurm_folder/munge.sock" || return
	slurm_daemon slurmctld "${dies[@]}" slurmctld -D -c
	for name; do
		if [ "$count" = 1 ]; then
			slurm_daemon "slurmd-$name" "${dies[@]}" slurmd -D -c -N "$name"
		else
			# shellcheck disable=SC2016 # the inner shell expands
			slurm_daemon "slurmd-$name" unshare -u -m sh -c \
				'mount --bind "$0" /etc/hosts && mount -t tmpfs none /dev/shm && hostname "$1" && shift && exec "$@"' \
				"$slurm_folder/hosts" "$name" "${dies[@]}" slurmd -D -c -N "$name"
		fi
	done
	slurm_why="its nodes do not become idle"
	# shellcheck disable=SC2016
	slurm_until sh -c '[ "$(sinfo -h -N -t idle | wc -l)" = "$0" ]' "$count"
}

# In the reverse order, each given time to end in good order.
slurm_stop() {
	local i j
	for ((i = ${#slurm_daemons[@]} - 1; i >= 0; i--)); do
		kill "${slurm_daemons[i]}" 2>/dev/null
		for ((j = 0; j < 100; j++)); do
			kill -0 "${slurm_daemons[i]}" 2>/dev/null || break
			sleep 0.1
		done
		kill -KILL "${slurm_daemons[i]}" 2>/dev/null
		wait "${slurm_daemons[i]}" 2>/dev/null
	done
	slurm_daemons=() slurm_names=()
	unset SLURM_CONF
}
