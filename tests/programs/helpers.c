/*
 * What libc makes for a pinned thread by internal calls: threads for asynchronous
 * I/O, timers, message queues and look-ups of names, children of wordexp,
 * execveat and _Fork.  Prints the CPU list of each,
 * one a line: "aio 0-3".  Linked with librt before glibc 2.34.
 *
 *   helpers FILE          a file to write
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#define LIST "Cpus_allowed_list:"
#define SHOW "sed -n 's/^" LIST "[[:blank:]]*//p' /proc/self/status"

extern char **environ;

static char buffer[1 << 16];

/* The CPU list of a thread. */
static void
tell(const char *name, int tid)
{
	char path[64], line[4096];
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	FILE *status = fopen(path, "r");

	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, LIST, strlen(LIST)) == 0)
			printf("%s %s", name, line + strlen(LIST) + strspn(line + strlen(LIST), " \t"));
	if (status)
		fclose(status);
}

/* Threads that are there, and were not at the last call: tell of them where they have a name. */
static void
tell_new(const char *name)
{
	static int known[64], n;
	DIR *tasks = opendir("/proc/self/task");

	for (struct dirent *entry; (entry = readdir(tasks));) {
		int tid = atoi(entry->d_name), old = tid == 0;

		for (int i = 0; i < n; i++)
			old |= known[i] == tid;
		if (old || n == 64)
			continue;
		known[n++] = tid;
		if (name)
			tell(name, tid);
	}
	closedir(tasks);
}

static struct aiocb *
request_of(int fd, int operation)
{
	static struct aiocb requests[8];
	static int n;
	struct aiocb *request = &requests[n++];

	*request = (struct aiocb){ .aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = sizeof(buffer), .aio_lio_opcode = operation };
	return request;
}

static void
finish(struct aiocb *request)
{
	const struct aiocb *list[] = { request };

	while (aio_error(request) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	aio_return(request);
}

/* Each begins when libc has no such thread left: they end after a second without work. */
static void
by_aio(const char *name, const char *path)
{
	int fd = open(path, O_CREAT | O_RDWR, 0600);
	struct aiocb *request = request_of(fd, LIO_WRITE), *list[] = { request };

	tell_new(NULL);
	if (strcmp(name, "aio_write") == 0)
		aio_write(request);
	else if (strcmp(name, "aio_read") == 0)
		aio_read(request);
	else if (strcmp(name, "aio_fsync") == 0)
		aio_fsync(O_SYNC, request);
	else
		lio_listio(LIO_NOWAIT, list, 1, NULL);
	tell_new(name);
	finish(request);
	close(fd);
	sleep(2);
}

static sem_t told;

static void
on_timer(union sigval unused)
{
	(void)unused;
	tell("timer_create", gettid());
	sem_post(&told);
}

static void
by_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer };
	struct itimerspec soon = { .it_value = { .tv_nsec = 1000 } };
	timer_t timer;

	sem_init(&told, 0, 0);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0)
		return;
	sem_wait(&told);
	timer_delete(timer);
}

static void
on_message(union sigval unused)
{
	(void)unused;
	tell("mq_notify", gettid());
	sem_post(&told);
}

/* Where the kernel has no message queues, that is said instead. */
static void
by_queue(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_message };
	char name[32];

	snprintf(name, sizeof(name), "/splitpin-%d", getpid());
	mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);

	if (queue == (mqd_t)-1) {
		puts("mq_notify none");
		return;
	}
	mq_unlink(name);
	if (mq_notify(queue, &event) == 0 && mq_send(queue, "x", 1, 0) == 0)
		sem_wait(&told);
	mq_close(queue);
}

static void
on_name(union sigval unused)
{
	(void)unused;
	tell("getaddrinfo_a", gettid());
	sem_post(&told);
}

static void
by_name(void)
{
	struct gaicb request = { .ar_name = "127.0.0.1" }, *list[] = { &request };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_name };

	if (getaddrinfo_a(GAI_NOWAIT, list, 1, &event) == 0)
		sem_wait(&told);
}

static void
by_fork(void)
{
#if __GLIBC_PREREQ(2, 34)
	fflush(stdout);
	if (_Fork() == 0) {
		tell("_Fork", getpid());
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
#endif
}

static void
by_wordexp(void)
{
	wordexp_t words;

	if (wordexp("$(" SHOW ")", &words, 0) != 0)
		return;
	printf("wordexp %s\n", words.we_wordv[0]);
	wordfree(&words);
}

static void
by_execveat(void)
{
#if __GLIBC_PREREQ(2, 34)
	char *const show[] = { "sh", "-c", "echo \"execveat $(" SHOW ")\"", NULL };

	fflush(stdout);
	if (vfork() == 0) {
		execveat(AT_FDCWD, "/bin/sh", show, environ, 0);
		_exit(127);
	}
	wait(NULL);
#endif
}

int
main(int argc, char **argv)
{
	static const char *const aio[] = { "aio_write", "aio_read", "aio_fsync", "lio_listio" };

	if (argc != 2)
		return 2;
#pragma omp parallel
	__asm__ volatile("");
	tell("main", getpid());
	for (unsigned i = 0; i < sizeof(aio) / sizeof(aio[0]); i++)
		by_aio(aio[i], argv[1]);
	by_timer();
	by_queue();
	by_name();
	by_wordexp();
	by_execveat();
	by_fork();
	tell("main", getpid());
	return 0;
}
