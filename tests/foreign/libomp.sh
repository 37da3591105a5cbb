#!/bin/bash
# LLVM's tests of its OpenMP runtime, with lit, against the libomp and the clang
# that are installed.  See tests/foreign.sh.
#
#   libomp.sh ways | prepare | run WAY RESULTS [NAME...]
#
# What the compiler makes of a command is kept, so that each program is compiled
# once and not in each way.
set -u
runtime=${FOREIGN_DEPS:-}/llvm/openmp/runtime/test
llvm=/usr/lib/llvm-14

configure() {
	cat > "$FOREIGN_WORK/once" <<-'END'
		#!/bin/bash
		# once COMPILER ARGUMENTS...: what is written behind -o is kept under the command's checksum.
		kept=$(dirname "$0")/kept/$(echo "$@" | md5sum | cut -d ' ' -f 1) to=
		for ((i = 1; i < $#; i++)); do
			[ "${!i}" != -o ] || { i=$((i + 1)); to=${!i}; }
		done
		if [ -n "$to" ] && [ -e "$kept" ]; then
			exec cp "$kept" "$to"
		fi
		"$@" || exit
		[ -z "$to" ] || { cp "$to" "$kept.$$" && mv "$kept.$$" "$kept"; }
	END
	chmod +x "$FOREIGN_WORK/once"
	mkdir -p "$FOREIGN_WORK/kept" "$FOREIGN_WORK/repeated"
	# Each test of theirs that repeats itself does so 10 times: minutes of sleep in some, in five ways.
	sed 's/\(define REPETITIONS\) 10/\1 3/' "$runtime/omp_testsuite.h" > "$FOREIGN_WORK/repeated/omp_testsuite.h"
	cat > "$FOREIGN_WORK/lit.site.cfg" <<-END
		import os
		flags = "-I $FOREIGN_WORK/repeated -fopenmp -pthread -w"
		config.test_c_compiler = "$FOREIGN_WORK/once $llvm/bin/clang"
		config.test_cxx_compiler = "$FOREIGN_WORK/once $llvm/bin/clang++"
		config.test_compiler_features = ["clang-14", "clang"]
		config.test_filecheck = "$llvm/bin/FileCheck"
		config.test_not = "$llvm/bin/not"
		config.test_openmp_flags = flags
		config.test_extra_flags = "-I $llvm/lib/clang/$(basename "$(find $llvm/lib/clang/ -mindepth 1 -maxdepth 1 | tail -n 1)")/include"
		config.libomp_obj_root = "$FOREIGN_WORK/programs"
		config.library_dir = "$llvm/lib"
		config.omp_header_directory = "$llvm/lib/clang/14.0.6/include"
		config.operating_system = "Linux"
		config.hwloc_library_dir = ""
		config.using_hwloc = False
		config.has_ompt = True
		config.has_libm = True
		config.has_libatomic = True
		config.is_standalone_build = True
		for word in os.environ["FOREIGN_VARIABLES"].split():
		    name, _, value = word.partition("=")
		    config.environment[name] = value
		lit_config.load_config(config, "$runtime/lit.cfg")
		# lit's own limit takes a package more.
		config.substitutions = [(name, "timeout -k 5 600 %t" if name == "%libomp-run" else text) for name, text in config.substitutions]
		# A tool that is preloaded goes before splitpin, not in its place.
		if "LD_PRELOAD" in config.environment:
		    config.substitutions = [(name, text.replace("LD_PRELOAD=%T/tool.so", "LD_PRELOAD=%T/tool.so:" + config.environment["LD_PRELOAD"]))
		                            for name, text in config.substitutions]
	END
}

run() {
	local way=$1 results=$2 name paths=() words variables=() command=()
	shift 2
	# Of the prefix the variables are for the tests, and the rest for lit itself.
	read -ra words <<< "$FOREIGN_PREFIX"
	for name in "${words[@]}"; do
		case $name in
		env) ;;
		*=*) variables+=("$name") ;;
		*) command+=("$name") ;;
		esac
	done
	for name; do
		paths+=("$FOREIGN_WORK/$name")
	done
	# The longest tests sleep for minutes: lit begins with those, and with more than there are CPUs.
	FOREIGN_VARIABLES="${variables[*]}" PYTHONPATH=$FOREIGN_DEPS/lit \
		"${command[@]}" python3 -c 'from lit.main import main; main()' -j $((2 * FOREIGN_JOBS)) -q --order smart \
		-o "$FOREIGN_WORK/$way.json" "${paths[@]:-$FOREIGN_WORK}" > "$results.log" 2>&1
	python3 - "$FOREIGN_WORK/$way.json" "$results" <<-'END'
		import json, sys
		with open(sys.argv[1]) as file, open(sys.argv[2], "w") as out:
		    for test in json.load(file)["tests"]:
		        if test["code"] != "UNSUPPORTED":
		            print(test["name"].partition(" :: ")[2], test["code"], file=out)
	END
}

case $1 in
ways) printf '%s\n' "guest without" "rank without" "half confined" ;;
prepare)
	if [ ! -d "$runtime" ] || [ ! -d "$FOREIGN_DEPS/lit" ]; then echo "no sources of LLVM 14 or no lit"; exit 1; fi
	[ -x $llvm/bin/clang ] || { echo "no clang of LLVM 14"; exit 1; }
	if [ ! -x $llvm/bin/FileCheck ] || [ ! -e $llvm/lib/libomp.so ]; then echo "no FileCheck or libomp of LLVM 14 (packages llvm-14-tools, libomp-14-dev)"; exit 1; fi
	mkdir -p "$FOREIGN_WORK/programs"
	configure ;;
run) shift; run "$@" ;;
esac
