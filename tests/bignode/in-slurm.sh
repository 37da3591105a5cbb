#!/bin/bash
# Run a command under a Slurm of our own, of this one node; in an emulated
# machine, whose network is changed.
#
#   in-slurm.sh COMMAND...
set -u
# shellcheck source=tests/stacks/slurm.sh
. tests/stacks/slurm.sh
trap 'slurm_stop; busybox ip address del 10.0.0.1/32 dev lo 2>/dev/null' EXIT
slurm_patience=90
# Names are resolved only where there is an address beside that of "lo", and Open MPI 4 takes no interface that has two.
busybox ip address add 10.0.0.1/32 dev lo 2>/dev/null
# Its sockets take a file system of this machine's own.
slurm_start "$(mktemp -d)" 1 || { echo "no Slurm: $slurm_why"; exit 77; }
"$@"
