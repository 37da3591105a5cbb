#include "shim/unseen.h"

#include "base/text.h"
#include "elf/objects.h"
#include "elf/runtimes.h"

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

const char *
sp_unseen_reason(char text[SP_UNSEEN])
{
	struct sp_text reason = sp_text_begin(text, SP_UNSEEN);
	struct sp_object earlier;

	if (sp_runtimes_are_apart()) {
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
