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
# PREPARATION is -, cpuset=CPUS:NODES, offline=CPU,CPU,..., room=FIRST-LAST:MIB,
# which leaves so much free memory on each of these nodes, gpus=NODE,NODE,...:
# GPUs with these nodes as their memory, beside the nodes with CPUs from the last
# to the first, as PCI and NVIDIA's driver tell of them, or weights=NODE:WEIGHT,...,
# as the kernel interleaves by, where it does (weights).  What the machine is
# goes to FOLDER/machine, what a scene left to FOLDER/NAME/: out, err, status,
# rank.N and notes.N of each rank (tests/programs/watch.c, held.h), with room=
# also the free pages of each of its nodes (room), and whom the kernel has
# killed for want of memory (killed).
set -u
folder=$1 watch=$2
cpus=/sys/devices/system/cpu nodes=/sys/devices/system/node
groups=/sys/fs/cgroup weights=/sys/kernel/mm/mempolicy/weighted_interleave

{
	lscpu -p=CPU,CORE,SOCKET,NODE | sed -n 's/^\([0-9].*\)/cpu \1/p' | tr , ' '
	for node in "$nodes"/node[0-9]*; do
		echo "distance ${node##*node} $(cat "$node/distance")"
	done
} > "$folder/machine"

reserve=$(< /proc/sys/vm/min_free_kbytes)
mount -t cgroup2 none $groups && echo +cpuset > $groups/cgroup.subtree_control

# Huge pages that nobody uses take the memory of a node away, and cost no time.
# The reserve that the kernel keeps would be larger than the room.
leave_room() {
	local node list=${1%:*} mib=${1#*:} free
	echo 2048 > /proc/sys/vm/min_free_kbytes
	echo 3 > /proc/sys/vm/drop_caches
	echo 1 > /proc/sys/vm/compact_memory
	for ((node = ${list%-*}; node <= ${list#*-}; node++)); do
		free=$(free_pages $node)
		echo $(((free / 256 - mib) / 2)) > $nodes/node$node/hugepages/hugepages-2048kB/nr_hugepages
		echo "$node $(free_pages $node)"
	done
}

free_pages() { awk '$3 == "MemFree:" { printf "%d\n", $4 / 4 }' $nodes/node"$1"/meminfo; }

prepare() {
	local what=${1%%=*} value=${1#*=} cpu pair
	case $what in
	cpuset)
		mkdir -p $groups/part
		echo "${value%:*}" > $groups/part/cpuset.cpus
		echo "${value#*:}" > $groups/part/cpuset.mems
		echo "$BASHPID" > $groups/part/cgroup.procs ;;
	offline)
		for cpu in ${value//,/ }; do echo 0 > $cpus/cpu"$cpu"/online; done ;;
	gpus)
		claim_for_gpus "${value//,/ }" ;;
	weights)
		for pair in ${value//,/ }; do
			echo "${pair#*:}" > $weights/node"${pair%:*}" && echo "${pair/:/ }"
		done > "$folder/$name/weights" 2>/dev/null ;;
	room)
		dmesg --clear
		leave_room "$value" > "$folder/$name/room" ;;
	esac
}

# Folders like those of PCI and of the driver: neither /sys nor /proc can have new ones.
claim_for_gpus() {
	local node at gpu=0 driver pci cpus
	mount -t tmpfs none /proc/driver
	mount -t tmpfs none /sys/bus/pci/devices
	cpus=$(tr , '\n' < $nodes/has_cpu | sed 's/.*-//' | tail -n 1)
	for node in $1; do
		at=0000:0$((gpu + 1)):00.0 driver=/proc/driver/nvidia/gpus/$at pci=/sys/bus/pci/devices/$at
		mkdir -p "$driver" "$pci"
		printf 'Node:\t%d\nStatus:\tonline\n' "$node" > "$driver/numa_status"
		printf 'Model:\tinvented\nGPU UUID:\tGPU-%d\n' $gpu > "$driver/information"
		echo 0x030200 > "$pci/class"
		echo 0x10de > "$pci/vendor"
		echo $((cpus - gpu)) > "$pci/numa_node"
		cat "$nodes/node$((cpus - gpu))/cpulist" > "$pci/local_cpulist"
		gpu=$((gpu + 1))
	done
}

repair() {
	local cpu
	case $1 in
	offline=*)
		for cpu in $(tr , ' ' <<< "${1#*=}"); do echo 1 > $cpus/cpu"$cpu"/online; done ;;
	gpus=*)
		umount /proc/driver /sys/bus/pci/devices ;;
	weights=*)
		for cpu in "$weights"/node*; do echo 0 > "$cpu"; done 2>/dev/null ;;
	room=*)
		dmesg | grep -o 'oom-kill:.*' > "$folder/$name/killed"
		echo 0 | tee $nodes/node*/hugepages/hugepages-2048kB/nr_hugepages > /dev/null
		echo "$reserve" > /proc/sys/vm/min_free_kbytes ;;
	esac
}

while IFS=$'\t' read -r name ranks preparation _ command; do
	mkdir -p "$folder/$name"
	begin=$SECONDS
	(
		prepare "$preparation"
		export HELD_DIR=$folder/$name
		exec timeout -k 5 1200 bash -c "$command" > "$folder/$name/out" 2> "$folder/$name/err" < /dev/null
	) &
	job=$!
	"$watch" "$ranks" "$folder/$name" 1200 &
	looking=$!
	wait $job
	echo $? > "$folder/$name/status"
	# A job that has ended too early is not waited for.
	kill $looking 2>/dev/null
	wait $looking
	repair "$preparation"
	echo $((SECONDS - begin)) > "$folder/$name/seconds"
done < "$folder/scenes"
