# shellcheck shell=bash
# Processes of its own where the kernel allows it, so that threads which others
# have pinned on this machine are in nobody's way.  Sourced first of all; the
# script begins anew in a PID namespace, as a child of its first process.
#
#   processes     "own", or "common"

# prove -e '' tests/*.sh runs this, too.
if [ "$0" = "${BASH_SOURCE[0]}" ]; then
	echo "1..0 # SKIP what the tests share"
	exit
fi

if [ "${OWN_PROCESSES-}" != own ]; then
	for way in "unshare -mpf --mount-proc" "unshare -Urmpf --mount-proc"; do
		# shellcheck disable=SC2016 # for that shell, which is process 1
		$way true 2>/dev/null && OWN_PROCESSES=own exec $way bash -c 'bash "$0" "$@"; exit $?' "$0" "$@"
	done
fi
# shellcheck disable=SC2034 # for the script
processes=${OWN_PROCESSES-common}
unset OWN_PROCESSES
