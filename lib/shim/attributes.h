/*
 * Attributes of a thread that is to start on CPUs of its own.
 */
#ifndef SP_ATTRIBUTES_H
#define SP_ATTRIBUTES_H

#include <pthread.h>

#include "cpus.h"

/*
 * Make *copy equal to *from (NULL: the default attributes), and add the CPUs on
 * which the thread starts.  The bytes cannot be copied: glibc keeps parts of
 * the attributes elsewhere.
 *
 * Returns 0, and *copy is to be destroyed with pthread_attr_destroy; or an error
 * number, and there is no copy: EOPNOTSUPP where *from has what cannot be read
 * back (a scheduling policy of its own), ENOMEM, or what libc says.
 */
int sp_attributes_copy(pthread_attr_t *copy, const pthread_attr_t *from, const struct sp_cpus *cpus);

#endif
