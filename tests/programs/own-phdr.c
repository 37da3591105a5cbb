/* A program with a dl_iterate_phdr of its own, as caches of unwinders have: it finds no object. */
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct dl_phdr_info;

int
dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	(void)callback;
	(void)data;
	return 0;
}

static void *
do_nothing(void *data)
{
	return data;
}

int
main(void)
{
	pthread_t thread;
	int status = system("true"), error = pthread_create(&thread, NULL, do_nothing, NULL);

	if (!error)
		pthread_join(thread, NULL);
	printf("%d %d\n", status, error);
	return 0;
}
