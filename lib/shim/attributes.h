/*
 * Attributes of a thread that is to start on CPUs of its own.
 */
#ifndef SP_ATTRIBUTES_H
#define SP_ATTRIBUTES_H

#include <pthread.h>

#include "cpus.h"

/*
 * Make *copy what *from is (NULL: the default), and beside that the CPUs on which the thread starts.
 * Not a copy of its bytes: glibc keeps parts of it elsewhere.
 *
 * Returns 0, and *copy is to be destroyed with pthread_attr_destroy; or an error
 * number, and there is no copy: EOPNOTSUPP where *from has what cannot be read
 * back (a scheduling policy of its own), ENOMEM, or what libc says.
 */
int sp_attributes_copy(pthread_attr_t *copy, const pthread_attr_t *from, const struct sp_cpus *cpus);

#endif
