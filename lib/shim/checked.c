/*
 * What compilers make of snprintf and vsnprintf where they check for overflows
 * (-D_FORTIFY_SOURCE), for musl: it has no such names, and ranks of musl have one
 * message.  The others are in late.S, since only ranks of glibc get there.
 */
#undef _FORTIFY_SOURCE
#include <features.h>
/* For the case that this was read with it before (base/libc_names.h): vsnprintf would be the function below. */
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include <stdarg.h>
#include <stdio.h>

#include "elf/late.h"

#ifdef SP_HAS_LATE
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments);
int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...);

int
__vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments)
{
	(void)flag;
	if (room < size)
		__builtin_trap();
	return vsnprintf(to, size, format, arguments);
}

int
__snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int n = __vsnprintf_chk(to, size, flag, room, format, arguments);
	va_end(arguments);
	return n;
}
#endif
