#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "process/process.h"

#define STAT_TEXT 1024
#define PF_EXITING 4u	/* include/linux/sched.h; in /proc/PID/stat since Linux 2.6.22 */
#define STATUS_TEXT 4096
#define TEXT_FIRST (1 << 14)	/* most environments are smaller */
#define TEXT_MAX (1 << 20)	/* the rest of a larger one is not read */

#define PATH 32			/* room for the path of a file that belongs to a process */

static void
path_of(char path[PATH], pid_t pid, const char *file)
{
	struct sp_text text = sp_text_begin(path, PATH);

	sp_text_put(&text, "/proc/");
	sp_text_put_number(&text, (uint32_t)pid);
	sp_text_put(&text, file);
}

/* Read a file of /proc into text, NUL-terminated, in as many pieces as it may come in.  Returns its length or a negative errno. */
static ssize_t
read_file(const char *path, char *text, size_t size, unsigned pieces)
{
	size_t length = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (ssize_t n; pieces-- && length < size - 1; length += (size_t)n) {
		n = read(fd, text + length, size - 1 - length);
		if (n <= 0)
			break;
	}
	close(fd);
	text[length] = '\0';
	return (ssize_t)length;
}

static ssize_t
read_all(const char *path, char *text, size_t size)
{
	return read_file(path, text, size, UINT_MAX);
}

/*
 * The state is that of the first thread; the number of threads and the CPU time
 * are those of all threads, the first included.
 */
struct status {
	char state;
	int threads;
	unsigned flags;
	uint64_t own_ticks;	/* of CPU time */
	uint64_t ticks;		/* own_ticks, and those of children that have ended and been waited for */
	uint64_t waited_faults;	/* page faults of such children: each has had some */
};

/* Indexes of the fields after the name, some of which are used: the numbers in proc(5), less 3. */
enum { STATE, PARENT, FLAGS = 6, WAITED_FAULTS = 8, USER = 11, SYSTEM, WAITED_USER, WAITED_SYSTEM, THREADS = 17, STARTED = 19, FIELDS };

static bool
is_end(char c)
{
	return c == ' ' || c == '\n' || c == '\0';
}

/* Parsed by hand: a rank reads some ten of these files, and sscanf is slow.  A field that is not a number becomes 0. */
static bool
read_fields(const char *text, uint64_t field[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		if (is_end(*text))
			return false;
		for (field[i] = 0; *text >= '0' && *text <= '9'; text++)
			field[i] = field[i] * 10 + (uint64_t)(*text - '0');
		if (!is_end(*text) && *text != '-' && i != STATE)
			return false;
		while (!is_end(*text))
			text++;
		text += *text == ' ';
	}
	return true;
}

/*
 * "pid (name) state ppid ... threads 0 start": the name may hold blanks and
 * brackets.  Where the first thread has ended before the others the process
 * is a zombie by its state and alive by its threads.
 */
static int
parse_stat(const char *text, struct status *status, struct sp_process *process)
{
	const char *rest = strrchr(text, ')');
	uint64_t field[FIELDS] = { 0 };

	if (!rest || rest[1] != ' ' || !read_fields(rest + 2, field))
		return -EPROTO;
	status->state = rest[2];
	status->flags = (unsigned)field[FLAGS];
	status->threads = (int)field[THREADS];
	status->waited_faults = field[WAITED_FAULTS];
	status->own_ticks = field[USER] + field[SYSTEM];
	status->ticks = status->own_ticks + field[WAITED_USER] + field[WAITED_SYSTEM];
	process->parent = (int32_t)field[PARENT];
	process->started = field[STARTED];
	return 0;
}

static bool
has_ended(const struct status *status)
{
	return status->state == 'X' || (status->state == 'Z' && status->threads <= 1);
}

/* The first time name space of a system, whose clocks are the system's. */
#define FIRST_TIME_SPACE 0xeffffffau
#define TICKS_A_SECOND 100	/* USER_HZ */

/*
 * By how much the clock of this process's time name space is ahead: what /proc
 * shows of any process is by the clock of the reader.
 */
int64_t
sp_process_clock_ahead(void)
{
	static const char name[] = "\nboottime";
	static _Atomic int64_t known;
	static _Atomic pid_t known_of;
	char text[STAT_TEXT], *end;
	struct stat space;
	int64_t ticks = 0;
	pid_t self = getpid();

	if (known_of == self)
		return known;
	if (stat("/proc/self/ns/time", &space) == 0 && space.st_ino != FIRST_TIME_SPACE &&
	    read_all("/proc/self/timens_offsets", text, sizeof(text)) > 0 && strstr(text, name)) {
		ticks = strtoll(strstr(text, name) + sizeof(name) - 1, &end, 10) * TICKS_A_SECOND;
		ticks += strtoll(end, NULL, 10) / (1000000000 / TICKS_A_SECOND);
	}
	known = ticks;
	known_of = self;
	return ticks;
}

/* Read the stat file of a process, or of one of its threads, whose number is then pid. */
static int
read_stat_file(const char *path, pid_t pid, struct status *status, struct sp_process *process)
{
	char text[STAT_TEXT];

	*status = (struct status){ .state = '\0' };
	*process = (struct sp_process){ .pid = pid };
	ssize_t length = read_file(path, text, sizeof(text), 1);	/* one line comes in one piece */
	if (length <= 0)
		return length == 0 || length == -ENOENT ? -ESRCH : (int)length;
	int error = parse_stat(text, status, process);
	if (!error)
		process->started -= (uint64_t)sp_process_clock_ahead();
	return error;
}

static int
read_stat(pid_t pid, struct status *status, struct sp_process *process)
{
	char path[PATH];

	path_of(path, pid, "/stat");
	return read_stat_file(path, pid, status, process);
}

int
sp_process_read(pid_t pid, struct sp_process *process)
{
	struct status status;

	return read_stat(pid, &status, process);
}

pid_t
sp_process_parent(pid_t pid)
{
	struct sp_process process;

	if (pid == getpid())
		return getppid();
	int error = sp_process_read(pid, &process);
	return error ? error : process.parent;
}

/* The PID name space of this process, which it never leaves; a forked child may be in another. */
static uint64_t
own_space(void)
{
	static _Atomic uint64_t known;
	static _Atomic pid_t known_of;
	struct stat space;
	pid_t self = getpid();

	if (known_of == self)
		return known;
	if (stat("/proc/self/ns/pid", &space) != 0)
		return 0;
	known = space.st_ino;
	known_of = self;
	return space.st_ino;
}

pid_t
sp_process_here(const struct sp_process *process)
{
	return process->space && process->space != own_space() ? 0 : process->pid;
}

static struct sp_activity
activity_of(const struct status *status, uint64_t ticks)
{
	return (struct sp_activity){
		.state = status->state, .is_ending = status->flags & PF_EXITING,
		.has_waited = status->waited_faults, .threads = (uint32_t)status->threads, .ticks = ticks };
}

int
sp_process_activity(pid_t pid, struct sp_activity *activity)
{
	struct sp_process process;
	struct status status;
	int error = read_stat(pid, &status, &process);

	if (!error)
		*activity = activity_of(&status, status.ticks);
	return error;
}

int
sp_process_thread(pid_t pid, pid_t tid, struct sp_activity *activity, struct sp_process *thread)
{
	struct status status;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	int error = read_stat_file(path, tid, &status, thread);
	if (!error)
		*activity = activity_of(&status, status.own_ticks);
	return error;
}

bool
sp_process_is_ancestor(pid_t pid, const struct sp_process *process)
{
	struct sp_process at = *process;

	if (process->space && process->space != own_space())
		return false;
	for (int i = 0; i < SP_GENERATIONS_MAX && at.parent > 1; i++) {
		if (at.parent == pid)
			return true;
		if (sp_process_read(at.parent, &at) != 0)
			return false;
	}
	return false;
}

bool
sp_process_is_left(void)
{
	struct sp_process self;
	struct status status;

	return read_stat(getpid(), &status, &self) == 0 && status.state == 'Z' && status.threads <= 2;
}

int
sp_process_self(struct sp_process *process)
{
	int error = sp_process_read(getpid(), process);

	process->space = own_space();
	return error;
}

bool
sp_process_same(const struct sp_process *a, const struct sp_process *b)
{
	return a->pid == b->pid && a->started == b->started && a->space == b->space;
}

/* The first PID name space of a system, from which all processes can be seen. */
#define FIRST_SPACE 0xeffffffcu

/*
 * The number that a process has in its own PID name space, the last of "NSpid:
 * 4711 17"; 0 where the kernel, older than 4.1, does not show it.
 */
static pid_t
number_in_own_space(pid_t pid)
{
	static const char name[] = "\nNSpid:";
	char path[PATH], text[STATUS_TEXT];
	long number = 0;

	path_of(path, pid, "/status");
	const char *at = read_all(path, text, sizeof(text)) > 0 ? strstr(text, name) : NULL;
	for (at = at ? at + sizeof(name) - 1 : ""; *at == '\t'; at += strcspn(at + 1, "\t\n") + 1)
		number = strtol(at, NULL, 10);
	return (pid_t)number;
}

/* Start times are those of a clock of 10 ms, in which a container starts several processes. */
static bool
is_living_as(pid_t pid, const struct sp_process *process)
{
	struct sp_process at;
	struct status status;

	if (read_stat(pid, &status, &at) != 0 || at.started != process->started || has_ended(&status))
		return false;
	pid_t number = number_in_own_space(pid);
	return !number || number == process->pid;
}

/*
 * Whether pid is the process of another PID name space, which has another number
 * here, and the same start time.  If the first process of a container was killed,
 * it stays as a zombie until its parent, perhaps the first process of another
 * container, waits for it.
 */
struct in_space {
	const struct sp_process *process;
	bool found;
};

static bool
is_in_space(pid_t pid, void *data)
{
	struct in_space *search = data;
	char path[PATH];
	struct stat its;

	path_of(path, pid, "/ns/pid");
	search->found = stat(path, &its) == 0 && its.st_ino == search->process->space && is_living_as(pid, search->process);
	return search->found;
}

enum sp_sight
sp_process_sight(const struct sp_process *process)
{
	struct in_space search = { .process = process };
	uint64_t own = own_space();

	if (!process->space || process->space == own)
		return sp_process_lives(process) ? SP_SEEN : SP_GONE;
	bool are_all = sp_process_each(is_in_space, &search) == 0;
	if (search.found)
		return SP_SEEN;
	return are_all && own == FIRST_SPACE ? SP_GONE : SP_OUT_OF_SIGHT;
}

bool
sp_process_look(const struct sp_process *process, struct sp_activity *activity)
{
	struct sp_process now;
	struct status status;

	*activity = (struct sp_activity){ .state = '\0' };
	if (process->space && process->space != own_space())
		return true;
	if (process->pid <= 0)
		return false;
	int error = read_stat(process->pid, &status, &now);
	if (error)
		return error != -ESRCH;
	if (now.started != process->started || has_ended(&status))
		return false;
	*activity = activity_of(&status, status.ticks);
	return true;
}

bool
sp_process_lives(const struct sp_process *process)
{
	struct sp_activity activity;

	return sp_process_look(process, &activity);
}

/* Split a text into strings; the array of pointers precedes the text in one piece of memory. */
static char **
as_array(const char *text, size_t length)
{
	size_t n = 0;

	for (const char *p = text; p < text + length; p += strlen(p) + 1)
		n++;
	/* As many pointers again as the text, with its NUL, has room in. */
	char **array = malloc((n + 1 + length / sizeof(*array) + 1) * sizeof(*array));
	if (!array)
		return NULL;
	char *copy = (char *)(array + n + 1);
	memcpy(copy, text, length + 1);
	for (size_t i = 0; i < n; i++, copy += strlen(copy) + 1)
		array[i] = copy;
	array[n] = NULL;
	return array;
}

/* Read a whole file of /proc; NULL where it is empty or cannot be read. */
static char *
read_any(const char *path, size_t *size)
{
	ssize_t length = 0;
	char *text = NULL;

	for (size_t room = TEXT_FIRST; room <= TEXT_MAX; room *= 4) {
		free(text);
		text = malloc(room);	/* most of it is not touched; nor read, beyond the length */
		length = text ? read_all(path, text, room) : -ENOMEM;
		if (length < (ssize_t)room - 1)
			break;
	}
	if (length <= 0) {
		free(text);
		text = NULL;
	}
	*size = text ? (size_t)length : 0;
	return text;
}

static bool reads_all;	/* written once, by a command that root has started */

void
sp_process_read_all(void)
{
	reads_all = true;
}

bool
sp_process_is_readable(pid_t pid)
{
	char path[PATH];
	struct stat its;

	path_of(path, pid, "");
	return reads_all || (stat(path, &its) == 0 && its.st_uid == geteuid()) || pid == getpid();
}

char **
sp_process_environment(pid_t pid)
{
	char path[PATH], **array = NULL;
	size_t length;

	if (!sp_process_is_readable(pid))
		return NULL;
	path_of(path, pid, "/environ");
	char *text = read_any(path, &length);
	if (text)
		array = as_array(text, length);
	free(text);
	return array;
}

/* The name that the kernel keeps, as the only argument: "slurmstepd\n". */
static char *
name_as_arguments(pid_t pid, size_t *length)
{
	char path[PATH];

	path_of(path, pid, "/comm");
	char *text = read_any(path, length);
	if (text)
		text[*length - 1] = '\0';
	return text;
}

char *
sp_process_arguments(pid_t pid, size_t *length)
{
	char path[PATH];

	if (!sp_process_is_readable(pid))
		return name_as_arguments(pid, length);
	path_of(path, pid, "/cmdline");
	char *text = read_any(path, length);
	/* One that was written over may not end in NUL; read_all has added one.  By memchr: analysers take what is read from a file for uninitialised. */
	if (text && *length > 0 && !memchr(text + *length - 1, '\0', 1))
		++*length;
	return text;
}
