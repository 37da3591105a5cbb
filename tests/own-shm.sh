# shellcheck shell=bash
# A /dev/shm of its own where the kernel allows it, so that no job of this machine
# meets those of the script.  Sourced before tests/lib.sh; the script begins anew
# in a mount namespace, so nothing stands before it that is to be done once.
#
#   shm       "own", or "common"

# prove -e '' tests/*.sh runs this, too.
if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	echo "1..0 # SKIP what the tests share"
	exit
fi

# By the number of the process, which exec keeps: scripts that it calls begin for themselves.
shm=common
if [ "${OWN_SHM-}" != $$ ]; then
	for way in "unshare -m" "unshare -Urm"; do
		$way true 2>/dev/null && OWN_SHM=$$ exec $way bash "$0" "$@"
	done
elif mount -t tmpfs tmpfs /dev/shm; then
	# shellcheck disable=SC2034 # for the script
	shm=own
fi
unset OWN_SHM
