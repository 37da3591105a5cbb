/*
 * A rank whose main thread ends by pthread_exit after a team: another thread
 * goes on for a while and is the last.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *
go_on(void *data)
{
	(void)data;
	usleep(600000);
	puts("the last thread ends");
	return NULL;
}

int
main(void)
{
	pthread_t thread;

#pragma omp parallel num_threads(2)
	usleep(1000);
	if (pthread_create(&thread, NULL, go_on, NULL) != 0)
		return 1;
	pthread_detach(thread);
	pthread_exit(NULL);
}
