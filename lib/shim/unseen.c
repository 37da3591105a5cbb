#include "shim/unseen.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "elf/objects.h"
#include "elf/runtimes.h"
#include "launcher/known/torchrun.h"

#define BEGIN 1024	/* of a command line: what names the program */

static bool
creates_threads(const struct sp_object *object, const void *unused)
{
	(void)unused;
	return sp_object_export(object, "pthread_create");
}

static bool
find_earlier(struct sp_object *earlier)
{
	return sp_objects_find(creates_threads, NULL, earlier) && *earlier->path && !sp_object_holds(earlier, (void *)find_earlier);
}

bool
sp_unseen_is_taken_over(void)
{
	struct sp_object earlier;

	return find_earlier(&earlier) && sp_runtimes_are_loaded();
}

/* Whether this process is torchrun or its like, started by srun or mpirun once a node. */
static bool
starts_ranks(void)
{
	char text[BEGIN];
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	long length = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return sp_torchrun_is_started(text, (size_t)length + 1);
}

const char *
sp_unseen_reason(char text[SP_UNSEEN])
{
	struct sp_text reason = sp_text_begin(text, SP_UNSEEN);
	struct sp_object earlier;

	if (starts_ranks()) {
		return NULL;
	} else if (sp_runtimes_are_apart()) {
		sp_text_put(&reason, "its OpenMP runtime was loaded by dlmopen, out of reach of preloaded libraries");
	} else if (!sp_runtimes_are_loaded()) {
		return NULL;
	} else if (find_earlier(&earlier)) {
		sp_text_put(&reason, "its OpenMP runtime was not used, or its calls go to ");
		sp_text_put(&reason, sp_last_part(earlier.path));
		sp_text_put(&reason, ", which is preloaded before libsplitpin.so: preload libsplitpin.so first");
	} else {
		sp_text_put(&reason, "its OpenMP runtime was not used, or bypasses preloaded libraries (RTLD_DEEPBIND)");
	}
	return text;
}
