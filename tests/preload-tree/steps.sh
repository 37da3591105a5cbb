#!/bin/sh
# Run in the tree by tests/preload-tree.sh: what people and machines do, in steps.
# What each prints and how it ends is kept in /out.
mkdir -p /out /try
cd /try || exit

# step NAME: run the commands of standard input.
step() {
	sh > "/out/$1.out" 2> "/out/$1.err"
	echo $? > "/out/$1.status"
}

step packages <<'END'
set -e
apt-get install jq ca-certificates python3-yaml
echo '{"a": [1, 2, 3]}' | jq -c '.a | map(. * 2)'
python3 -c 'import yaml; print(yaml.safe_load("a: [1, 2]"))'
openssl version
ls /etc/ssl/certs | wc -l
dpkg --verify jq python3-yaml
apt-get purge jq python3-yaml
apt-get --purge autoremove
dpkg -l | tail -n +4 | awk '{print $1, $2, $3}'
END

step build <<'END'
set -e
tar -xf /usr/src/hello_*.orig.tar.gz
cd hello-*
FORCE_UNSAFE_CONFIGURE=1 ./configure --quiet
make
make check
./hello -g 'a program from source'
make DESTDIR=/try/hello-root install
END

step compiler <<'END'
set -e
cat > threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int work(int n) { return n * n; }
static void *run(void *n) { return (void *)(long)work((int)(long)n); }
int main(void)
{
	pthread_t thread[4];
	void *sum = 0;
	for (long i = 0; i < 4; i++)
		pthread_create(&thread[i], 0, run, (void *)i);
	for (int i = 0; i < 4; i++, printf("%ld\n", (long)sum))
		pthread_join(thread[i], &sum);
	printf("%ld %d\n", sysconf(_SC_NPROCESSORS_ONLN), system("exit 3"));
	return 7;
}
C
gcc -g -O0 -Wall -o threads threads.c
./threads || echo "status $?"
gcc -g -O0 -static -o threads-static threads.c
./threads-static || echo "status $?"
gcc -O2 -flto -fopenmp -o threads-lto threads.c
gcc -c no-such-file.c || echo "status $?"
printf 'int main(void) { return nothing; }\n' > wrong.c
gcc -c wrong.c || echo "status $?"
END

step gdb <<'END'
gdb -nx -batch -ex 'set print thread-events off' -ex 'break main' -ex run -ex 'break work if n == 2' -ex continue -ex backtrace -ex 'print n' \
	-ex 'delete' -ex continue threads
END

step git <<'END'
set -e
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git config --global user.name Nobody
git config --global user.email nobody@example.org
git init -b main repository
cd repository
for i in 1 2 3; do
	echo "$i" >> file
	git add file
	git commit -m "change $i"
done
git checkout -b side HEAD~1
echo side > other
git add other
git commit -m side
git merge -m merge main
git log --stat --graph
git gc
git fsck --strict
git clone . ../copy
git -C ../copy log --oneline
git bisect start HEAD HEAD~2
git bisect run sh -c 'test $(wc -l < file) -lt 3'
END

step python <<'END'
cat > program.py <<'P'
import ctypes, multiprocessing, os, signal, socket, sqlite3, subprocess, sys, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def square(n): return n * n
def main():
    with ThreadPoolExecutor(4) as pool: print(list(pool.map(square, range(8))))
    with ProcessPoolExecutor(2) as pool: print(list(pool.map(square, range(8))))
    print(sorted(os.sched_getaffinity(0)), os.cpu_count(), threading.active_count())
    print(subprocess.run(["sh", "-c", "echo child; exit 2"], capture_output=True))
    print(os.popen("echo popen").read(), os.system("exit 3"), os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 4"))
    sys.stdout.flush()
    child = os.fork()
    if child == 0: os._exit(6)
    print(os.waitpid(child, 0)[1] >> 8)
    base = sqlite3.connect("base.sqlite")
    base.execute("create table t (a, b)"), base.executemany("insert into t values (?, ?)", enumerate("abc")), base.commit()
    print(base.execute("select * from t order by b desc").fetchall())
    a, b = socket.socketpair(); a.send(b"hello"); print(b.recv(5))
    print(ctypes.CDLL(None).getpid() == os.getpid(), sorted(os.environ))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(7)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
if __name__ == "__main__": main()
P
python3 program.py
echo "status $?"
python3 -m compileall -q --invalidation-mode checked-hash program.py
END

step perl <<'END'
perl -e 'my @p; for my $i (1..3) { my $p = fork; unless ($p) { exit $i } push @p, $p }
	for (@p) { waitpid $_, 0; print $? >> 8, "\n" } print `echo backquote`; exec "sh", "-c", "exit 5"'
echo "status $?"
find /usr/share/perl -name '*.pm' | sort | head -n 200 | xargs perl -ne '$n{lc $1}++ while /(\w+)/g; END { print "$_ $n{$_}\n" for (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0..20] }'
END

step man <<'END'
set -e
mandb --create --quiet
man -P cat 1 man | head -n 40
man -w 7 splitpin
man -P cat 7 splitpin | md5sum
man -k '^git-b' | sort
END

step ssh <<'END'
set -e
for kind in ed25519 rsa ecdsa; do
	ssh-keygen -q -t $kind -N secret -C nobody -f key-$kind
	ssh-keygen -y -P secret -f key-$kind | cmp - key-$kind.pub
	ssh-keygen -p -P secret -N '' -f key-$kind
	echo "nobody $(cut -d ' ' -f 1,2 key-$kind.pub)" > allowed
	echo text | ssh-keygen -Y sign -q -n file -f key-$kind > signature
	echo text | ssh-keygen -Y verify -n file -f allowed -I nobody -s signature
done
ssh -V
ssh -o ConnectTimeout=1 -p 1 127.0.0.1 true || echo "status $?"
END

step tmux <<'END'
cat > window <<'W'
echo in the window
stty size
tmux -L test wait-for -S ready
read line
echo "got $line"
tmux -L test wait-for -S done
sleep 60
W
tmux -f /dev/null -L test new-session -d -x 80 -y 24 'sh window'
timeout 20 tmux -L test wait-for ready
echo "status $?"
tmux -L test send-keys 'some keys' Enter
timeout 20 tmux -L test wait-for done
echo "status $?"
tmux -L test capture-pane -p
tmux -L test list-windows -F '#{window_width}'
tmux -L test kill-server
END

step shell <<'END'
trap 'echo at the end' EXIT
for i in 1 2 3; do echo $i; done | sort -r | tee copy | (read first; echo "first $first"; cat)
(exec 2>&-; ls /no-such; echo "status $?")
(exec 0<&- 1>&-; cat; true)
echo "status $?"
{ sleep 0.05; echo background; } & wait $!
env -i /bin/sh -c 'echo "$0 $PATH"; env'
setpriv --reuid 65534 --clear-groups passwd -S
find /usr/bin -name 'x*' | sort | xargs ls -l | awk '{print $1, $9}'
tar -C /usr/share -cf - perl | gzip -9n | xz -0 | wc -c
nproc
taskset -p 1 | sed 's/.*: //'
timeout 0.05 sleep 5
echo "status $?"
kill -SEGV $$
END
exit 0
