#!/bin/sh
# Run in the tree by tests/preload-tree.sh: programs of which each runs witness.sh.
cd /tmp || exit
: > /witnessed
# Where a shell runs one command alone it turns into it.
witness='/witness.sh; true'
sh -c "$witness"
perl -e 'system "/witness.sh"'
python3 -c 'import subprocess; subprocess.run("/witness.sh")'
printf 'all:\n\t%s\n' "$witness" | make -s -f -
git -c alias.w="!$witness" w
echo 'int main(void) { return 0; }' > a.c
gcc -wrapper /witness.sh -S a.c
printf '#include <stdlib.h>\nint main(void) { return system("%s"); }\n' "$witness" > static.c
gcc -static -o static-program static.c && ./static-program
gdb -nx -batch -ex "shell $witness" > /dev/null
ssh-keygen -q -t ed25519 -N secret -f key
SSH_ASKPASS=/witness.sh SSH_ASKPASS_REQUIRE=force DISPLAY=:0 ssh-keygen -y -f key 2> /dev/null
# Where man has a terminal it starts a pager.
tmux -f /dev/null -L test new-session -d "$witness; man -P /witness.sh 1 man; tmux -L test wait-for -S over; sleep 60"
timeout 20 tmux -L test wait-for over
tmux -L test kill-server
cp /usr/bin/find setuid-find
chmod 4755 setuid-find
setpriv --reuid 65534 --clear-groups ./setuid-find / -maxdepth 0 -exec /witness.sh \;
dpkg --pre-invoke="$witness" -r gdb
apt-get -o "DPkg::Pre-Invoke::=$witness" remove tmux
