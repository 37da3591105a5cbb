# shellcheck shell=bash disable=SC2154,SC2034 # work, build and slurm_*: tests/lib.sh and tests/stacks/slurm.sh
# Two nodes, a and b, on this machine: name spaces of their own for network, host
# name, mounts, processes and IPC, each with its own /dev/shm, /run and /tmp, and an
# sshd that lets root in by a key of the test.  Sourced by tests/nodes.sh.
#
#   nodes_start FOLDER        0, or 1 with the reason in $nodes_why.  In both nodes
#                             FOLDER/local is a folder of its own: FOLDER/n/NAME
#   on NODE COMMAND...        there, as root, with a clean environment; $hangs seconds at most
#   nodes_slurm               Slurm's daemons on both; 0, or 1 with $slurm_why.  On b runs
#                             a second slurmd, of node c, for jobs in the partition twins
#   nodes_stop                ends all of that
#
# b has a second name, b-ib.  All of it dies with this shell, however that ends.

nodes_pids=() nodes_why='' nodes_folder=''

nodes_missing() {
	local tool
	[ "$(id -u)" = 0 ] || { echo "it takes root"; return; }
	for tool in unshare nsenter ip sshd ssh ssh-keygen setpriv; do
		command -v $tool >/dev/null || { echo "no $tool: run make deps check-all"; return; }
	done
	unshare --net --uts --mount --pid --ipc --fork true 2>/dev/null || echo "no name spaces here"
}

nodes_ssh() {
	local f=$nodes_folder ssh
	ssh=$(command -v ssh)
	mkdir -p "$f/bin"
	[ -f "$f/key" ] || ssh-keygen -q -t ed25519 -N '' -f "$f/key"
	cp "$f/key.pub" "$f/keys"
	cat > "$f/sshd_config" <<-END
	HostKey $f/key
	AuthorizedKeysFile $f/keys
	PermitRootLogin yes
	PasswordAuthentication no
	UsePAM no
	StrictModes no
	MaxStartups 200
	PidFile none
	END
	printf '#!/bin/sh\nexec %s -i %s -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "$@"\n' "$ssh" "$f/key" > "$f/bin/ssh"
	chmod +x "$f/bin/ssh"
	chmod 600 "$f/key"
}

# The first process of a node: $0 the folder, $1 the name, $2 its number, $3 where "make deps" has its files.
# shellcheck disable=SC2016 # the node's shell expands
nodes_init='
	set -e
	hostname "$1"
	mount -t tmpfs shm /dev/shm
	mount -t tmpfs run /run
	mkdir /run/sshd
	case $PWD/$0/:$3/ in /tmp/* | *//tmp/* | *:/tmp/*) ;; *) mount -t tmpfs -o mode=1777 tmp /tmp ;; esac
	mount --bind "$0/hosts" /etc/hosts
	mount --bind "$0/n/$1" "$0/local"
	ip link set lo up
	until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
	ip addr add "10.77.9.$2/24" dev eth0
	ip link set eth0 up
	"$(command -v sshd)" -D -f "$0/sshd_config" -E "$0/sshd-$1.log" &
	: > "$0/ready-$1"
	wait'

# nodes_until COMMAND: wait until it succeeds, two minutes at most, while both nodes run.
nodes_until() {
	local end=$((SECONDS + 120)) pid
	while [ $SECONDS -lt $end ]; do
		"$@" > /dev/null 2>&1 && return
		for pid in "${nodes_pids[@]}"; do
			kill -0 "$pid" 2>/dev/null || return
		done
		sleep 0.05
	done
	return 1
}

nodes_start() {
	local name i=0 f
	PATH=$PATH:/usr/sbin:/sbin
	nodes_why=$(nodes_missing)
	[ -z "$nodes_why" ] || return
	nodes_folder=$1 f=$1
	rm -rf "$f/n" "$f"/ready-*
	mkdir -p "$f"/{n/a,n/b,local}
	printf '127.0.0.1 localhost\n10.77.9.1 a\n10.77.9.2 b b-ib\n' > "$f/hosts"
	nodes_ssh
	for name in a b; do
		i=$((i + 1))
		setpriv --pdeathsig KILL unshare --net --uts --mount --pid --ipc --fork --kill-child --mount-proc \
			bash -c "$nodes_init" "$f" $name $i "$(readlink -f "$build/deps")" > "$f/$name.log" 2>&1 < /dev/null &
		nodes_pids+=($!)
		nodes_until pgrep -P $! -x bash || { nodes_why="node $name does not start: $(tail -n 1 "$f/$name.log")"; return 1; }
		pgrep -P $! -x bash > "$f/pid-$name"
	done
	nsenter -t "$(cat "$f/pid-a")" -n ip link add eth0 type veth peer name eth0 netns "$(cat "$f/pid-b")" ||
		{ nodes_why="no network between name spaces"; return 1; }
	for name in a b; do
		nodes_until test -e "$f/ready-$name" || { nodes_why="node $name does not start: $(tail -n 1 "$f/$name.log")"; return 1; }
	done
	nodes_until on a ssh b true || { nodes_why="no ssh from a to b: $(tail -n 1 "$f/sshd-b.log")"; return 1; }
}

on() {
	local pid
	pid=$(cat "$nodes_folder/pid-$1")
	timeout -k 5 "$hangs" nsenter -t "$pid" -m -u -i -n -p --wd="$PWD" env -i HOME=/root USER=root TERM=dumb LC_ALL=C \
		PATH="$nodes_folder/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		OMPI_MCA_btl_vader_single_copy_mechanism=none ${SLURM_CONF:+SLURM_CONF="$SLURM_CONF"} "${@:2}" < /dev/null
}

# In a node until slurm_stop: nsenter --fork would leave it behind.
nodes_daemon() {
	local node=$1 name=$2 pid
	shift 2
	pid=$(cat "$nodes_folder/pid-$node")
	slurm_daemon "$name" setpriv --pdeathsig KILL nsenter -t "$pid" -m -u -i -n -p --wd="$PWD" \
		env -i PATH="$PATH" SLURM_CONF="$SLURM_CONF" setpriv --pdeathsig KILL "$@"
}

nodes_slurm() {
	local tool f=$work/slurm
	for tool in munged munge slurmctld slurmd srun sinfo; do
		command -v $tool >/dev/null || { slurm_why="no $tool: run make deps check-all"; return 1; }
	done
	rm -rf "$f"
	mkdir -p "$f"/{state,spool-a,spool-b,spool-c,tmp-a,tmp-b,tmp-c}
	slurm_folder=$f
	slurm_configure "$f" a n1 n2
	sed -i -e 's/^SlurmctldHost=.*/SlurmctldHost=a(10.77.9.1)/' -e '/^CommunicationParameters/d' -e 's/OverSubscribe=.*/OverSubscribe=NO/' \
		-e 's/^NodeName=n1 NodeAddr=[^ ]*\(.*\) NodeHostname=a/NodeName=a NodeAddr=10.77.9.1\1/' \
		-e 's/^NodeName=n2 NodeAddr=[^ ]*\(.*\) NodeHostname=a/NodeName=b NodeAddr=10.77.9.2\1/' -e 's/ Nodes=ALL/ Nodes=a,b/' "$f/slurm.conf"
	sed -n 's/^NodeName=b\(.*\) Port=[0-9]*/NodeName=c\1 Port=6999/p' "$f/slurm.conf" > "$f/twin"
	cat "$f/twin" - >> "$f/slurm.conf" <<< 'PartitionName=twins Nodes=b,c MaxTime=INFINITE State=UP'
	export SLURM_CONF=$f/slurm.conf
	(umask 077; head -c 1024 /dev/urandom > "$f/munge.key")
	nodes_daemon a munged munged --foreground --force --key-file="$f/munge.key" --socket="$f/munge.sock" \
		--pid-file="$f/munged.pid" --log-file="$f/munged.log" --seed-file="$f/munged.seed"
	slurm_why="munged does not answer"
	slurm_until munge -n --socket="$f/munge.sock" || return
	nodes_daemon a slurmctld slurmctld -D -c
	nodes_daemon a slurmd-a slurmd -D -c -N a
	nodes_daemon b slurmd-b slurmd -D -c -N b
	nodes_daemon b slurmd-c slurmd -D -c -N c
	slurm_why="its nodes do not become idle"
	nodes_until nodes_are_idle || { slurm_ended; return 1; }
}

nodes_are_idle() { [ "$(on a sinfo -h -N -t idle -o %N | sort -u | wc -l)" = 3 ]; }

nodes_stop() {
	local pid
	slurm_stop
	for pid in "${nodes_pids[@]}"; do
		kill -KILL "$pid"
		wait "$pid"
	done 2>/dev/null
	nodes_pids=()
}
