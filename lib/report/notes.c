#include "report/report.h"

#include "base/order.h"
#include "base/text.h"

void
sp_notes_memory(const struct sp_who *who, const struct sp_machine *machine)
{
	char special[SP_TEXT_MAX];

	if (*sp_machine_name_memory(machine, special, sizeof(special)))
		sp_log_node(who, "%s", special);
}

/* Of the fastest core of a rank, by kind and top speed. */
static uint64_t
speed_of(const struct sp_machine *machine, const struct sp_seat *seat)
{
	uint64_t fastest = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		uint64_t speed = (uint64_t)machine->pu[i].kind << 32 | machine->pu[i].speed;

		if (sp_cpus_has(&seat->share, machine->pu[i].cpu))
			fastest = sp_larger(fastest, speed);
	}
	return fastest;
}

void
sp_notes_slow_ranks(const struct sp_who *who, const struct sp_machine *machine, const struct sp_seat seats[])
{
	uint32_t slow = 0, first = 0;
	uint64_t best = 0;

	if (!sp_machine_has_kinds(machine) && !sp_machine_has_speeds(machine))
		return;
	for (uint32_t rank = 0; rank < who->local_size; rank++)
		if (seats[rank].state >= SP_SEAT_SETTLED && speed_of(machine, &seats[rank]) > best)
			best = speed_of(machine, &seats[rank]);
	for (uint32_t rank = who->local_size; rank-- > 0; )
		if (seats[rank].state >= SP_SEAT_SETTLED && speed_of(machine, &seats[rank]) < best) {
			slow++;
			first = rank;
		}
	if (slow)
		sp_log_node(who, "%u of %u ranks %s only slow cores while others have faster ones, such as rank %u; SPLITPIN_KINDS=performance uses only the fast cores",
			    slow, who->local_size, slow == 1 ? "has" : "have", first);
}
