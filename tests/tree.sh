#!/bin/bash
# shellcheck disable=SC2034,SC2154 # tree_why and built are for the script that sources this, build is lib.sh's
# A Debian (or Ubuntu) of the tests' own: a tree of files made by debootstrap
# from the mirror that this machine's apt uses, kept in BUILD/deps/debian.
# Sourced by packages.sh and preload-tree.sh after lib.sh.
#
#   tree_of SUITE             from here on another release of Debian than the machine's
#   tree_layer NAME COMMAND   make the clean tree, and a layer over it with a shell
#                             command, once, and again when the command has
#                             changed; 1 with the reason in $tree_why
#   in_tree LAYERS COMMAND    run a command in it, as root, with processes of its own
#   tree_shows FOLDER PATH    from here on commands see this machine's folder there
#   package KIND TOOL         build the package, deb or rpm, which takes TOOL; $built is
#                             its path, or nothing after a word of its own; its tests
#                             run where $package_with_tests is set
#
# LAYERS are folders, "TOP:NEXT:...", each of which hides what is below; the
# command sees all of them over the clean tree.  What it writes goes to TOP
# alone, which is made if it is not there.  Nothing stays mounted.

if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	echo "1..0 # SKIP what the tests share"
	exit
fi

tree=$build/deps/debian
tree_suite=
tree_why=
tree_shown=()

tree_shows() { tree_shown=("$@"); }

tree_of() {
	tree_suite=$1
	tree=$build/deps/debian-$1
}

package() {
	local options=nocheck
	[ -z "${package_with_tests-}" ] || options=
	built=
	if ! command -v "$2" > /dev/null; then
		skip "make $1" "no $2, run make deps check-all"
	elif ! DEB_BUILD_OPTIONS=$options NOCHECK=${options:+1} make -s B="$build" "$1" > "$work/$1.make" 2>&1; then
		fail "make $1" "$(grep -m 1 "^$1:" "$work/$1.make")"
	else
		built=$(tail -n 1 "$work/$1.make")
		pass "make $1"
	fi
}

# URI, suite and component of each list of packages that comes from the
# distribution itself.
tree_mirrors() {
	# shellcheck disable=SC2016 # apt expands
	apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		sed -n 's/^\(Debian\|Ubuntu\) //p' | sort -u
}

tree_possible() {
	local tool
	for tool in debootstrap apt-get unshare chroot; do
		PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || {
			tree_why="no $tool, run make deps check-all"
			return 1
		}
	done
	mkdir -p "$tree/try"
	if [ "$(id -u)" != 0 ]; then
		tree_why="a Debian tree takes root"
	elif ! in_tree_mounts "$tree/try/top" "$tree/try" true 2> "$tree/log"; then
		tree_why="no overlay can be mounted on $tree: $(tail -n 1 "$tree/log")"
	fi
	rm -rf "$tree/try"
	[ -z "$tree_why" ]
}

# The lines of its sources.list: this machine's with its own release, that
# release alone with another.
tree_lists() {
	local list
	if [ -n "$tree_suite" ]; then
		echo "$1 $tree_suite main"
	else
		tree_mirrors
	fi | while read -r list; do
		printf '%s\n' "deb $list" "deb-src $list"
	done
}

# Programs that look up the name of their host find it.  Certificates that were
# added to this machine count there too, once ca-certificates is installed.
tree_network() {
	local root=$1
	echo tree > "$root/etc/hostname"
	echo '127.0.0.1 localhost tree' > "$root/etc/hosts"
	if [ -d /usr/local/share/ca-certificates ]; then
		mkdir -p "$root/usr/local/share"
		cp -r /usr/local/share/ca-certificates "$root/usr/local/share"
	fi
}

tree_make() {
	local own suite uri
	tree_possible || return
	[ -e "$tree/clean/ready" ] && return
	# shellcheck source=/dev/null
	own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	suite=${tree_suite:-$own}
	uri=$(tree_mirrors | sed -n "s/ $own main\$//p" | head -n 1)
	if [ -z "$suite" ] || [ -z "$uri" ]; then
		tree_why="apt has no list of packages of a Debian or Ubuntu that debootstrap could use"
		return 1
	fi
	rm -rf "$tree/clean"
	mkdir -p "$tree/clean"
	if ! PATH=$PATH:/usr/sbin:/sbin timeout 600 debootstrap --variant=minbase "$suite" "$tree/clean/root" "$uri" > "$tree/log" 2>&1; then
		tree_why="debootstrap: $(tail -n 1 "$tree/log")"
		return 1
	fi
	tree_lists "$uri" > "$tree/clean/root/etc/apt/sources.list"
	tree_network "$tree/clean/root"
	# A mirror may be some weeks behind.
	printf '%s\n' 'Acquire::Check-Valid-Until "false";' \
		'APT::Install-Recommends "false";' 'APT::Sandbox::User "root";' 'APT::Get::Assume-Yes "true";' \
		'Dpkg::Use-Pty "false";' 'quiet "1";' > "$tree/clean/root/etc/apt/apt.conf.d/90tests"
	# What a crash of the machine would cost is a tree.
	echo force-unsafe-io > "$tree/clean/root/etc/dpkg/dpkg.cfg.d/tests"
	: > "$tree/clean/ready"
}

# in_tree_mounts TOP LOWER COMMAND: the command, chrooted where TOP lies over LOWER.
in_tree_mounts() {
	local top=$1 lower=$2
	shift 2
	mkdir -p "$top" "$top.work" "$top.root"
	# In name spaces of its own, so that it leaves neither mounts nor processes.
	# shellcheck disable=SC2016 # the inner shell expands
	unshare --mount --pid --uts --ipc --fork --kill-child bash -c '
		top=$1 lower=$2 root=$1.root folder=$3 path=$4
		shift 4
		mount -t overlay -o "lowerdir=$lower,upperdir=$top,workdir=$top.work" tree "$root" || exit 126
		[ -d "$root/etc" ] || exit 0
		[ -z "$folder" ] || { mkdir -p "$root$path" && mount --bind "$folder" "$root$path"; } || exit 126
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" &&
		mount -t tmpfs shm "$root/dev/shm" && hostname tree || exit 126
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
			DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"' tree "$top" "$lower" "${tree_shown[0]-}" "${tree_shown[1]-}" "$@" < /dev/null
	local status=$?
	rm -rf "$top.work" "$top.root"
	return $status
}

in_tree() {
	local layers=$1 lower=$tree/clean/root
	shift
	[[ $layers != *:* ]] || lower=${layers#*:}:$lower
	in_tree_mounts "${layers%%:*}" "$lower" "$@"
}

# Names of hosts are looked up as on this machine.
tree_resolver() {
	mkdir -p "$1/etc"
	cp -L /etc/resolv.conf "$1/etc/resolv.conf"
}

tree_layer() {
	local to=$tree/$1
	tree_make || return
	[ "$(cat "$to.ready" 2>/dev/null)" = "$2" ] && [ "$to.ready" -nt "$tree/clean/ready" ] && return
	rm -rf "$to" "$to.ready"
	tree_resolver "$to"
	if ! in_tree "$to" timeout 900 sh -ec "$2" > "$tree/log" 2>&1; then
		tree_why="the layer $1: $(grep '^[EW]:' "$tree/log" | tail -n 1)"
		return 1
	fi
	echo "$2" > "$to.ready"
}
