#!/bin/bash
# MPICH's own tests, by its runtests and the rules of that, with the MPICH that
# is installed.  See tests/foreign.sh.
#
#   mpich.sh ways | prepare | run WAY RESULTS [NAME...]
#
# In these folders each test that their lists name: C, and no more ranks than
# $most and CPUs: more would be a warning, and runtests takes every line that it
# does not know for a failure.  The others are about Fortran, C++, MPI_Comm_spawn, files or faults, or
# take minutes each.
set -u
most=$(($(nproc) < 4 ? $(nproc) : 4))
folders=(attr comm datatype errhan group info init mpi_t part pt2pt threads/init threads/comm threads/pt2pt threads/mpi_t topo coll rma)
sources=${FOREIGN_DEPS:-}/mpich/test/mpi

# Their time limit, which a busy machine exceeds.
limits() {
	export MPITEST_TIMEOUT_MULTIPLIER=2
	unset "${!OMPI_@}" "${!PRTE_@}"
}

prepare() {
	local configured=$FOREIGN_WORK/configured
	[ -x "$sources/configure" ] || { echo "no sources of MPICH"; exit 1; }
	mpi=$(command -v mpiexec.mpich || command -v mpiexec)
	mpicc=$(command -v mpicc.mpich || command -v mpicc)
	"$mpi" --version 2>&1 | grep -q HYDRA || { echo "no MPICH"; exit 1; }
	if [ ! -e "$configured" ]; then
		rm -rf "$FOREIGN_WORK/build"
		mkdir -p "$FOREIGN_WORK/build"
		if ! (cd "$FOREIGN_WORK/build" && "$sources/configure" CC="$mpicc" MPICC="$mpicc" --with-mpi=/usr --disable-fortran --disable-cxx) >&2 ||
			! make -s -j "$FOREIGN_JOBS" -C "$FOREIGN_WORK/build/util" >&2 ||
			! make -s -j "$FOREIGN_JOBS" -C "$FOREIGN_WORK/build/dtpools" >&2; then
			echo "MPICH's tests cannot be configured"
			exit 1
		fi
		echo "$mpi" > "$configured"
	fi
	lists
	for folder in "${folders[@]}"; do
		# shellcheck disable=SC2046 # names
		make -s -k -j "$FOREIGN_JOBS" -C "$FOREIGN_WORK/build/$folder" $(cut -d ' ' -f 1 "$(list_of "$folder")" | sort -u) >&2
	done
	return 0
}

list_of() { echo "$FOREIGN_WORK/${1//\//-}.list"; }

# Of a folder's list the lines with few ranks; those that are meant to fail, are for the strict alone or may
# take longer than usual (timeLimit) are left out.
lists() {
	local folder from
	for folder in "${folders[@]}"; do
		from=$FOREIGN_WORK/build/$folder/testlist
		[ -e "$from" ] || from=$sources/$folder/testlist
		awk -v most=$most '/^[a-zA-Z0-9_]/ && $2 ~ /^[0-9]+$/ && $2 <= most && !/xfail|strict=|mpix|timeLimit=/ && !seen[$0]++' "$from" > "$(list_of "$folder")"
	done
}

# run WAY RESULTS: a folder's tests; the names are FOLDER/LINE of the list.
run() {
	local way=$1 results=$2 name folder only tap
	shift 2
	: > "$results.tmp"
	for folder in "${folders[@]}"; do
		only=$FOREIGN_WORK/build/$folder/foreign.list
		nl -b a -w 1 -s ' ' "$(list_of "$folder")" > "$FOREIGN_WORK/numbered"
		if [ $# -gt 0 ]; then
			: > "$only.numbered"
			for name; do
				[ "${name%/*}" != "$folder" ] || grep -m 1 "^${name##*:} " "$FOREIGN_WORK/numbered" >> "$only.numbered"
			done
		else
			cp "$FOREIGN_WORK/numbered" "$only.numbered"
		fi
		[ -s "$only.numbered" ] || continue
		cut -d ' ' -f 2- "$only.numbered" > "$only"
		tap=$FOREIGN_WORK/$way.tap
		(cd "$FOREIGN_WORK/build/$folder" && MPITEST_PROGRAM_WRAPPER="$FOREIGN_PREFIX SPLITPIN_LOG=$results.said.log" \
			perl "$FOREIGN_WORK/build/runtests" -mpiexec="$(cat "$FOREIGN_WORK/configured")" -srcdir=. -tests=foreign.list -tapfile="$tap") < /dev/null
		# One line a test, in the order of the list; its number there tells those of one program apart.
		grep '^\(not \)\?ok ' "$tap" | sed 's/^ok .*/ok/; s/^not ok .*/failed/' |
			paste -d ' ' "$only.numbered" - | awk -v folder="$folder" '$NF ~ /^(ok|failed)$/ { print folder "/" $2 ":" $1, $NF }' >> "$results.tmp"
	done
	mv "$results.tmp" "$results"
	sed 's/^/ranks /' "$results.said.log" > "$results.said" 2>/dev/null
	rm -f "$results.said.log"
}

action=$1
shift
limits
case $action in
ways) echo "ranks launched" ;;
prepare) prepare ;;
run) run "$@" ;;
esac
