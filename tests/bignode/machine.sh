#!/bin/bash
# Run a command under a real Linux kernel that sees a large many-core NUMA
# machine, on a machine that is not one.
#
# The machine is emulated by QEMU in software (TCG), so neither KVM nor root is
# needed.  The host's root filesystem is the guest's, read-only: host programs
# and libraries run in the guest unchanged.
#
# Debian 12 packages:
#   qemu-system-x86   QEMU 7.2 does; QEMU 9 or newer (bookworm-backports) is needed
#                     for more than 255 cpus, and faster for more than 64
#   busybox-static    the guest's first process
#   cpio              builds the guest's initramfs
#   linux-image-amd64 the kernel; the -cloud- flavour lacks 9p.  It need not be
#                     installed: BIGNODE_KERNEL may name a directory made with
#                       apt-get download linux-image-VERSION-amd64
#                       dpkg -x linux-image-VERSION-amd64_*.deb DIRECTORY
#   xz-utils, zstd    unpack the kernel (xz for Linux 6.1, both for 6.12)
#   perl-base, coreutils, util-linux: essential, always there

usage() { cat <<'EOF'
usage: machine.sh [--shape NAME] [--timeout S] [--dir DIR] [--root] [--verbose] -- COMMAND [ARG...]
       machine.sh --list
       machine.sh --check

Boots the machine, runs COMMAND there as the calling user, with the caller's
environment, and exits with COMMAND's status.  Its standard output and error
are the caller's; its standard input is empty.

  --shape NAME   machine to emulate (default 2s); --list shows them all
  --timeout S    give up after S seconds, boot included (default 600): as many for
                 each of this machine's CPUs that the emulator has used, or six
                 times as many on the clock, since others may use them too
  --dir DIR      the directory the guest may write to, seen under the same path
                 (default: the current directory).  COMMAND starts in the
                 current directory, or in DIR where the guest has no such one.
  --root         run COMMAND as the guest's root, whoever the caller is: for
                 cgroups and for taking CPUs offline
  --verbose      show the guest's kernel messages on standard error
  --check        tell what is missing here, if anything, and start nothing

In the guest /tmp, /var/tmp, /run and /dev/shm are empty and in memory, but for
the folder in which this is called; all else outside DIR is the host's and
read-only.  There is no network but "lo".
The emulated cpus have AVX2 but no AVX-512.

Exit status: COMMAND's (128+N where signal N ended it); 124 on a timeout; 125
where the machine could not be set up or died; 2 on a usage error.

Environment:
  BIGNODE_KERNEL  directory with boot/vmlinuz-* and lib/modules/* (default: /)
  BIGNODE_QEMU    the emulator (default: qemu-system-x86_64)
  BIGNODE_APPEND  more kernel parameters
EOF
}

die() { echo "bignode: $*" >&2; exit 125; }

# --- shapes -------------------------------------------------------------------
# A shape sets
#   sockets dies cores threads   dies per socket, cores per die, threads per core
#   nodes mb split               NUMA nodes that have cpus, MiB of each, and cores of
#                                each, in order (default: all the same)
#   mnodes mmb                   memory-only NUMA nodes, numbered after them
#   near far mnear mfar          distances: between nodes of one socket, of two
#                                sockets, from memory-only node i to cpu node i,
#                                and every other one to a memory-only node
#   model                        CPU model number (87: Xeon Phi, 85: Xeon)
#   order                        cpu numbering: "threads" numbers the first threads
#                                of all cores, then the second ones, and so on, as
#                                the firmware of most servers does; "cores" numbers
#                                the threads of a core one after the other
shapes='2s 2s-noht 2s-far snc2 4s epyc knl knl-quad knl240 knl136 knl64 one'
shape() {
	dies=1 near=10 far=21 mnodes=0 mmb=512 mnear=31 mfar=41 mb=1024 model=85 order=threads split=
	case $1 in
		2s)       sockets=2 cores=8 threads=2 nodes=2
							about='2 sockets x 8 cores x 2 threads, 2 NUMA nodes' ;;
		2s-noht)  sockets=2 cores=18 threads=1 nodes=2
							about='2 sockets x 18 cores, no hyper-threading, 2 NUMA nodes' ;;
		2s-far)   sockets=2 cores=4 threads=2 nodes=2 mnodes=2
							about='2 sockets x 4 cores x 2 threads, 2 NUMA nodes + 2 without cpus (as CXL or GPU memory)' ;;
		snc2)     sockets=1 cores=8 threads=2 nodes=2 near=12
							about='1 socket x 8 cores x 2 threads, 2 NUMA nodes (as a Xeon in SNC-2)' ;;
		4s)       sockets=4 cores=6 threads=2 nodes=4
							about='4 sockets x 6 cores x 2 threads, 4 NUMA nodes' ;;
		epyc)     sockets=2 dies=4 cores=8 threads=2 nodes=8 near=12 far=32 mb=768
							about='2 sockets x 4 L3 groups x 8 cores x 2 threads, 8 NUMA nodes (as EPYC NPS4)' ;;
		knl)      sockets=1 cores=68 threads=4 nodes=4 mnodes=4 near=21 model=87 split='18 18 16 16'
							about='Xeon Phi SNC-4 flat: 68 cores x 4 threads, 4 NUMA nodes + 4 of MCDRAM (QEMU >= 9)' ;;
		knl-quad) sockets=1 cores=68 threads=4 nodes=1 mnodes=1 model=87 mb=4096 mmb=2048
							about='Xeon Phi quadrant flat: 68 cores x 4 threads, 1 NUMA node + 1 of MCDRAM (QEMU >= 9)' ;;
		knl240)   sockets=1 cores=60 threads=4 nodes=4 mnodes=4 near=21 model=87
							about='as knl, but 60 cores x 4 threads (any QEMU)' ;;
		knl136)   sockets=1 cores=68 threads=2 nodes=4 mnodes=4 near=21 model=87 split='18 18 16 16'
							about='as knl, but 68 cores x 2 threads (any QEMU)' ;;
		knl64)    sockets=1 cores=16 threads=4 nodes=4 mnodes=4 near=21 model=87
							about='as knl, but 16 cores x 4 threads (any QEMU, quick)' ;;
		one)      sockets=1 cores=4 threads=1 nodes=1
							about='1 socket x 4 cores, 1 NUMA node (quickest)' ;;
		*)        return 1 ;;
	esac
	ncores=$((sockets * dies * cores)) ncpus=$((sockets * dies * cores * threads))
	[[ $split ]] || split=$(for ((i = 0; i < nodes; i++)); do echo $((ncores / nodes)); done)
}

distance() { # of node $1 to node $2
	local i=$1 j=$2 per=$((nodes / sockets))
	if   ((i == j));                then echo 10
	elif ((i >= nodes && j >= nodes)); then echo "$mfar"
	elif ((i >= nodes || j >= nodes)); then echo $((i % nodes == j % nodes ? mnear : mfar))
	else echo $((i / per == j / per ? near : far)); fi
}

# --- command line -------------------------------------------------------------
shape=2s timeout=600 dir=$PWD verbose='' asroot='' check=''
while (($#)); do
	case $1 in
		--shape|--timeout|--dir)
			(($# > 1)) || { usage >&2; exit 2; }
			printf -v "${1#--}" %s "$2"; shift 2 ;;
		--verbose) verbose=1; shift ;;
		--root) asroot=1; shift ;;
		--check) check=1; shift ;;
		--list) for s in $shapes; do shape "$s"; printf '%-9s %3d cpus  %s\n' "$s" "$ncpus" "$about"; done; exit ;;
		-h|--help) usage; exit ;;
		--) shift; break ;;
		*) usage >&2; exit 2 ;;
	esac
done
[[ $check ]] || (($#)) || { usage >&2; exit 2; }
shape "$shape" || { echo "bignode: no shape '$shape'; one of: $shapes" >&2; exit 2; }
[[ $timeout =~ ^[1-9][0-9]*$ ]] || { echo "bignode: --timeout wants whole seconds" >&2; exit 2; }
dir=$(realpath -e -- "$dir" 2>/dev/null)
[[ -d $dir ]] || { echo "bignode: --dir: no such directory" >&2; exit 2; }
case $dir/ in //|/tmp/|/var/tmp/|/dev/*|/proc/*|/sys/*|/run/*|*,*)
	echo "bignode: --dir cannot be '$dir'" >&2; exit 2 ;; esac

# --- what it needs ------------------------------------------------------------
need() { command -v "$1" >/dev/null || die "$1 is missing: install the package $2"; }
qemu=${BIGNODE_QEMU:-qemu-system-x86_64}
need "$qemu" qemu-system-x86
need busybox busybox-static
need cpio cpio
need perl perl-base
need setpriv util-linux
busybox=$(command -v busybox)
if command -v ldd >/dev/null && ldd "$busybox" >/dev/null 2>&1; then
	die "$busybox is not static: install the package busybox-static"
fi

# The newest kernel that has 9p (the host's root filesystem in the guest).
root=${BIGNODE_KERNEL:-/} release='' found=''
for f in $(printf '%s\n' "${root%/}"/boot/vmlinuz-* | sort -rV); do
	[[ -e $f ]] || continue
	found=$f
	[[ -r $f ]] || continue
	m=${root%/}/lib/modules/${f##*/vmlinuz-}
	compgen -G "$m/kernel/fs/9p/9p.ko*" >/dev/null && { vmlinuz=$f modules=$m release=${f##*/vmlinuz-}; break; }
done
[[ $release ]] || die "no readable kernel with 9p modules under '$root'${found:+ (found only $found)}: install the package linux-image-amd64, or unpack it and name the directory in BIGNODE_KERNEL"
[[ ! $check ]] || exit 0

version=$("$qemu" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p;q')
bits() { local n=$1 b=0; while ((1 << b < n)); do ((b++)); done; echo "$b"; }
tbits=$(bits "$threads") cbits=$(bits "$cores") dbits=$(bits "$dies")
# APIC id of thread $4 of core $3 of die $2 of socket $1, as QEMU gives it.
apic_id() { echo $((((($1 << dbits | $2) << cbits | $3) << tbits) | $4)); }
x2apic=
if (($(apic_id $((sockets - 1)) $((dies - 1)) $((cores - 1)) $((threads - 1))) > 254)); then
	((${version:-0} >= 9)) || die "shape $shape needs QEMU 9 or newer (this one is ${version:-unknown}, without an emulated x2APIC): install qemu-system-x86 of bookworm-backports, name another one in BIGNODE_QEMU, or take a smaller shape (--list)"
	x2apic=1
fi

# While a kernel with all cpus up boots, it patches code that the other cpus run,
# which QEMU before 8.1 gets wrong now and then: the boot hangs.  So the machine
# boots with one cpu and takes up the others afterwards.  This takes time that
# grows with their square, so a newer QEMU boots a larger machine with all.
late=
((${version:-0} < 9 || ncpus <= 64)) && late=1
# A boot counts as hung, and is tried again, after so many seconds of QEMU's CPU time,
# which a busy machine gives slowly, or, where it does nothing, ten times as many.
bootlimit=$((2 * (60 + ncpus)))

tmp=$(mktemp -d "${TMPDIR:-/tmp}/bignode.XXXXXX") || die "cannot make a temporary directory"
qpid=
# shellcheck disable=SC2317 # called by a trap
cleanup() {
	trap - EXIT
	[[ $qpid ]] && { kill -KILL "$qpid"; wait "$qpid"; } 2>/dev/null
	jobs -pr | xargs -r kill 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- kernel -------------------------------------------------------------------
# QEMU boots an unpacked kernel directly (PVH): the guest need not unpack it.
unpack() { # FILE: its content, whatever it is packed with
	case $(head -c 4 "$1" | od -An -tx1 | tr -d ' ') in
		fd377a58) need xz xz-utils; xz -dc --single-stream "$1" ;;
		28b52ffd) need zstd zstd; zstd -dcq "$1" ;;
		1f8b*)    gzip -dc "$1" ;;
		*)        cat "$1" ;;
	esac 2>/dev/null
}
perl -e 'binmode STDOUT; local $/; open F, "<:raw", $ARGV[0] or exit 1; $_ = <F>;
	my ($offset, $length) = unpack "VV", substr $_, 0x248, 8;
	print substr $_, (1 + (unpack("C", substr $_, 0x1f1, 1) || 4)) * 512 + $offset, $length' \
	"$vmlinuz" >"$tmp/packed" || die "cannot read $vmlinuz"
unpack "$tmp/packed" >"$tmp/vmlinux"    # the 4 bytes after the stream are no error
[[ $(head -c 4 "$tmp/vmlinux") == $'\177ELF' ]] || die "cannot unpack $vmlinuz"
rm "$tmp/packed"

# --- initramfs ----------------------------------------------------------------
mkdir -p "$tmp/fs/"{bin,mod,new,bignode}
cp "$busybox" "$tmp/fs/bin/busybox"

# Kernel modules in the order in which they are to be loaded.
declare -A seen
module() {
	local name=${1//-/_} file dep
	[[ ${seen[$name]} ]] && return
	seen[$name]=1
	grep -qE "/${name//_/[_-]}\.ko" "$modules/modules.builtin" 2>/dev/null && return
	file=$(find "$modules/kernel" -regextype posix-extended -regex ".*/${name//_/[_-]}\.ko(\.[a-z]+)?" -print -quit)
	[[ $file ]] || die "kernel $release has no module $name: install the package linux-image-amd64"
	unpack "$file" >"$tmp/fs/mod/$name.ko"
	for dep in $(tr '\0' '\n' <"$tmp/fs/mod/$name.ko" | sed -n 's/^depends=//p' | tr , ' '); do module "$dep"; done
	echo "$name" >>"$tmp/fs/mod/order"
}
for m in virtio_pci virtio_console 9pnet_virtio 9p; do module "$m"; done

# First process of the guest.  Ports: 1 standard output, 2 standard error,
# 3 the status.
cat >"$tmp/fs/init" <<'EOF'
#!/bin/busybox sh
bb() { /bin/busybox "$@"; }
bb mkdir -p /proc /sys /dev
bb mount -t proc proc /proc
bb mount -t sysfs sysfs /sys
bb mount -t devtmpfs devtmpfs /dev
for m in $(bb cat /mod/order); do bb insmod /mod/$m.ko || bb echo "bignode: module $m failed"; done
o=trans=virtio,version=9p2000.L,msize=512000
bb mount -t 9p -o ro,cache=loose,$o root /new || bb poweroff -f
bb mount -t proc proc /new/proc
bb mount -t sysfs sysfs /new/sys
bb mount --bind /dev /new/dev
bb mkdir -p /new/dev/shm /new/dev/pts
bb mount -t devpts devpts /new/dev/pts
. /bignode/settings
bb mkdir -p /keep
bb mount --bind "/new$here" /keep
for d in tmp var/tmp dev/shm; do bb mount -t tmpfs -o mode=1777 tmpfs /new/$d; done
bb mount -t tmpfs -o mode=755 tmpfs /new/run
[ -d "/new$here" ] || { bb mkdir -p "/new$here"; bb mount --bind /keep "/new$here"; }
n=1
while [ $n -lt $late ]; do echo 1 >/sys/devices/system/cpu/cpu$n/online; n=$((n + 1)); done
bb mkdir -p "/new$dir"
bb mount -t 9p -o cache=mmap,$o dir "/new$dir" || bb poweroff -f
bb mkdir /new/run/bignode
bb cp /bignode/command /new/run/bignode
bb hostname localhost
bb ip link set lo up
bb ln -s /proc/self/fd /new/dev/fd
for n in 0:stdin 1:stdout 2:stderr; do bb ln -s /proc/self/fd/${n%:*} /new/dev/${n#*:}; done
port=$(echo /dev/vport*p1) port=${port%1}
bb mkfifo /out /err
bb cat </out >${port}1 & o=$!
bb cat </err >${port}2 & e=$!
bb echo up >${port}3
bb chroot /new /bin/bash /run/bignode/command </dev/null >/out 2>/err
s=$?
# What the command left running may hold its output open: wait for a while only.
( bb sleep 5; bb kill -KILL $o $e ) 2>/dev/null &
wait $o $e
bb umount "/new$dir" 2>/dev/null || bb sync
bb echo "status $s" >${port}3
bb sleep 60
bb poweroff -f
EOF
chmod 755 "$tmp/fs/init"
printf 'dir=%q\nhere=%q\nlate=%d\n' "$dir" "$(pwd -P)" "${late:+$ncpus}" >"$tmp/fs/bignode/settings"
{
	echo 'exec 3>&2 2>/dev/null'      # unsettable variables are no matter
	export -p
	echo 'exec 2>&3 3>&-'
	printf 'cd %q 2>/dev/null || cd %q || exit 125\n' "$PWD" "$dir"
	printf 'exec '
	if ((EUID)) && [[ ! $asroot ]]; then
		groups=--clear-groups
		id -un >/dev/null 2>&1 && groups=--init-groups
		printf 'setpriv --reuid=%d --regid=%d %s --inh-caps=-all ' "$EUID" "$(id -g)" "$groups"
	fi
	printf -- '-- '; printf '%q ' "$@"; echo
} >"$tmp/fs/bignode/command"

# An own ACPI table of processors (MADT), which Linux takes from the initramfs in
# place of the firmware's: Linux numbers the cpus in its order.
if [[ $order == threads ]] && ((threads > 1)); then
	mkdir -p "$tmp/fs/kernel/firmware/acpi"
	index=0
	for ((s = 0; s < sockets; s++)) do for ((d = 0; d < dies; d++)) do
		for ((c = 0; c < cores; c++)) do for ((t = 0; t < threads; t++)) do
			echo "$t $index $(((((s << dbits | d) << cbits | c) << tbits) | t))"
			((++index))
		done; done
	done; done | sort -s -n -k1,1 | perl -e '
		my $x2 = shift;
		my $b = pack "VV", 0xfee00000, 1;                             # local APIC, PC-AT
		while (<STDIN>) {
			my (undef, $uid, $id) = split;
			$b .= $id < 255 ? pack("CCCCV", 0, 8, $uid, $id, 1)         # local APIC
											: pack("CCvVVV", 9, 16, 0, $id, 1, $uid);   # local x2APIC
		}
		$b .= pack "CCCCVV", 1, 12, 0, 0, 0xfec00000, 0;              # I/O APIC
		$b .= pack "CCCCVv", 2, 10, 0, 0, 2, 0;                       # timer: pin 2
		$b .= pack "CCCCVv", 2, 10, 0, $_, $_, 13 for 5, 9, 10, 11;   # PCI: level, high
		$b .= $x2 ? pack("CCvVCCCC", 10, 12, 0, 0xffffffff, 1, 0, 0, 0)
							: pack("CCCvC", 4, 6, 255, 0, 1);                   # NMI: LINT1
		# Same names as the table that it replaces, with a higher OEM revision.
		my $t = pack("a4VCCa6a8Va4V", "APIC", 36 + length $b, 3, 0, "BOCHS ", "BXPC    ", 2, "BXPC", 1) . $b;
		substr($t, 9, 1) = chr(-unpack("%8C*", $t) & 255);
		binmode STDOUT; print $t' "${x2apic:-0}" >"$tmp/fs/kernel/firmware/acpi/apic.aml"
fi
(cd "$tmp/fs" && find -- * | cpio -o -H newc --quiet) >"$tmp/initrd" || die "cannot build the initramfs"

# --- machine ------------------------------------------------------------------
numa=() total=0 first=0 i=0
for n in $split; do
	numa+=(-object "memory-backend-ram,id=m$i,size=${mb}M")
	numa+=(-numa "node,nodeid=$i,memdev=m$i,cpus=$((first * threads))-$(((first + n) * threads - 1))")
	((first += n, total += mb, ++i))
done
for ((; i < nodes + mnodes; i++)); do
	numa+=(-object "memory-backend-ram,id=m$i,size=${mmb}M" -numa "node,nodeid=$i,memdev=m$i")
	((total += mmb))
done
for ((i = 0; i < nodes + mnodes; i++)); do for ((j = 0; j < nodes + mnodes; j++)); do
	numa+=(-numa "dist,src=$i,dst=$j,val=$(distance $i $j)")
done; done

cpu=max,vendor=GenuineIntel,family=6,model=$model,stepping=4,-svm,-3dnow,-3dnowext,-mmxext,-mtrr
if ((model == 87)); then cpu+=',l3-cache=off,model-id=Intel(R) Xeon Phi(TM) CPU (emulated)'
else cpu+=',model-id=Intel(R) Xeon(R) CPU (emulated)'; fi
# The small firmware (qboot) starts faster, but not with x2APIC ids above 254.
extra=(-bios qboot.rom)
if [[ $x2apic ]]; then
	cpu+=,x2apic=on
	extra=(-machine kernel-irqchip=off -device "intel-iommu,intremap=on,eim=on")
fi

# The kernel's time spent on every cpu in turn is what makes a large machine slow
# to boot: keep it from checking clocks, patching code and hardening itself.
append="console=ttyS0 quiet panic=-1 nokaslr mitigations=off rodata=off nowatchdog"
append+=" no_timer_check tsc=reliable clocksource=tsc skew_tick=1 audit=0 apparmor=0"
append+=" ${late:+maxcpus=1} numa_balancing=disable random.trust_cpu=on ${BIGNODE_APPEND:-}"

# The script keeps the pipes open, so that their readers outlive a failed boot.
mkfifo "$tmp/out" "$tmp/err" "$tmp/status"
exec {out}<>"$tmp/out" {err}<>"$tmp/err" {status}<>"$tmp/status"
cat "$tmp/out" {out}>&- {err}>&- {status}>&- & outpid=$!
cat "$tmp/err" >&2 {out}>&- {err}>&- {status}>&- & errpid=$!

boot() {
	: >"$tmp/console"
	"$qemu" -nodefaults -no-user-config -nic none -display none -no-reboot \
		-machine q35 -accel tcg,thread=multi -cpu "$cpu" \
		-smp "$ncpus,sockets=$sockets,dies=$dies,cores=$cores,threads=$threads" \
		-m "${total}M" "${numa[@]}" "${extra[@]}" \
		-kernel "$tmp/vmlinux" -initrd "$tmp/initrd" -append "$append" \
		-serial "file:$tmp/console" \
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=root,mount_tag=root \
		-fsdev "local,id=dir,path=$dir,security_model=none,multidevs=remap" \
		-device virtio-9p-pci,fsdev=dir,mount_tag=dir \
		-device virtio-serial-pci \
		-chardev "file,id=out,path=$tmp/out" -device virtserialport,chardev=out,nr=1 \
		-chardev "file,id=err,path=$tmp/err" -device virtserialport,chardev=err,nr=2 \
		-chardev "file,id=status,path=$tmp/status" -device virtserialport,chardev=status,nr=3 \
		</dev/null >"$tmp/qemu" 2>&1 {out}>&- {err}>&- {status}>&- &
	qpid=$!
	[[ ! $verbose ]] || tail -f -n +1 --pid="$qpid" "$tmp/console" >&2 {out}>&- {err}>&- {status}>&- &
}
# Seconds of CPU time that QEMU has had.
used() { awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) / tick) }' "/proc/$qpid/stat" 2>/dev/null || echo 0; }
halt() { earlier=$((earlier + $(used))); { kill -KILL "$qpid"; wait "$qpid"; } 2>/dev/null; qpid=; }

# Reads a line from the machine into `reply`, for at most $1 seconds.  On a busy
# host the time may end in the middle of a line: the rest comes with a later call.
hear() {
	local part
	reply=''
	if IFS= read -r -t "$1" -u "$status" part; then reply=$line$part line=''
	else line+=$part; return 1; fi
}

# --- run ----------------------------------------------------------------------
end=$((SECONDS + 6 * timeout)) most=$((timeout * $(nproc))) code='' up='' refused=''
earlier=0
for _ in 1 2 3; do
	boot
	line=''
	bootend=$((SECONDS + 10 * bootlimit))
	while :; do
		if hear 1; then
			[[ $reply == up ]] && up=1
			[[ $reply == status\ * ]] && { code=${reply#status }; break; }
		elif ((SECONDS >= end)) || (($(used) + earlier >= most)); then code=timeout; break
		elif ! kill -0 "$qpid" 2>/dev/null; then
			# The status may have come between the two checks.
			hear 0.1 && [[ $reply == status\ * ]] && code=${reply#status }
			wait "$qpid" || refused=1     # QEMU itself failed: trying again is no use
			break
		elif [[ ! $up ]] && { ((SECONDS >= bootend)) || (($(used) >= bootlimit)); }; then break; fi
	done
	halt
	[[ $code || $up || $refused ]] && break
done
exec {out}>&- {err}>&-
wait "$outpid" "$errpid"

case $code in
	timeout) echo "bignode: timed out after $SECONDS s on the clock, $earlier of the emulator, of $timeout${up:+, in the command}" >&2; code=124 ;;
	'') echo "bignode: the machine $([[ $up ]] && echo died || echo 'did not boot')" >&2; code=125
			cat "$tmp/qemu" >&2
			[[ $verbose ]] || tail -n 25 "$tmp/console" >&2 ;;
esac
exit "$code"
