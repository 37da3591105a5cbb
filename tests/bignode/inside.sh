#!/bin/bash
# Runs inside of the emulated machine, as its root: one scene after the other,
# each looked at from outside while its ranks are held.
#
#   inside.sh FOLDER WATCH
#
# FOLDER/scenes has one line a scene, of fields that a tab parts:
#
#   NAME RANKS PREPARATION EXPECTATION COMMAND
#
# PREPARATION is -, cpuset=CPUS:NODES or offline=CPU,CPU,...  What the machine
# is goes to FOLDER/machine, what a scene left to FOLDER/NAME/: out, err,
# status, and rank.N and notes.N of each rank (tests/programs/watch.c, held.h).
set -u
folder=$1 watch=$2
cpus=/sys/devices/system/cpu
groups=/sys/fs/cgroup

{
	lscpu -p=CPU,CORE,SOCKET,NODE | sed -n 's/^\([0-9].*\)/cpu \1/p' | tr , ' '
	for node in /sys/devices/system/node/node[0-9]*; do
		echo "distance ${node##*node} $(cat "$node/distance")"
	done
} > "$folder/machine"

mount -t cgroup2 none $groups && echo +cpuset > $groups/cgroup.subtree_control

prepare() {
	local what=${1%%=*} value=${1#*=} cpu
	case $what in
	cpuset)
		mkdir -p $groups/part
		echo "${value%:*}" > $groups/part/cpuset.cpus
		echo "${value#*:}" > $groups/part/cpuset.mems
		echo "$BASHPID" > $groups/part/cgroup.procs ;;
	offline)
		for cpu in ${value//,/ }; do echo 0 > $cpus/cpu"$cpu"/online; done ;;
	esac
}

repair() {
	local cpu
	case $1 in
	offline=*)
		for cpu in $(tr , ' ' <<< "${1#*=}"); do echo 1 > $cpus/cpu"$cpu"/online; done ;;
	esac
}

while IFS=$'\t' read -r name ranks preparation _ command; do
	mkdir -p "$folder/$name"
	begin=$SECONDS
	(
		prepare "$preparation"
		export HELD_DIR=$folder/$name
		exec timeout -k 5 100 bash -c "$command" > "$folder/$name/out" 2> "$folder/$name/err" < /dev/null
	) &
	job=$!
	"$watch" "$ranks" "$folder/$name" 100 &
	looking=$!
	wait $job
	echo $? > "$folder/$name/status"
	# A job that has ended too early is not waited for.
	kill $looking 2>/dev/null
	wait $looking
	repair "$preparation"
	echo $((SECONDS - begin)) > "$folder/$name/seconds"
done < "$folder/scenes"
