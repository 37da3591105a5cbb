#!/bin/bash
# mpi4py's own tests, with the wheel that deps-stacks.sh has installed and the
# system's MPICH: one process that no launcher started, and two ranks.  See
# tests/foreign.sh.
#
#   mpi4py.sh ways | prepare | run WAY RESULTS [NAME...]
#
# All files but those about processes that MPI_Comm_spawn starts, each in a run of
# its own; two ranks repeat a test that differs with its whole file.
set -u
deps=$(dirname "${FOREIGN_DEPS:-.}")
python=$deps/stacks/mpi4py-system/bin/python
tests=${FOREIGN_DEPS:-}/mpi4py/test
export MPI4PY_MPIABI=mpich LD_LIBRARY_PATH=$FOREIGN_WORK/lib

mpiexec() { command -v mpiexec.mpich || command -v mpiexec; }

# file WAY FILE [TEST]: results are added to those of the way.
file() {
	local way=$1 which=("-q" "-i" "^$2\$") words launch=()
	shift 2
	[ $# = 0 ] || which=(-q "$1")
	read -ra words <<< "$FOREIGN_PREFIX"
	[[ $way != launched && $way != ranks ]] || launch=("$(mpiexec)" -n 2)
	timeout -k 5 300 "${launch[@]}" "${words[@]}" SPLITPIN_LOG="$results.log.said" "$python" "$here/results.py" "$results.part%r" \
		"$tests/main.py" --no-builddir "${which[@]}"
}

run() {
	local way=$1 name path
	results=$2
	shift 2
	rm -f "$results".part* "$results.log.said"
	cd "$FOREIGN_WORK" || exit 1
	if [ $# -gt 0 ]; then
		for name; do
			name=${name%@*}
			if [[ $way == launched || $way == ranks ]]; then file "$way" "${name%%.*}.py"; else file "$way" "" "$name"; fi
		done
	else
		for path in "$tests"/test_*.py; do
			case ${path##*/} in
			test_spawn.py | test_dynproc.py) ;;
			*) file "$way" "${path##*/}" ;;
			esac
		done
	fi
	cat "$results".part* | sort -u > "$results"
	[ ! -e "$results.log.said" ] || sed 's/^/tests /' "$results.log.said" > "$results.said"
	rm -f "$results".part*
}

here=$(dirname "$(readlink -f "$0")")
case $1 in
ways) printf '%s\n' "guest without" "rank without" "half confined" "ranks launched" ;;
prepare)
	[ -d "$tests" ] || { echo "no sources of mpi4py"; exit 1; }
	"$(mpiexec)" --version 2>&1 | grep -q HYDRA || { echo "no MPICH"; exit 1; }
	# The wheel looks for MPICH by the name that is not Debian's.
	mkdir -p "$FOREIGN_WORK/lib"
	ln -sf "$(ldconfig -p | sed -n '/libmpich.so.12 /{s/.*=> //p;q}')" "$FOREIGN_WORK/lib/libmpi.so.12"
	"$python" -c 'from mpi4py import MPI' || { echo "mpi4py does not load"; exit 1; } ;;
run) shift; run "$@" ;;
esac
