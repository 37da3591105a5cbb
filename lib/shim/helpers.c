/*
 * The interposed functions for which libc makes threads of its own: for
 * asynchronous I/O, which it keeps for later requests, and for timers.
 *
 * libc does not make these threads by the pthread_create that is interposed,
 * and they would keep the mask of a pinned caller for good.  One example is the
 * thread for MPICH's MPI_File_iwrite.  Before glibc 2.34 librt makes them, by
 * that pthread_create: hence no older version of these names.
 */
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "shim/export.h"
#include "shim/next.h"
#include "shim/settle.h"
#include "shim/widen.h"

/* <aio.h> has other names for these where files are large. */
struct aiocb;

typedef int request_fn(struct aiocb *);
typedef int sync_fn(int, struct aiocb *);
typedef int list_fn(int, struct aiocb *const[], int, struct sigevent *);
typedef int timer_fn(clockid_t, struct sigevent *, timer_t *);

static __attribute__((noinline)) int
request_widened(request_fn *next, struct aiocb *request)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(request);
	sp_widen_end(&widening);
	return error;
}

static int
make_request(enum sp_function function, struct aiocb *request)
{
	request_fn *next = (request_fn *)sp_next(function);

	return sp_settled() ? request_widened(next, request) : next(request);
}

SP_EXPORT_AT(aio_read, SP_GLIBC_HELPERS) int
sp_at_aio_read(struct aiocb *request)
{
	return make_request(SP_AIO_READ, request);
}

SP_EXPORT_AT(aio_read64, SP_GLIBC_HELPERS) int
sp_at_aio_read64(struct aiocb *request)
{
	return make_request(SP_AIO_READ64, request);
}

SP_EXPORT_AT(aio_write, SP_GLIBC_HELPERS) int
sp_at_aio_write(struct aiocb *request)
{
	return make_request(SP_AIO_WRITE, request);
}

SP_EXPORT_AT(aio_write64, SP_GLIBC_HELPERS) int
sp_at_aio_write64(struct aiocb *request)
{
	return make_request(SP_AIO_WRITE64, request);
}

static __attribute__((noinline)) int
sync_widened(sync_fn *next, int operation, struct aiocb *request)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(operation, request);
	sp_widen_end(&widening);
	return error;
}

static int
make_sync(enum sp_function function, int operation, struct aiocb *request)
{
	sync_fn *next = (sync_fn *)sp_next(function);

	return sp_settled() ? sync_widened(next, operation, request) : next(operation, request);
}

SP_EXPORT_AT(aio_fsync, SP_GLIBC_HELPERS) int
sp_at_aio_fsync(int operation, struct aiocb *request)
{
	return make_sync(SP_AIO_FSYNC, operation, request);
}

SP_EXPORT_AT(aio_fsync64, SP_GLIBC_HELPERS) int
sp_at_aio_fsync64(int operation, struct aiocb *request)
{
	return make_sync(SP_AIO_FSYNC64, operation, request);
}

static __attribute__((noinline)) int
list_widened(list_fn *next, int mode, struct aiocb *const requests[], int n, struct sigevent *event)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(mode, requests, n, event);
	sp_widen_end(&widening);
	return error;
}

static int
make_list(enum sp_function function, int mode, struct aiocb *const requests[], int n, struct sigevent *event)
{
	list_fn *next = (list_fn *)sp_next(function);

	return sp_settled() ? list_widened(next, mode, requests, n, event) : next(mode, requests, n, event);
}

SP_EXPORT_AT(lio_listio, SP_GLIBC_HELPERS) int
sp_at_lio_listio(int mode, struct aiocb *const requests[], int n, struct sigevent *event)
{
	return make_list(SP_LIO_LISTIO, mode, requests, n, event);
}

SP_EXPORT_AT(lio_listio64, SP_GLIBC_HELPERS) int
sp_at_lio_listio64(int mode, struct aiocb *const requests[], int n, struct sigevent *event)
{
	return make_list(SP_LIO_LISTIO64, mode, requests, n, event);
}

static __attribute__((noinline)) int
timer_widened(timer_fn *next, clockid_t clock, struct sigevent *event, timer_t *timer)
{
	struct sp_widening widening;

	sp_widen_begin(&widening);
	int error = next(clock, event, timer);
	sp_widen_end(&widening);
	return error;
}

/* Whether a timer has a thread: only a timer that calls a function has one. */
static bool
makes_thread(const struct sigevent *event)
{
	return event && event->sigev_notify == SIGEV_THREAD;
}

SP_EXPORT_AT(timer_create, SP_GLIBC_HELPERS) int
sp_at_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	timer_fn *next = (timer_fn *)sp_next(SP_TIMER_CREATE);

	return sp_settled() && makes_thread(event) ? timer_widened(next, clock, event, timer) : next(clock, event, timer);
}
