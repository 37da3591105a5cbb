#!/bin/bash
# "make help" has a line for each goal that people make.
#
#   tests/help.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

# Parts of other goals; and goals that are one of several, which the line of all of them names.
parts='FORCE|built|check-man-messages'
several='check-(foreign-.*|openmpi5?|mpich5?|intel|prterun|mpi4py|slurm|slurm-nodes|ppc64le|s390x)'

goals=$(make -pnq 2> /dev/null | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | sort -u | grep -vxE "$parts|$several")
listed=$(make -s help | awk '{ print $1 }' | sort)
verdict "each goal has one line" "$(expect "make help" "$listed" "$goals")"
closing
