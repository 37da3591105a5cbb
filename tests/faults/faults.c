/*
 * Makes one call of splitpin's fail: linked to a rank, it sees each system call
 * and each allocation of the process and looks at its stack.  One is
 * splitpin's where the innermost object that is not of libc, the loader, hwloc
 * or libnuma is one of splitpin's libraries, unless libc does it in a function
 * that the shim passes on for the program, such as pthread_create.
 *
 * A place is such a call with its callers down to where the engine was entered,
 * or the shim; its name is a hash of their offsets in their objects, so that it
 * is the same in every run of the same build.
 *
 *   FAULTS_TRACE=FILE   append a line for each: call, place, how often in this
 *                       process, process, callers
 *   FAULTS=CALL:PLACE:N:ERRNO
 *                       the N-th at this PLACE (0: all there; PLACE 0: all of
 *                       splitpin's) fails with ERRNO; N > 0: in the first process
 *                       that comes there, as FAULTS_TOKEN says
 *   FAULTS_TOKEN=FILE   removed by the process in which it fails
 *   FAULTS_HIT=FILE     gets a line for each that has failed
 *   FAULTS_MASKS=FILE   masks of threads are kept there, for a machine of eight
 *                       CPUs where there are fewer: an empty file for each job
 *   FAULTS_BOUND=1      each rank starts on one of these
 *
 * CALL is a system call's number or "malloc", which stands for calloc, realloc
 * and the like, too.  close and munmap are done nevertheless, as the kernel does.
 *
 * System calls come here by a seccomp filter, whose signal's handler does what
 * was asked by an instruction that the filter lets pass.  Not seen are those that
 * cannot be made in a handler: clone, exec, exit and the like.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES = 64, PLACES = 1 << 14, MALLOC = -2, TEXT = 4096 };

static const char *trace_path, *token_path, *hit_path;
static long wanted_call = -1;
static unsigned long wanted_place, wanted_n;
static int wanted_error;
static _Atomic bool armed;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

/* How often each place was reached in this process. */
static struct { _Atomic uint64_t place; _Atomic unsigned n; } places[PLACES];

/* Functions of libc that the shim passes on; what fails in them fails without it, too. */
static const char passed_on[][28] = {
	"pthread_create", "thrd_create", "execve", "execv", "execvp", "execvpe", "fexecve", "posix_spawn", "posix_spawnp",
	"system", "popen", "fork", "sched_setaffinity", "sched_getaffinity", "pthread_setaffinity_np",
	"pthread_getaffinity_np",
};
static void *passed_at[sizeof(passed_on) / sizeof(passed_on[0])];

/*
 * A system call by an instruction that the filter knows.  0 to 4095: an error.
 */
long faults_raw(long number, long a, long b, long c, long d, long e, long f);
extern const char faults_raw_end[];
__asm__(".text\n.globl faults_raw\n.hidden faults_raw\n.hidden faults_raw_end\n.type faults_raw, @function\nfaults_raw:\n"
	".cfi_startproc\n"
	"movq %rdi, %rax\nmovq %rsi, %rdi\nmovq %rdx, %rsi\nmovq %rcx, %rdx\nmovq %r8, %r10\nmovq %r9, %r8\n"
	"movq 8(%rsp), %r9\nsyscall\n.globl faults_raw_end\nfaults_raw_end:\nret\n.cfi_endproc\n");

#define raw3(number, a, b, c) faults_raw(number, (long)(a), (long)(b), (long)(c), 0, 0, 0)

static void
append(const char *path, const char *text, size_t n)
{
	long fd = faults_raw(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600, 0, 0);

	raw3(SYS_write, fd, text, n);
	raw3(SYS_close, fd, 0, 0);
}

/*
 * Whose call it is.
 */

enum owner { SELF, BETWEEN, SPLITPIN, FOREIGN };

struct stack {
	uintptr_t pc[FRAMES];
	const char *object[FRAMES];
	uintptr_t offset[FRAMES];
	int n, entered;		/* frames; those within which the engine was entered */
	bool is_ours, is_passed_on;
};

static enum owner
owner_of(const char *name)
{
	static const char between[][16] = { "libc.so", "libc-", "ld-linux", "libhwloc", "libnuma", "libpthread", "libdl.", "libm.", "libudev",
					    "libpciaccess", "libxml2", "libgcc_s", "hwloc_", "libltdl", "libcap", "liblzma", "libz." };

	if (!strncmp(name, "libfaults", 9))
		return SELF;
	if (!strncmp(name, "libsplitpin", 11))
		return SPLITPIN;
	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++)
		if (!strncmp(name, between[i], strlen(between[i])))
			return BETWEEN;
	return FOREIGN;
}

static bool
is_passed_on(void *function)
{
	for (size_t i = 0; i < sizeof(passed_at) / sizeof(passed_at[0]); i++)
		if (function && passed_at[i] == function)
			return true;
	return false;
}

static _Unwind_Reason_Code
visit(struct _Unwind_Context *context, void *data)
{
	struct stack *stack = data;
	struct dl_find_object found;
	int before;
	uintptr_t pc = _Unwind_GetIPInfo(context, &before);

	if (!pc || stack->n == FRAMES || _dl_find_object((void *)(pc - !before), &found) != 0)
		return _URC_END_OF_STACK;
	const char *path = found.dlfo_link_map->l_name, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	enum owner owner = owner_of(name);
	if (owner == SELF)
		return _URC_NO_REASON;
	if (owner == FOREIGN)
		return _URC_END_OF_STACK;
	if (owner == SPLITPIN)
		stack->is_ours = true;
	else if (!stack->is_ours && is_passed_on(_Unwind_FindEnclosingFunction((void *)(pc - !before))))
		stack->is_passed_on = true;
	stack->object[stack->n] = name;
	stack->offset[stack->n] = pc - (uintptr_t)found.dlfo_link_map->l_addr;
	stack->n++;
	if (owner == SPLITPIN && (stack->entered == 0 || strcmp(name, "libsplitpin.so")))
		stack->entered = stack->n;
	return _URC_NO_REASON;
}

static uint64_t
add(uint64_t sum, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		sum = (sum ^ *p++) * 0x100000001b3u;
	return sum;
}

static uint64_t
place_of(long call, const struct stack *stack)
{
	uint64_t sum = add(0xcbf29ce484222325u, &call, sizeof(call));

	for (int i = 0; i < stack->entered; i++) {
		sum = add(sum, stack->object[i], strlen(stack->object[i]));
		sum = add(sum, &stack->offset[i], sizeof(stack->offset[i]));
	}
	return sum & 0xffffffffffff;
}

static unsigned
count(uint64_t place)
{
	for (uint64_t i = place % PLACES; ; i = (i + 1) % PLACES) {
		uint64_t now = 0;

		if (atomic_compare_exchange_strong(&places[i].place, &now, place) || now == place)
			return atomic_fetch_add(&places[i].n, 1) + 1;
	}
}

/*
 * What is to be done with it.  The same lines serve both files.
 */

static void
note(const char *path, long call, const struct stack *stack, uint64_t place, unsigned n)
{
	char text[TEXT];
	int at = snprintf(text, sizeof(text), "%ld %llx %u %ld", call, (unsigned long long)place, n,
			  raw3(SYS_getpid, 0, 0, 0));

	for (int i = 0; i < stack->entered && at < TEXT - 200; i++)
		at += snprintf(text + at, sizeof(text) - at, " %.100s+0x%lx", stack->object[i], (long)stack->offset[i]);
	text[at++] = '\n';
	append(path, text, at);
}

static bool
is_wanted(uint64_t place, unsigned n)
{
	if (wanted_place == 0 || wanted_n == 0)
		return wanted_place == 0 || wanted_place == place;
	return wanted_place == place && n == wanted_n && raw3(SYS_unlink, token_path, 0, 0) == 0;
}

/* The errno with which it fails, or 0. */
static int
fault(long call)
{
	struct stack stack = { .n = 0 };

	if (!atomic_load(&armed) || inside || (!trace_path && call != wanted_call))
		return 0;
	inside = true;
	_Unwind_Backtrace(visit, &stack);
	bool fails = false;
	if (stack.is_ours && !stack.is_passed_on) {
		uint64_t place = place_of(call, &stack);
		unsigned n = count(place);

		fails = call == wanted_call && is_wanted(place, n);
		if (trace_path)
			note(trace_path, call, &stack, place, n);
		if (fails && hit_path)
			note(hit_path, call, &stack, place, n);
	}
	inside = false;
	return fails ? wanted_error : 0;
}

/*
 * Masks on a machine that is not there, of all processes of the job.
 */

enum { THREADS = 1 << 12, ALL_CPUS = 0xff };

static struct { _Atomic int tid; _Atomic unsigned mask; } *threads;

/* The entry of a thread, made with all CPUs where there is none; NULL: no such thread. */
static _Atomic unsigned *
mask_of(int tid)
{
	if (tid == 0)
		tid = (int)raw3(SYS_gettid, 0, 0, 0);
	else if (raw3(SYS_kill, tid, 0, 0) != 0)
		return NULL;
	for (int i = tid % THREADS; ; i = (i + 1) % THREADS) {
		int now = 0;

		if (atomic_compare_exchange_strong(&threads[i].tid, &now, tid) || now == tid) {
			unsigned none = 0;

			atomic_compare_exchange_strong(&threads[i].mask, &none, ALL_CPUS);
			return &threads[i].mask;
		}
	}
}

static long
affinity(long call, int tid, size_t size, unsigned long *cpus)
{
	_Atomic unsigned *mask = mask_of(tid);

	if (!mask)
		return -ESRCH;
	if (size < sizeof(*cpus) || (call == SYS_sched_setaffinity && !(*cpus & ALL_CPUS)))
		return -EINVAL;
	if (call == SYS_sched_setaffinity)
		atomic_store(mask, *cpus & ALL_CPUS);
	else
		*cpus = atomic_load(mask);
	return call == SYS_sched_setaffinity ? 0 : sizeof(*cpus);
}

static void
begin_masks(const char *path, const char *rank)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ftruncate(fd, THREADS * sizeof(*threads)) != 0)
		_exit(70);
	threads = mmap(NULL, THREADS * sizeof(*threads), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (threads == MAP_FAILED)
		_exit(70);
	unsigned mask = rank ? 1 << atoi(rank) % 8 : ALL_CPUS;
	affinity(SYS_sched_setaffinity, 0, 8, &(unsigned long){ mask });
}

/* Threads inherit.  Never freed: there are few, and an allocation here would be counted. */
struct start { void *(*start)(void *); void *arg; unsigned mask; };

static void *
start_thread(void *data)
{
	struct start start = *(struct start *)data;

	atomic_store(mask_of(0), start.mask);
	return start.start(start.arg);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	static struct start pool[256];
	static _Atomic unsigned used;
	static create_fn *_Atomic next;

	if (!next)
		next = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
	unsigned i = threads ? atomic_fetch_add(&used, 1) : 256;
	if (i >= 256)
		return next(thread, attr, start, arg);
	pool[i] = (struct start){ start, arg, atomic_load(mask_of(0)) };
	return next(thread, attr, start_thread, &pool[i]);
}

/*
 * System calls.
 */

/* Nobody may block the signal, or a call that comes here would kill the process. */
static long
set_mask(ucontext_t *context, long how, const uint64_t *set, uint64_t *old)
{
	uint64_t *mask = (uint64_t *)&context->uc_sigmask, now = *mask;

	if (set)
		*mask = (how == SIG_BLOCK ? now | *set : how == SIG_UNBLOCK ? now & ~*set : *set) &
			~(1ull << (SIGSYS - 1) | 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
	if (old)
		*old = now;
	return 0;
}

static void
trapped(int number, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	greg_t *r = context->uc_mcontext.gregs;
	long call = info->si_syscall, a = r[REG_RDI], result;
	int error = 0;

	(void)number;
	if (call == SYS_rt_sigaction && a == SIGSYS) {
		r[REG_RAX] = 0;
		return;
	}
	error = fault(call);
	if (error && call == SYS_brk) {
		r[REG_RAX] = raw3(SYS_brk, 0, 0, 0);
		return;
	}
	if (error && call != SYS_close && call != SYS_munmap)
		result = -error;
	else if (call == SYS_rt_sigprocmask)
		result = set_mask(context, a, (uint64_t *)r[REG_RSI], (uint64_t *)r[REG_RDX]);
	else if (threads && (call == SYS_sched_setaffinity || call == SYS_sched_getaffinity))
		result = affinity(call, (int)a, r[REG_RSI], (unsigned long *)r[REG_RDX]);
	else
		result = faults_raw(call, a, r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
	r[REG_RAX] = error ? -error : result;
}

/* All, or only the one that is to fail and those that would get in its way. */
static void
install_filter(void)
{
	static const short never[] = { SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_execveat, SYS_exit,
				       SYS_exit_group, SYS_rt_sigreturn, SYS_restart_syscall };
	struct sock_filter filter[64];
	struct sock_fprog program = { .filter = filter };
	uintptr_t end = (uintptr_t)faults_raw_end;
	size_t n = 0;

#define LOAD(field) filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_UNLESS(value, lines) filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines)
	LOAD(arch);
	SKIP_UNLESS(AUDIT_ARCH_X86_64, 4);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
	SKIP_UNLESS((uint32_t)end, 3);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
	SKIP_UNLESS((uint32_t)(end >> 32), 1);
	RETURN(SECCOMP_RET_ALLOW);
	LOAD(nr);
	if (trace_path) {
		for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
			SKIP_UNLESS(never[i], 1);
			RETURN(SECCOMP_RET_ALLOW);
		}
		RETURN(SECCOMP_RET_TRAP);
	} else {
		const long some[] = { wanted_call, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_sched_setaffinity, SYS_sched_getaffinity };

		for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
			SKIP_UNLESS((uint32_t)some[i], 1);
			RETURN(SECCOMP_RET_TRAP);
		}
		RETURN(SECCOMP_RET_ALLOW);
	}
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("faults: no seccomp filter");
		_exit(70);
	}
}

/*
 * Allocations.
 */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static bool
no_memory(void)
{
	int error = fault(MALLOC);

	if (error)
		errno = error;
	return error;
}

void *
malloc(size_t size)
{
	return no_memory() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return no_memory() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *old, size_t size)
{
	return no_memory() ? NULL : __libc_realloc(old, size);
}

void *
memalign(size_t align, size_t size)
{
	return no_memory() ? NULL : __libc_memalign(align, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
	return no_memory() ? NULL : __libc_memalign(align, size);
}

int
posix_memalign(void **to, size_t align, size_t size)
{
	void *got = no_memory() ? NULL : __libc_memalign(align, size);

	if (!got)
		return ENOMEM;
	*to = got;
	return 0;
}

/*
 * Before all constructors: the program refers to it (first.c).
 */

static void
read_wanted(const char *text)
{
	if (!text)
		return;
	char *end = (char *)text;
	wanted_call = strncmp(text, "malloc", 6) ? strtol(text, &end, 10) : MALLOC;
	if (wanted_call == MALLOC)
		end += 6;
	wanted_place = strtoul(end + 1, &end, 16);
	wanted_n = strtoul(end + 1, &end, 10);
	wanted_error = (int)strtol(end + 1, &end, 10);
}

void faults_begin(int argc, char **argv, char **envp);

/* libc has neither an environment yet, nor may dlopen be called, which would initialise it without one. */
static const char *
value(char **envp, const char *name)
{
	for (size_t n = strlen(name); *envp; envp++)
		if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

void
faults_begin(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };

	trace_path = value(envp, "FAULTS_TRACE");
	token_path = value(envp, "FAULTS_TOKEN");
	hit_path = value(envp, "FAULTS_HIT");
	read_wanted(value(envp, "FAULTS"));
	if (value(envp, "FAULTS_MASKS"))
		begin_masks(value(envp, "FAULTS_MASKS"), value(envp, "FAULTS_BOUND") ? value(envp, "PMI_RANK") : NULL);
	if (!trace_path && wanted_call == -1 && !threads)
		return;
	for (size_t i = 0; i < sizeof(passed_at) / sizeof(passed_at[0]); i++)
		passed_at[i] = dlsym(RTLD_NEXT, passed_on[i]);
	struct stack warm = { .n = 0 };
	_Unwind_Backtrace(visit, &warm);	/* what it does once */
	atomic_store(&armed, true);
	if (wanted_call == MALLOC && !trace_path && !threads)
		return;
	sigaction(SIGSYS, &action, NULL);
	install_filter();
}
