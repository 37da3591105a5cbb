# shellcheck shell=bash disable=SC2034,SC2154,SC2016,SC2086 # the variables are for systems.sh, or its
# Trees of other systems, and commands in them; sourced by systems.sh.
#
#   system_tree SUITE     make BUILD/deps/systems/SUITE, once: a Debian or Ubuntu with
#                         Open MPI's and MPICH's libraries, hwloc, libnuma and an
#                         OpenMP runtime; 1 with the reason in $tree_why
#   inside SUITE OPTION... -- COMMAND   run it in there: nothing but /tmp can be written,
#                         /opt/splitpin is the library's folder, /mnt is $shared
#
# The OPTIONs are bubblewrap's.

systems=$(readlink -m "$build/deps/systems")
tree_why=
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
	sed -n 's/ bookworm main$//p; s/ trixie main$//p' | head -n 1)
packages="libgomp1 libhwloc15 libnuma1 mpich libopenmpi3* python3-minimal perl procps"

in_chroot() {
	local root=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1
		shift
		mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" &&
		DEBIAN_FRONTEND=noninteractive exec chroot "$root" "$@"' sh "$root" "$@"
}

# Where Ubuntu's packages are, and its keys, of which Debian 13 has a package.
ubuntu=http://archive.ubuntu.com/ubuntu
ubuntu_keys() {
	local keys=$systems/trixie/usr/share/keyrings/ubuntu-archive-keyring.gpg
	tree_why="no keys of Ubuntu: there is no tree of Debian 13, or see $systems/log"
	if [ ! -e "$keys" ]; then
		[ -e "$systems/trixie.packages" ] &&
			in_chroot "$systems/trixie" apt-get -q install ubuntu-keyring > "$systems/log" 2>&1 || return
	fi
	distribution=(--keyring="$keys" "--components=main,universe")
}

system_tree() {
	local suite=$1 root=$systems/$1 more='' from=${mirror:-http://deb.debian.org/debian} distribution=() script=()
	[ -e "$root.packages" ] && return
	tree_why="debootstrap: see $systems/log"
	mkdir -p "$systems"
	# The oldest compiles for all: what it links runs with later versions of glibc.
	[ "$suite" != bullseye ] || more="gcc libc6-dev libmpich-dev libopenmpi-dev openmpi-bin"
	if [ ! -e "$root.ready" ]; then
		if [ "$suite" = noble ]; then
			ubuntu_keys || return
			# An older debootstrap has no script of this name; they are all one.
			from=$ubuntu script=(/usr/share/debootstrap/scripts/gutsy)
			tree_why="debootstrap: see $systems/log"
		fi
		rm -rf "$root"
		PATH=$PATH:/usr/sbin:/sbin timeout 900 debootstrap --variant=minbase ${distribution[@]+"${distribution[@]}"} \
			"$suite" "$root" "$from" ${script[@]+"${script[@]}"} > "$systems/log" 2>&1 || return
		: > "$root.ready"
	fi
	tree_why="apt-get: see $systems/log"
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	printf '%s\n' 'APT::Install-Recommends "false";' 'APT::Sandbox::User "root";' 'APT::Get::Assume-Yes "true";' \
		'Dpkg::Use-Pty "false";' > "$root/etc/apt/apt.conf.d/90tests"
	in_chroot "$root" sh -c "apt-get -q update && apt-get -q install $packages $more" > "$systems/log" 2>&1 || return
	: > "$root.packages"
}

inside() {
	local suite=$1 options=()
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	# What containers are given of the host: names of machines, and what hwloc reads.
	mkdir -p "$systems/$suite/opt/splitpin"
	touch "$systems/$suite/etc/ld.so.preload" "$systems/$suite/etc/hosts"
	bwrap --ro-bind "$systems/$suite" / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run --ro-bind /sys /sys \
		--ro-bind /etc/hosts /etc/hosts --ro-bind "$parts" /opt/splitpin --bind "$shared" /mnt \
		--die-with-parent "${options[@]}" "$@"
}
