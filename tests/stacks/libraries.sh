# shellcheck shell=bash disable=SC2154,SC2086 # build and sources: tests/lib.sh
# MPI libraries beside those of the system, and programs for each of them.
# Sourced after tests/lib.sh.
#
#   library   openmpi mpich: the system's; openmpi5 mpich5 intel: those of
#             "make deps"; abi-X: MPI's standard ABI on library X; pmix: PMIx
#             without MPI; none: OpenMP alone

deps=$build/deps/stacks
ompi5=$deps/ompi5 mpich5=$deps/mpich5 impi=$deps/impi
export I_MPI_ROOT=$impi
programs=$build/tests/bin/stacks

# absent NAME: why "make deps" has no such folder, or nothing.
absent() {
	[ -e "$deps/$1/ready" ] || cat "$deps/$1/absent" 2>/dev/null || echo "no $1: run make deps"
}

# Why there is no such library, or nothing.
no_library() {
	case $1 in
	openmpi | mpich) mpi_tool "$1" mpicc >/dev/null || echo "no $1" ;;
	openmpi5) absent ompi5 ;;
	mpich5 | abi-mpich5) absent mpich5 ;;
	intel) absent impi ;;
	abi-intel) absent impi; absent mpich5 ;;
	pmix) pkg-config --exists pmix || echo "no pmix: run make deps" ;;
	esac
}

# built LIBRARY RUNTIME NAME WORD...: compile, once, with the compiler's words
# (sources and options), and print the program's path.  Fails where that does
# not work; the compiler's words are in NAME.log beside it.
built() {
	local library=$1 runtime=$2 to=$programs/$1-$2/$3 word files=() line cc=clang
	local openmp=(-fopenmp) intel=${iomp%/*}
	shift 3
	for word; do
		[ ! -f "$word" ] || files+=("$word")
	done
	newer_than "$to" "${files[@]}" $sources/placement.[ch] && echo "$to" && return
	mkdir -p "${to%/*}"
	# Intel's folder has its MPI too, which is not to be linked with other libraries' programs.
	[ "$library" != intel ] || intel=$impi/lib
	case $runtime in
	libgomp) cc=gcc ;;
	libomp) [ -n "$has_clang" ] || { cc=gcc; set -- "$@" "${on_libomp[@]}"; } ;;
	libiomp5) openmp=("-fopenmp=libiomp5" "-L$intel" "-Wl,-rpath,$intel") ;;
	esac
	case $library in
	openmpi | mpich) line=("$(mpi_tool "$library" mpicc)") ;;
	openmpi5) line=("$ompi5/bin/mpicc") ;;
	mpich5) line=("$mpich5/bin/mpicc") ;;
	abi-*) line=("$mpich5/bin/mpicc_abi") ;;
	intel)	# Its own mpicc asks for a place in /opt.
		line=("$cc" "-I$impi/include")
		set -- "$@" "-L$impi/lib" "-Wl,-rpath,$impi/lib" -lmpi ;;
	pmix)
		read -ra line <<< "$cc $(pkg-config --cflags pmix)"
		read -ra word <<< "$(pkg-config --libs pmix)"
		set -- "$@" "${word[@]}" ;;
	none) line=("$cc") ;;
	esac
	OMPI_CC=$cc MPICH_CC=$cc "${line[@]}" -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes \
		"${openmp[@]}" -I$sources -o "$to.$BASHPID" "$@" > "$to.log" 2>&1 &&
		mv "$to.$BASHPID" "$to" && echo "$to"
}
