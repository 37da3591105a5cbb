/*
 * A cpuset of 8 CPUs that shrinks to fakeset_cpus of them, for one thread of a
 * process: answers the system calls about its mask.  For tests alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

int fakeset_cpus = 8;

static _Thread_local uint64_t mine;

static long
raw(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

long
syscall(long number, ...)
{
	uint64_t allowed = (UINT64_C(1) << fakeset_cpus) - 1, mask;
	va_list list;

	va_start(list, number);
	long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
	long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
	va_end(list);
	mine = mine & allowed ? mine & allowed : allowed;
	if (number == SYS_sched_getaffinity) {
		memset((void *)c, 0, (size_t)b);
		memcpy((void *)c, &mine, sizeof(mine));
		return 128;
	}
	if (number != SYS_sched_setaffinity)
		return raw(number, a, b, c, d, e, f);
	memcpy(&mask, (void *)c, sizeof(mask));
	if (!(mask & allowed)) {
		errno = EINVAL;
		return -1;
	}
	mine = mask & allowed;
	return 0;
}
