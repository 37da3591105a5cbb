/* GPUs of a program, of the node and of the job. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/check/rows.h"
#include "cmd/cmd.h"
#include "gpus/whose.h"
#include "topology.h"

enum evidence {
	NOT_SEEN,
	NEEDED,			/* a library, which a run sees as well */
	INSIDE,			/* code for GPUs in the executable, with a runtime linked statically: a run does not detect this */
};

static const char *
section_with_code(const struct elf_file *elf)
{
	static const char *const names[] = { ".nv_fatbin", ".nvFatBinSegment", ".hip_fatbin", ".hipFatBinSegment" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (elf_file_has_section(elf, names[i]))
			return names[i];
	return NULL;
}

/* *what: the library's or the section's name. */
static enum evidence
evidence_of(const struct target *target, const char **what)
{
	*what = target_needs(target, sp_gpus_is_runtime);
	if (*what)
		return NEEDED;
	*what = section_with_code(&target->elf);
	return *what ? INSIDE : NOT_SEEN;
}

/* The caller's, to free(). */
static struct sp_machine *
machine_of(const struct check *check)
{
	const struct sp_config *config = &check->settings.config;
	struct sp_machine *machine = cmd_allocate(1, sizeof(*machine));

	if (sp_topology_gpus(config->topology, machine) != 0)
		machine->gpus.n = 0;
	return machine;
}

/* The clause on the job's GPUs, which follows the number of the node's; the caller's. */
static char *
about_list(const struct check *check, const struct sp_gpus *gpus, enum sp_gpus_given given)
{
	struct sp_gpu_list seen;
	char text[SP_GPUS_TEXT];

	if (given == SP_GPUS_WITHHELD)
		return cmd_format("the job has none");
	if (given == SP_GPUS_NO_WORD)
		return cmd_format("no variable says which GPUs the job has");
	sp_gpus_visible(check->environment, gpus, &seen);
	return cmd_format("the job has %s", sp_gpus_format(gpus, &seen, text, sizeof(text)));
}

static const char *
conclusion(const struct sp_config *config, enum evidence evidence, enum sp_gpus_given given)
{
	enum sp_devices devices = config->policy.devices;

	if (devices == SP_DEVICES_GPU || devices == SP_DEVICES_GPU_NIC)
		return "ranks get cores beside their GPUs";
	if (devices != SP_DEVICES_AUTO)
		return "ranks are placed without regard to GPUs (SPLITPIN_DEVICES)";
	if (given == SP_GPUS_WITHHELD)
		return "ranks are placed without regard to GPUs";
	if (given == SP_GPUS_GIVEN || evidence == NEEDED)
		return "ranks get cores beside their GPUs";
	return evidence == INSIDE ? "a run cannot detect this: set SPLITPIN_DEVICES=gpu to place ranks beside the GPUs" :
		"ranks are placed beside GPUs only if the program loads a GPU runtime, or with SPLITPIN_DEVICES=gpu";
}

char *
check_gpus(const struct check *check)
{
	const char *what;
	enum evidence evidence = evidence_of(&check->target, &what);
	enum sp_gpus_given given = sp_gpus_given(check->environment);
	struct sp_machine *machine = machine_of(check);
	uint32_t n = machine->gpus.n;
	char *text = NULL, *list;

	if (n) {
		list = about_list(check, &machine->gpus, given);
		text = cmd_format("this node has %u GPU%s, and %s; %s", n, sp_plural(n), list, conclusion(&check->settings.config, evidence, given));
		free(list);
	} else if (evidence != NOT_SEEN) {
		text = cmd_format("this node has no GPU");
	}
	free(machine);
	if (!text || evidence == NOT_SEEN)
		return text;
	list = cmd_format("the program %s%s; %s", evidence == NEEDED ? "needs " : "has code for GPUs, linked with its runtime: ", what, text);
	free(text);
	return list;
}

static void
look_for_withheld(struct check *check)
{
	const char *what;
	enum evidence evidence = evidence_of(&check->target, &what);

	if (evidence == NOT_SEEN || sp_gpus_given(check->environment) != SP_GPUS_WITHHELD)
		return;
	struct sp_machine *machine = machine_of(check);
	if (machine->gpus.n)
		check_found(check, "%s is a program for GPUs (%s), this node has %u GPU%s, and the variables of this job give it none",
			    check->target.path, what, machine->gpus.n, sp_plural(machine->gpus.n));
	free(machine);
}

const struct check_row check_gpus_rows[] = {
	{ "program-gpus", "it uses GPUs, but the job has none",
	  "ask the scheduler for GPUs (srun --gpus-per-node), or unset CUDA_VISIBLE_DEVICES and the like if they hide GPUs by mistake",
	  look_for_withheld },
	{ .id = NULL }
};
