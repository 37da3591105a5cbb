/* Threads of any teams come and go on any share. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "slots/omp_places.h"
#include "slots/slots.h"

enum { TAKEN_MAX = 64 };

struct room {
	const struct sp_machine *machine;
	struct sp_cpus share, unpinned;
	struct sp_slots *slots;
	int taken[TAKEN_MAX];
	uint32_t n;
	bool is_wild;		/* the machine is one that nothing hands out */
};

/* A place is CPUs of one core of the share, or those of threads that are not pinned.  Returns the facts of the slot. */
static struct sp_slot_facts
check_place(const struct room *room, int slot, const struct sp_cpus *cpus)
{
	struct sp_slot_facts facts;

	must(sp_slots_facts(room->slots, slot, &facts) == 0);
	must(!sp_cpus_empty(cpus));
	must(!facts.is_unpinned || sp_cpus_equal(cpus, &room->unpinned));
	if (facts.is_unpinned)
		return facts;
	must(sp_cpus_within(cpus, &room->share));
	must(room->is_wild || sp_machine_cores(room->machine, cpus) == 1);
	return facts;
}

static void
check_all(const struct room *room)
{
	for (uint32_t i = 0; i < room->n; i++) {
		struct sp_cpus cpus;

		must(sp_slots_cpus(room->slots, room->taken[i], &cpus) == 0);
		struct sp_slot_facts facts = check_place(room, room->taken[i], &cpus);
		must(facts.core_cpus && (room->is_wild || facts.core_cpus <= facts.core_threads));
	}
}

static void
take(struct room *room, struct fuzz_bytes *bytes)
{
	struct sp_request request = {
		.thread = (int)fuzz_below(bytes, 40) - 1, .team = fuzz_below(bytes, 40), .guess = fuzz_below(bytes, 2),
		.near = (int)fuzz_below(bytes, 8) - 1, .pool = { fuzz_below(bytes, 3), fuzz_below(bytes, 2), 0 },
	};
	struct sp_cpus cpus;
	int slot;

	if (room->n == TAKEN_MAX)
		return;
	slot = sp_slots_take(room->slots, &request, &cpus);
	must(slot >= 0 || (slot == -EINVAL && request.team == 0));
	if (slot < 0)
		return;
	check_place(room, slot, &cpus);
	for (uint32_t i = 0; i < room->n; i++)
		must(room->taken[i] != slot);
	room->taken[room->n++] = slot;
	slot = sp_slots_moved(room->slots, &cpus);
	if (slot >= 0)
		check_place(room, slot, &cpus);
}

static void
give(struct room *room, struct fuzz_bytes *bytes)
{
	struct sp_cpus cpus;
	uint32_t which = room->n ? fuzz_below(bytes, room->n) : 0;
	int mover;

	if (!room->n)
		return;
	mover = sp_slots_give(room->slots, room->taken[which], &cpus);
	must(sp_slots_cpus(room->slots, room->taken[which], &cpus) == -EINVAL || mover == room->taken[which]);
	room->taken[which] = room->taken[--room->n];
	if (mover >= 0)
		must(sp_slots_cpus(room->slots, mover, &cpus) == 0);
}

static void
check_places(const struct room *room, struct fuzz_bytes *bytes, enum sp_bind bind, enum sp_granularity granularity)
{
	struct sp_omp_teams teams = { fuzz_below(bytes, 40), 1 + fuzz_below(bytes, 4) };
	struct sp_omp_places places;
	int error = sp_omp_places(room->machine, &room->share, bind, granularity, teams, &places);

	must(error == 0 || error == -EINVAL);
	if (error)
		return;
	must(places.places && places.places[0] == '{' && places.proc_bind);
	free(places.places);
}

static void
release(struct room *room, struct fuzz_bytes *bytes)
{
	room->unpinned = room->share;
	if (fuzz_below(bytes, 2))
		sp_machine_cpus(room->machine, &room->unpinned);
	sp_slots_claim(room->slots, fuzz_below(bytes, 20));
	sp_slots_release(room->slots, fuzz_below(bytes, 20), &room->unpinned);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	enum sp_bind bind = fuzz_below(&bytes, 3);
	enum sp_granularity granularity = fuzz_below(&bytes, 3);
	struct sp_machine *machine = fuzz_machine(&bytes);
	struct room room = { .machine = machine, .is_wild = machine->ncpus && sp_machine_fault(machine) };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (fuzz_below(&bytes, 4))
			sp_cpus_add(&room.share, machine->pu[i].cpu);
	check_places(&room, &bytes, bind, granularity);
	room.slots = sp_slots_create(machine, &room.share, bind);
	must(!room.slots == sp_cpus_empty(&room.share));
	room.unpinned = room.share;
	if (room.slots && bind != SP_NO_BIND) {
		sp_slots_granularity(room.slots, granularity);
		while (bytes.left) {
			uint32_t what = fuzz_below(&bytes, 9);

			if (what == 8)
				release(&room, &bytes);
			else if (what < 5)
				take(&room, &bytes);
			else if (what < 7)
				give(&room, &bytes);
			else
				sp_slots_resize(room.slots,
						      (struct sp_pool){ fuzz_below(&bytes, 3), fuzz_below(&bytes, 2), 0 },
						      1 + fuzz_below(&bytes, 40));
			check_all(&room);
		}
	}
	if (room.slots)
		sp_slots_destroy(room.slots);
	free(machine);
	return 0;
}
