/* gforker, an mpiexec of MPICH for one node; or whatever else sets PMI_RANK and PMI_SIZE. */
#include "launcher/binding_search.h"
#include "launcher/known/known.h"

static void
find_binding(const struct sp_search *search)
{
	sp_binding_answer_below(search, "mpiexec");
}

const struct sp_launcher_details sp_known_gforker = {
	.title = "PMI_RANK",
	.find_binding = find_binding,
};
