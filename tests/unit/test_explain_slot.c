/* Sentences on slots: which rule, which setting. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slots/explain.h"
#include "machines.h"

#define EXPECT(text, word) ck_assert_msg(strstr(text, word), "\"%s\" lacks \"%s\"", text, word)

/* Frees the machine. */
static const char *
why_slot_of(struct sp_machine *machine, const char *list, enum sp_bind bind, enum sp_granularity granularity,
	    uint32_t team, uint32_t thread)
{
	static char text[SP_TEXT_MAX];
	struct sp_cpus share = cpus_of_list(list), cpus;
	struct sp_slots *slots = sp_slots_create(machine, &share, bind);
	struct sp_slot_facts facts;

	ck_assert_ptr_nonnull(slots);
	sp_slots_granularity(slots, granularity);
	for (uint32_t i = 0; i <= thread; i++)
		ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ (int)i, team, false, -1, { 0, 0, 0 } }, &cpus), i);
	ck_assert_int_eq(sp_slots_facts(slots, (int)thread, &facts), 0);
	ck_assert_int_eq(sp_slots_facts(slots, (int)thread + 1, &facts), -EINVAL);
	sp_explain_slot(&facts, text, sizeof(text));
	sp_slots_destroy(slots);
	free(machine);
	return text;
}

static const char *
why_slot(enum sp_bind bind, enum sp_granularity granularity, uint32_t team, uint32_t thread)
{
	return why_slot_of(machine_uniform(4, 2), "0-7", bind, granularity, team, thread);
}

START_TEST(a_slot_tells_its_rule)
{
	ck_assert_str_eq(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 4, 3),
			 "4 threads on 4 cores: one per core, pinned to its 2 CPUs");
	EXPECT(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 2, 1), "spread evenly");
	EXPECT(why_slot(SP_CLOSE, SP_GRANULARITY_AUTO, 2, 1), "SPLITPIN_BIND=close");
	EXPECT(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 8, 0), "8 threads on 4 cores: 2 per core, one per hardware thread, neighbouring");
	EXPECT(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 6, 0), "6 threads on 4 cores: 2 on this core, one per hardware thread");
	EXPECT(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 6, 2), "alone on this core");
	ck_assert_str_eq(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 12, 0),
			 "left to the kernel: more threads in all than this rank has cores of its own (4)");
	EXPECT(why_slot(SP_CLOSE, SP_GRANULARITY_AUTO, 12, 0), "more threads than CPUs");
	EXPECT(why_slot(SP_SPREAD, SP_GRANULARITY_AUTO, 16, 0), "left to the kernel");
	EXPECT(why_slot(SP_NO_BIND, SP_GRANULARITY_AUTO, 4, 0), "SPLITPIN_BIND=none");
	ck_assert_str_eq(why_slot(SP_SPREAD, SP_GRANULARITY_CORE, 8, 0), "8 threads on 4 cores: 2 per core, neighbouring threads together; "
			 "it may use all CPUs of the core (SPLITPIN_BIND=spread:core)");
	EXPECT(why_slot(SP_SPREAD, SP_GRANULARITY_THREAD, 2, 0), "(SPLITPIN_BIND=spread:thread)");
	EXPECT(why_slot(SP_CLOSE, SP_GRANULARITY_CORE, 2, 0), "(SPLITPIN_BIND=close:core)");
}
END_TEST

/* The share of one of two ranks on a core of Knights Landing. */
START_TEST(a_slot_on_a_part_of_a_core)
{
	ck_assert_str_eq(why_slot_of(machine_knl(), "138,206", SP_SPREAD, SP_GRANULARITY_AUTO, 1, 0),
			 "1 thread on 1 core: one per core, pinned to 2 of its 4 CPUs");
	ck_assert_str_eq(why_slot_of(machine_knl(), "2,70", SP_SPREAD, SP_GRANULARITY_AUTO, 1, 0),
			 "1 thread on 1 core: one per core, pinned to 2 of its 4 CPUs");
	EXPECT(why_slot_of(machine_knl(), "138,206", SP_SPREAD, SP_GRANULARITY_AUTO, 2, 1), "2 per core, one per hardware thread");
	EXPECT(why_slot_of(machine_knl(), "138,206", SP_SPREAD, SP_GRANULARITY_AUTO, 4, 3), "left to the kernel");
}
END_TEST

/* Whole sentences on the facts of a slot, whatever table they are of. */
static const struct {
	struct sp_slot_facts facts;
	const char *text;
} sentences[] = {
	{ { .team = 4, .ncores = 4, .ncpus = 8, .on_core = 1, .whole = true, .core_cpus = 2, .core_threads = 2 },
	  "4 threads on 4 cores: one per core, pinned to its 2 CPUs" },
	{ { .team = 4, .ncores = 4, .ncpus = 4, .on_core = 1, .whole = true, .core_cpus = 1, .core_threads = 1 },
	  "4 threads on 4 cores: one per core" },
	{ { .team = 4, .ncores = 4, .ncpus = 4, .on_core = 1, .whole = true, .core_cpus = 1, .core_threads = 2 },
	  "4 threads on 4 cores: one per core, pinned to 1 of its 2 CPUs" },
	{ { .team = 3, .ncores = 4, .ncpus = 4, .on_core = 1 }, "3 threads on 4 cores: one per core, spread evenly" },
	{ { .team = 5, .ncores = 4, .ncpus = 8, .on_core = 1 }, "5 threads on 4 cores: alone on this core" },
	{ { .team = 8, .ncores = 4, .ncpus = 8, .on_core = 2, .in_turn = true }, "8 threads on 4 cores: 2 per core, one per hardware thread" },
	{ { .team = 9, .ncores = 4, .ncpus = 8, .on_core = 3 }, "9 threads on 4 cores: 3 on this core, since there are more threads than CPUs" },
	{ { .team = 2, .ncores = 2, .ncpus = 2, .on_core = 2, .core_cpus = 1, .core_threads = 1 }, "2 threads on 2 cores: 2 on this core, with those of other teams" },
	{ { .team = 2, .ncores = 2, .ncpus = 4, .on_core = 2, .core_cpus = 2, .core_threads = 2, .in_turn = true }, "2 threads on 2 cores: 2 on this core, one per hardware thread" },
	{ { .team = 1, .ncores = 1, .ncpus = 1, .on_core = 1, .provisional = true },
	  "1 thread on 1 core: one per core; its own place was taken, and this core has the fewest threads" },
};

START_TEST(a_slot_tells_no_more_than_holds)
{
	char text[SP_TEXT_MAX];

	ck_assert_str_eq(sp_explain_slot(&sentences[_i].facts, text, sizeof(text)), sentences[_i].text);
}
END_TEST

START_TEST(a_sentence_is_cut_to_its_room)
{
	struct sp_slot_facts facts = { .team = 4, .ncores = 4, .ncpus = 4, .on_core = 1 };
	char text[8] = "xxxxxxx";

	ck_assert_str_eq(sp_explain_slot(&facts, text, sizeof(text)), "4 threa");
	ck_assert_ptr_eq(sp_explain_slot(&facts, text, 0), text);
	ck_assert_str_eq(text, "4 threa");
}
END_TEST

Suite *
suite_explain_slot(void)
{
	Suite *suite = suite_create("explain_slot");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_slot_tells_its_rule);
	tcase_add_test(facts, a_slot_on_a_part_of_a_core);
	tcase_add_loop_test(facts, a_slot_tells_no_more_than_holds, 0, (int)(sizeof(sentences) / sizeof(sentences[0])));
	tcase_add_test(facts, a_sentence_is_cut_to_its_room);
	suite_add_tcase(suite, facts);
	return suite;
}
