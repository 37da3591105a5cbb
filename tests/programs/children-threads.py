# Threads and children of every kind that Python has.
import os, subprocess, sys, threading
found = []
def note(i): found.append((i, sorted(os.sched_getaffinity(0))))
threads = [threading.Thread(target=note, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(found))
print(subprocess.run(["sh", "-c", "echo child; exit 2"], capture_output=True))
print(os.popen("echo popen").read(), os.system("exit 3"))
pid = os.fork()
if pid == 0: os._exit(6)
print(os.waitpid(pid, 0)[1] >> 8, file=sys.stderr)
sys.exit(7)
