#!/bin/bash
# A script between launcher and program that sets OMP_NUM_THREADS by rank: given
# are the numbers for ranks 0, 1, and so on; the last one is for the rest.
#
#   own-threads.sh N... -- COMMAND...
set -u
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
threads=()
while [ "$1" != -- ]; do
	threads+=("$1")
	shift
done
shift
OMP_NUM_THREADS=${threads[rank < ${#threads[@]} ? rank : -1]} exec "$@"
