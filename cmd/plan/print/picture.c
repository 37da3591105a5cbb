/* A plan as a picture. */
#include <stdlib.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/picture.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/print/print.h"

static void
add_rank(const struct plan *plan, uint32_t number, bool is_placed, struct picture *picture)
{
	struct plan_rank rank;

	if (plan_rank(plan, number, &rank))
		return;
	picture_add_share(picture, number, &rank.share);
	if (!is_placed)
		picture_add_rank(picture, number, &rank.share);
	for (uint32_t i = 0; i < rank.threads && is_placed; i++)
		picture_add_thread(picture, number, i, &rank.slot[i].cpus, false);
	picture_add_gpus(picture, number, &rank.gpus.own);
	plan_rank_release(&rank);
}

/* Where ranks share the node, none has CPUs to colour. */
static void
add_ranks(const struct plan *plan, struct picture *picture)
{
	char *why = plan_why_unplaced(plan);
	bool is_placed = !why && plan->config.bind != SP_NO_BIND;

	free(why);
	for (uint32_t rank = 0; rank < plan->nranks && plan->terms.how != SP_TERMS_SHARED; rank++)
		add_rank(plan, rank, is_placed, picture);
}

int
plan_draw(const struct plan *plan, const char *path)
{
	char why[SP_TEXT_MAX], *title = cmd_format("splitpin: %u rank%s on %s", plan->nranks, sp_plural(plan->nranks), sp_last_part(plan->name));
	struct picture picture = { .machine = plan->machine };

	cmd_make_plain(title);
	add_ranks(plan, &picture);
	int status = picture_draw(&picture, plan->source, title, plan_explain(plan, why), path);

	picture_release(&picture);
	free(title);
	return status;
}
