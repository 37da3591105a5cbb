/*
 * The interposed functions for which libc makes threads of its own: for
 * asynchronous I/O and look-ups of names, which it keeps for later requests,
 * for timers and for message queues.
 *
 * libc does not make these threads by the pthread_create that is interposed,
 * and they would keep the mask of a pinned caller for good.  One example is the
 * thread for MPICH's MPI_File_iwrite.  Before glibc 2.34 librt and libanl make
 * them, by that pthread_create: hence no older version of these names.
 */
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "shim/widened.h"

/* <aio.h> has other names for these where files are large. */
struct aiocb;

#define REQUEST(name, number) \
	SP_WIDENED(int, name, SP_GLIBC_HELPERS, number, true, (struct aiocb *request), (request))

REQUEST(aio_read, SP_AIO_READ)
REQUEST(aio_read64, SP_AIO_READ64)
REQUEST(aio_write, SP_AIO_WRITE)
REQUEST(aio_write64, SP_AIO_WRITE64)

#define SYNC(name, number) \
	SP_WIDENED(int, name, SP_GLIBC_HELPERS, number, true, (int operation, struct aiocb *request), (operation, request))

SYNC(aio_fsync, SP_AIO_FSYNC)
SYNC(aio_fsync64, SP_AIO_FSYNC64)

#define LIST(name, number) \
	SP_WIDENED(int, name, SP_GLIBC_HELPERS, number, true, \
		   (int mode, struct aiocb *const requests[], int n, struct sigevent *event), (mode, requests, n, event))

LIST(lio_listio, SP_LIO_LISTIO)
LIST(lio_listio64, SP_LIO_LISTIO64)

SP_WIDENED(int, getaddrinfo_a, SP_GLIBC_HELPERS, SP_GETADDRINFO_A, true,
	   (int mode, struct gaicb *requests[], int n, struct sigevent *event), (mode, requests, n, event))

/* Whether a timer or a queue has a thread: only one that calls a function has. */
static bool
makes_thread(const struct sigevent *event)
{
	return event && event->sigev_notify == SIGEV_THREAD;
}

SP_WIDENED(int, timer_create, SP_GLIBC_HELPERS, SP_TIMER_CREATE, makes_thread(event),
	   (clockid_t clock, struct sigevent *event, timer_t *timer), (clock, event, timer))
SP_WIDENED(int, mq_notify, SP_GLIBC_HELPERS, SP_MQ_NOTIFY, makes_thread(event),
	   (mqd_t queue, const struct sigevent *event), (queue, event))
