#!/bin/sh -p
# Run in the tree by the programs of witnesses.sh: writes down which programs are
# above it, and whether they have the library mapped.
pid=$$
while [ "$pid" -gt 1 ]; do
	mapped=no
	grep -q '/libsplitpin\.so$' "/proc/$pid/maps" && mapped=yes
	echo "$(tr ' ' _ < "/proc/$pid/comm") $mapped" >> /witnessed
	pid=$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status")
done
exit 0
