#!/bin/sh
# Inside of a tree: every program with --version, its exit status and what it printed, one line each.
#
#   every-program.sh FOLDER|PROGRAM...
#
# Of a program that prints without end, the first 64 KB; the pipe then stops it.
for folder; do
	if [ -d "$folder" ]; then set -- "$folder"/*; else set -- "$folder"; fi
	for program; do
		if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
		case ${program##*/} in
		# What they print is the time, or the state of the system.
		*halt | reboot | poweroff | shutdown | telinit | init | runlevel) continue ;;
		esac
		said=$({ timeout 10 "$program" --version 2>&1 < /dev/null; echo $? > /tmp/status; } | head -c 65536 | cksum)
		echo "$program $(cat /tmp/status) $said"
	done
done
