/* Ranks that the user numbers by SPLITPIN_LOCAL_RANK, and programs of no launcher. */
#include "launcher/binding_search.h"
#include "launcher/known/known.h"

static void
find_binding(const struct sp_search *search)
{
	sp_binding_answer(search, SP_ASKED_YES, "no launcher bound it");
}

const struct sp_launcher_details sp_known_user = {
	.title = "SPLITPIN_LOCAL_RANK",
	.find_binding = find_binding,
};

const struct sp_launcher_details sp_known_alone = {
	.title = "no launcher",
	.is_none = true,
	.find_binding = find_binding,
};
