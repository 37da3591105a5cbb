#!/bin/bash
# A folder of sources is a layer, and no #include goes up: what lies below can
# be read, tested and changed without what stands on it.  make lint runs this.
#
#   build-aux/layers.sh [FOLDER]
#
# FOLDER is the top of the sources, "." without it.  Prints one line for each
# thing that is wrong, with file and line, and fails if there was any.
set -u
circles=$(dirname "$(readlink -f "$0")")/circles.sh
cd "${1:-.}" || exit 2

# The layers from the top, each with those whose headers it may include besides
# its own.  What several objects share (include/) knows nothing else.
#   cmd/*           the subcommands, none of which needs another, but compare
#                   and survey, which look at threads as show does, and
#                   check, which reads what probe prints; cmd/target: what a
#                   command line starts, for several of them; cmd/plan/make:
#                   a plan, which run makes for a lone rank, and survey
#                   for jobs that it has seen
#   ompt, lib/shim  in every process: nothing that decides, nothing that allocates
#   lib/hardware, lib/numa   objects of their own: hwloc, libnuma
#   lib/decide, cut, slots  decisions from values alone; neither of the last two needs the other
command="lib/report lib/board lib/settings lib/launcher lib/gpus lib/decide lib/cut lib/slots lib/process lib/elf lib/base include"
declare -A may_include=(
	[cmd]="cmd/plan cmd/plan/make cmd/show cmd/check cmd/probe cmd/compare cmd/config cmd/survey cmd/target $command"
	[cmd/plan]="cmd cmd/plan/for cmd/plan/print cmd/plan/make cmd/target $command"
	[cmd/plan/for]="cmd cmd/plan/print cmd/plan/make cmd/target $command"
	[cmd/plan/print]="cmd cmd/plan/make $command"
	[cmd/plan/make]="cmd cmd/target $command"
	[cmd/show]="cmd cmd/target $command"
	[cmd/check]="cmd cmd/probe cmd/target $command"
	[cmd/probe]="cmd cmd/target $command"
	[cmd/config]="cmd $command"
	[cmd/compare]="cmd cmd/show cmd/target $command"
	[cmd/survey]="cmd cmd/plan/make cmd/show cmd/target $command"
	[cmd/target]="cmd $command"
	[ompt]="lib/shim lib/launcher lib/elf lib/base include"
	[lib/shim]="lib/launcher lib/elf lib/base include"
	[lib/engine]="lib/threads lib/share lib/node $command"
	[lib/threads]="$command"
	[lib/share]="lib/node $command"
	[lib/node]="$command"
	[lib/hardware]="lib/elf lib/base include"
	[lib/numa]="lib/base include"
	[lib/report]="lib/board lib/settings lib/launcher lib/gpus lib/decide lib/cut lib/slots lib/process lib/elf lib/base include"
	[lib/board]="lib/settings lib/launcher lib/gpus lib/decide lib/cut lib/slots lib/process lib/elf lib/base include"
	[lib/settings]="lib/launcher lib/gpus lib/cut lib/slots lib/process lib/elf lib/base include"
	[lib/launcher]="lib/process lib/elf lib/base include"
	[lib/gpus]="lib/base include"
	[lib/decide]="lib/cut lib/slots lib/base include"
	[lib/cut]="lib/base include"
	[lib/slots]="lib/base include"
	[lib/process]="lib/base include"
	[lib/elf]="lib/base include"
	[lib/base]="include"
	[include]=""
)
MAX_LINES=500
MAX_SOURCES=20
MAX_SHARED_HEADERS=10

faults=0
fault() {
	echo "$*" >&2
	faults=$((faults + 1))
}

# layer_of PATH: the folder that is the layer, or nothing.
layer_of() {
	case $1 in
	lib/*/*) local rest=${1#lib/}; echo "lib/${rest%%/*}" ;;
	cmd/*/*) echo "${1%/*}" ;;
	cmd/* | ompt/* | include/*) echo "${1%%/*}" ;;
	esac
}

# The path that an include is written for: headers are named by their folder.
included_path() {
	local folder
	for folder in lib/ include/ ''; do
		[ ! -e "$folder$1" ] || { echo "$folder$1"; return; }
	done
}

headers_below=
check_include() {
	local file=$1 line=$2 header=$3 path from to
	path=$(included_path "$header")
	from=$(layer_of "$file") to=$(layer_of "$path")
	if [ -z "$to" ]; then
		fault "$file:$line: \"$header\" is not named by its folder, as in \"base/log.h\""
	elif [ "$from" != "$to" ] && [[ " ${may_include[$from]-} " != *" $to "* ]]; then
		fault "$file:$line: $from includes \"$header\" of $to, which is not below it"
	fi
	[[ $file != *.h || $path != *.h ]] || headers_below+="$file $path"$'\n'
}

while IFS=: read -r file line text; do
	text=${text#*\"}
	check_include "$file" "$line" "${text%%\"*}"
done < <(grep -rn --include='*.[chS]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' cmd ompt lib include)

while read -r circle; do
	fault "headers that include each other: $circle"
done < <("$circles" <<< "$headers_below")

while read -r number folder; do
	[ "$number" -le $MAX_SOURCES ] || fault "$folder: $number sources, more than $MAX_SOURCES"
done < <(find cmd lib -name '*.c' -printf '%h\n' | sort | uniq -c)

while read -r file; do
	[ -n "$(layer_of "$file")" ] || fault "$file: lies in no layer's folder"
	[ -z "$(layer_of "$file")" ] || [ -n "${may_include[$(layer_of "$file")]+known}" ] ||
		fault "$file: build-aux/layers.sh has no layer $(layer_of "$file")"
	lines=$(wc -l < "$file")
	[ "$lines" -le $MAX_LINES ] || fault "$file:$lines: more than $MAX_LINES lines"
done < <(find cmd ompt lib include -name '*.[chS]' | sort)

headers=$(find include -name '*.h' | wc -l)
[ "$headers" -le $MAX_SHARED_HEADERS ] ||
	fault "include: $headers headers, more than $MAX_SHARED_HEADERS: only what crosses from one object to another belongs there"

[ $faults = 0 ]
