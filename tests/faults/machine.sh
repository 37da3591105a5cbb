#!/bin/bash
# A machine of eight cores and one NUMA node as /sys shows it, where there are
# fewer: in a mount namespace of its own.  Masks are faults.c's affair.
#
#   tests/faults/machine.sh FOLDER    an empty one, for the files
set -eu
to=$1 cpus=/sys/devices/system/cpu node=/sys/devices/system/node/node0

# both FOLDER NAME MASK LIST: a set of CPUs, as a mask and as a list.
both() {
	echo "$3" > "$1/$2"
	echo "$4" > "$1/${2}_list"
}

for list in online possible present; do echo 0-7 > "$to/$list"; done
echo > "$to/offline"
for cpu in 0 1 2 3 4 5 6 7; do
	topology=$to/cpu$cpu/topology cache=$to/cpu$cpu/cache own=$(printf %x $((1 << cpu)))
	mkdir -p "$topology"
	echo 0 > "$topology/physical_package_id"
	echo 0 > "$topology/die_id"
	echo $cpu > "$topology/core_id"
	for name in core_cpus thread_siblings; do both "$topology" $name "$own" $cpu; done
	for name in package_cpus die_cpus core_siblings; do both "$topology" $name ff 0-7; done
	[ $cpu = 0 ] || echo 1 > "$to/cpu$cpu/online"
	for level in 1 2 3; do
		index=$cache/index$level
		mkdir -p "$index"
		echo $level > "$index/level"
		echo Unified > "$index/type"
		echo $((level * level * 256))K > "$index/size"
		echo 64 > "$index/coherency_line_size"
		if [ $level = 3 ]; then
			echo ff > "$index/shared_cpu_map"
		else
			echo "$own" > "$index/shared_cpu_map"
		fi
	done
done
mount --bind "$to" $cpus
[ ! -e $node/cpumap ] || { echo ff > "$to/cpumap"; mount --bind "$to/cpumap" $node/cpumap; }
[ ! -e $node/cpulist ] || { echo 0-7 > "$to/cpulist"; mount --bind "$to/cpulist" $node/cpulist; }
