#!/bin/bash
# A rank with a cpuset of its own, as a container has: these are given as CPU
# lists, for the local ranks in order.
#
#   own-cpuset.sh LIST... -- COMMAND...
set -u
rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}
group=/sys/fs/cgroup/rank.$rank
list=("$@")
mkdir -p "$group"
echo "${list[rank]}" > "$group/cpuset.cpus"
echo $$ > "$group/cgroup.procs"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
