#!/bin/bash
# The wheel that "make wheel" builds, as pip installs it in an empty environment:
# what is in it, for which systems, two ranks and two workers of torchrun, and that
# nothing is left when it goes.  Of the wheel for the other processor, x86_64 or
# aarch64, what is in it.  Takes no network.
#
#   tests/wheel.sh [BUILD]
set -u
# shellcheck source=tests/own-shm.sh
. tests/own-shm.sh
# shellcheck source=tests/lib.sh
. tests/lib.sh

version=$(sed -n 's/^VERSION = //p' Makefile)
cpu=$(uname -m)
tools=$build/deps/wheel/bin
environment=$work/environment

[[ $cpu = x86_64 || $cpu = aarch64 ]] || give_up skip "the wheel" "there is none for $cpu"
[ -x "$tools/auditwheel" ] || give_up skip "the wheel" "$(cat "$build/deps/wheel/absent" 2>/dev/null || echo "no tools for it"): run make deps check-wheel"
[ -e "$build/deps/static/ready" ] || give_up skip "the wheel" "no archives of hwloc and libnuma: run make deps check-wheel"

# build_wheel CPU: sets `wheel`.
build_wheel() {
	if ! make -s B="$build" wheel WHEEL_CPU="$1" > "$work/make-$1" 2>&1; then
		fail "make wheel for $1" "$(tail -n 1 "$work/make-$1")"
		return 1
	fi
	wheel=$(tail -n 1 "$work/make-$1")
	verdict "make wheel for $1" "$(expect name "${wheel##*/}" "splitpin-$version-py3-none-manylinux2014_$1.whl")"
}

# look_into CPU: what is in $wheel, and which systems it needs.
look_into() {
	local cpu=$1 unpacked=$work/unpacked-$1 file machine
	case $cpu in x86_64) machine="Advanced Micro Devices X86-64" ;; aarch64) machine=AArch64 ;; esac
	rm -rf "$unpacked"
	python3 -m zipfile -e "$wheel" "$unpacked"
	verdict "$cpu: its programs and libraries" "$(
		expect "what is in it" "$(cd "$unpacked/splitpin-$version.data" && find . -type f | sort | paste -s -d ' ')" \
			"./data/lib/libsplitpin.so ./data/lib/splitpin/libsplitpin-engine.so ./data/lib/splitpin/libsplitpin-hardware.so ./data/lib/splitpin/libsplitpin-numa.so ./data/lib/splitpin/survey-report ./scripts/splitpin"
	)"
	verdict "$cpu: the licences of hwloc and libnuma" "$(
		cd "$unpacked/splitpin-$version.dist-info/licenses" || exit
		grep -q "Indiana University" LICENSE.hwloc || echo "no licence of hwloc"
		grep -q "GNU LESSER GENERAL PUBLIC LICENSE" LICENSE.libnuma || echo "no licence of libnuma"
		grep -q "hwloc [0-9.]*$" NOTICE && grep -q "libnuma [0-9.]* (" NOTICE || echo "no versions: $(cat NOTICE)"
		cmp LICENSE "$OLDPWD/LICENSE" 2>&1
	)"
	# Of libraries alone that every Linux with glibc has.
	verdict "$cpu: auditwheel: manylinux2014" "$(
		"$tools/auditwheel" show "$wheel" > "$work/audit-$cpu" 2>&1
		grep -q "tag: \"manylinux_2_17_$cpu\"" "$work/audit-$cpu" || echo "it says: $(paste -s -d ' ' "$work/audit-$cpu")"
	)"
	while read -r file; do
		verdict "$cpu: ${file##*/}: glibc 2.17, and no other library" "$(
			expect "the highest version that it needs" "$( (LC_ALL=C readelf -V -W "$file" | sed -n '/^Version needs/,$p' | grep -o 'GLIBC_2[.0-9]*'; echo GLIBC_2.17) | sort -V | tail -n 1)" GLIBC_2.17
			expect processor "$(LC_ALL=C readelf -h "$file" | sed -n 's/^ *Machine: *//p')" "$machine"
			readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -e '^lib[cm]\.so\.6$' -e '^ld-linux' | sed 's/^/it needs /'
		)"
	done < <(find "$unpacked" -name '*.so' -o -path '*/scripts/*')
}

case $cpu in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
if ! command -v $other-linux-gnu-gcc > /dev/null; then
	skip "the wheel for $other" "no $other-linux-gnu-gcc"
elif [ ! -e "$build/deps/static-$other/ready" ]; then
	skip "the wheel for $other" "no archives of hwloc and libnuma for it: run make deps check-wheel"
elif build_wheel $other; then
	look_into $other
fi
if ! build_wheel "$cpu"; then
	closing
	exit
fi
look_into "$cpu"
rm -rf "$environment"

if ! python3 -m venv "$environment" > "$work/venv" 2>&1; then
	give_up skip "the wheel in an environment" "python3 makes no virtual environment: $(head -n 1 "$work/venv")"
fi
# Not what Python compiles while pip runs.
all_files() { (cd "$environment" && find . ! -name '*.pyc' ! -name __pycache__ | sort); }
all_files > "$work/before"
"$environment/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$wheel" > "$work/pip" 2>&1
verdict "pip installs it" "$(expect status $? 0; grep -i error "$work/pip")"
splitpin=$environment/bin/splitpin
verdict "splitpin" "$(expect version "$("$splitpin" --version 2>&1)" "splitpin $version")"
verdict "python -m splitpin" "$(
	expect version "$("$environment/bin/python" -m splitpin --version 2>&1)" "splitpin $version"
	expect "an option" "$("$environment/bin/python" -m splitpin plan -n 2 --topology 'core:2 pu:1' --format lists 2>&1 | paste -s -d ' ')" "0 1"
)"
verdict "splitpin check" "$(
	timeout -k 5 "$hangs" "$splitpin" run -- "$splitpin" check > "$work/check" 2>&1
	expect status $? 0
	grep -q "^library .*$environment/lib/libsplitpin.so, version $version" "$work/check" || cat "$work/check"
)"

# each CPUS: those of a list 0-3,8, one a line.
each() { tr , '\n' <<< "$1" | while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done; }

# disjoint SHARE SHARE
disjoint() {
	[ -n "$1" ] || echo "the first has no share"
	[ -n "$2" ] || echo "the second has no share"
	expect "CPUs that both have" "$(comm -12 <(each "$1" | sort) <(each "$2" | sort) | paste -s -d ' ')" ""
}

# A launcher in front of it, as users have it; of each rank the CPUs with which it began.
mpi_ranks() {
	local to
	to=$(folder "$1")
	PLACEMENT_DIR=$to timeout -k 5 "$hangs" "$splitpin" run -- "$(mpi_tool "$1" mpirun)" -n 2 "$2" > "$to/out" 2>&1 || echo "status $?: $(tail -n 1 "$to/out")"
	grep splitpin: "$to/out"
	disjoint "$(sed -n 's/^start .*\bcpus=\([^ ]*\).*/\1/p' "$to/rank.0")" "$(sed -n 's/^start .*\bcpus=\([^ ]*\).*/\1/p' "$to/rank.1")"
}

two_ranks=${confined:-$([ "$ncpus" -ge 2 ] || echo "there is one CPU")}
for mpi in mpich openmpi; do
	if [ -n "$two_ranks" ]; then
		skip "two ranks of $mpi" "$two_ranks"
	elif ! program=$(program $mpi gcc hybrid.c); then
		skip "two ranks of $mpi" "it is not installed, or hybrid.c does not compile"
	else
		verdict "two ranks of $mpi" "$(mpi_ranks $mpi "$program")"
	fi
done

worker() { sed -n "s/^rank $1 begin //p" "$work/torch" | head -n 1; }
if [ -n "$two_ranks" ]; then
	skip "two workers of torchrun" "$two_ranks"
elif ! torchrun=$(torchrun); then
	skip "two workers of torchrun" "$no_torchrun"
else
	verdict "two workers of torchrun" "$(
		timeout -k 5 "$hangs" "$splitpin" run "$torchrun" --nproc-per-node=2 --rdzv-backend c10d --rdzv-endpoint localhost:0 $sources/train.py > "$work/torch" 2>&1 || echo "status $?: $(tail -n 1 "$work/torch")"
		disjoint "$(worker 0)" "$(worker 1)"
	)"
fi

"$environment/bin/python" -m pip uninstall --quiet --yes splitpin > "$work/pip" 2>&1
verdict "pip removes it, and nothing is left" "$(expect status $? 0; all_files | diff "$work/before" - | sed -n 's/^</no longer/p; s/^>/left/p')"
closing
