/*
 * How the command starts with a glibc before 2.34.
 *
 * There the start files bring a function that runs the program's constructors and
 * __libc_start_main calls it; those of a newer glibc bring none, and refer to a
 * __libc_start_main of a version of its own, so that what was built there would
 * not start.  The start files' reference ends here; cmd/late.S has the one to
 * libc, of the version that every glibc has.  A newer one, too, calls the
 * function that it is given.
 */
#include <stddef.h>

#include "elf/late.h"

#ifdef SP_HAS_LATE

typedef int main_fn(int argc, char **argv, char **environment);
typedef void construct_fn(int argc, char **argv, char **environment);

extern construct_fn *const __init_array_start[] __attribute__((visibility("hidden")));
extern construct_fn *const __init_array_end[] __attribute__((visibility("hidden")));

int cmd_libc_start(main_fn *program, int argc, char **argv, construct_fn *construct, void (*unused)(void),
		   void (*loader_end)(void), void *stack);
int __libc_start_main(main_fn *program, int argc, char **argv, construct_fn *construct, void (*unused)(void),
		      void (*loader_end)(void), void *stack);

static void
construct_all(int argc, char **argv, char **environment)
{
	for (construct_fn *const *each = __init_array_start; each < __init_array_end; each++)
		(*each)(argc, argv, environment);
}

int
__libc_start_main(main_fn *program, int argc, char **argv, construct_fn *construct, void (*unused)(void),
		  void (*loader_end)(void), void *stack)
{
	return cmd_libc_start(program, argc, argv, construct ? construct : construct_all, unused, loader_end, stack);
}

#endif
