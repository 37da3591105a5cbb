#!/bin/bash
# Print docs/cut.md: shares of splitpin, hwloc-distrib and Open MPI's mpirun on
# the same recorded machines, from what these programs really print.
#
#   docs/compare-cuts.sh [BUILD] >docs/cut.md
#
# Needs hwloc-distrib, Open MPI 4 (mpirun that knows --do-not-launch) and
# python3.  mpirun computes its binding for the recorded machine and starts
# nothing.
set -eu

build=${1:-build}
machines=tests/data/topologies
mpirun=$(command -v mpirun.openmpi || command -v mpirun)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Each of these prints a line a rank: a mask, or Open MPI's picture of one.
splitpin() { "$build/splitpin" plan -n "$2" --topology "$machines/$1.xml" --format masks | tr , '\n'; }
distrib() { hwloc-distrib -i "$machines/$1.xml" --taskset "$2"; }
openmpi() {
	local machine=$machines/$1.xml ranks=$2
	shift 2
	HWLOC_XMLFILE=$machine HWLOC_THISSYSTEM=1 "$mpirun" --host localhost:4096 -n "$ranks" "$@" \
		--do-not-launch --display-devel-map true 2>&1 | sed -n 's/^.*Binding: /picture /p' || true
}
openmpi_default() { openmpi "$1" "$2"; }
openmpi_cores() { openmpi "$1" "$2" --map-by "slot:PE=$(($3 / $2))" --bind-to core; }

openmpi_threads() { openmpi "$1" "$2" --use-hwthread-cpus --map-by hwthread --bind-to hwthread; }

# figures MACHINE METHOD RANKS: a cell of the table.
figures() {
	"$2" "$1" "$3" "$(cores "$1")" | python3 docs/compare-cuts.py "$machines/$1.xml" "$3"
}
cores() { hwloc-calc -i "$machines/$1.xml" --number-of core machine:0; }

# row MACHINE RANKS METHOD...
row() {
	local machine=$1 ranks=$2
	shift 2
	printf '| %d ' "$ranks"
	for method; do
		printf '| %s ' "$(figures "$machine" "$method" "$ranks")"
	done
	echo '|'
}

table() {
	printf '\n## %s\n\n%s\n\n' "$2" "\`$1.xml\`"
	echo "| ranks | splitpin | hwloc-distrib | mpirun | mpirun --map-by slot:PE=cores/ranks |"
	echo "|---|---|---|---|---|"
	for ranks in 2 3 4 8 16; do
		row "$1" $ranks splitpin distrib openmpi_default openmpi_cores
	done
}

# crowd MACHINE TITLE RANKS...: more ranks than cores
crowd() {
	local machine=$1
	printf '\n### %s\n\n%s\n\n' "$2" "\`$1.xml\`"
	echo "| ranks | splitpin | hwloc-distrib | mpirun --use-hwthread-cpus --bind-to hwthread |"
	echo "|---|---|---|---|"
	shift 2
	for ranks; do
		row "$machine" "$ranks" splitpin distrib openmpi_threads
	done
}

cat <<END
# How splitpin divides machines, beside others

Written by \`docs/compare-cuts.sh\`, from what the programs print: splitpin $("$build/splitpin" --version | cut -d ' ' -f 2), $(hwloc-distrib --version),
$("$mpirun" --version | sed -n 's/.*(\(.*\)) \([0-9].*\)/Open MPI \2/p'). All look at the same recorded machines of \`tests/data/topologies\`.

Each cell: **cores of the smallest and of the largest share**; cores that no rank has; groups too many: over all ranks, the NUMA nodes and
L3 groups in which a rank lies beyond the fewest that could hold so many cores (0 is best). "overlap" is the number of ranks that have cores
of another rank; "not bound": every rank may use all cores.

The ranks announce no threads. splitpin gives them the same number of cores, since the slowest rank decides how fast a parallel program is. It
leaves a few cores unused, at most an eighth of a share, to keep ranks inside one NUMA node or L3 group.
END
table knl-snc4-flat "Knights Landing, SNC-4: NUMA nodes of 18, 18, 16 and 16 cores"
table xeon-ht-pascal "Two Xeons of 18 cores, 2 NUMA nodes"
table epyc-mi60-corona "Two EPYCs of 24 cores, 2 NUMA nodes, 16 L3 groups"

cat <<END

## More ranks than cores

Here each cell is: **ranks per core**; hardware threads of the smallest and of the largest share; ranks that lie on more than one core;
cores without a rank; and ranks that overlap.

splitpin uses every core, puts no rank on two, and gives all ranks the same number of hardware threads. mpirun without options binds none.
END
crowd knl-quad-cache "Knights Landing: 68 cores of 4 hardware threads" 100 136 272
crowd epyc-mi250x-tioga "EPYC of 64 cores of 2 hardware threads" 96 128
