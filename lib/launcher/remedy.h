/*
 * What to ask of a launcher so that a rank gets more cores, in that launcher's
 * own words.  Pure.
 */
#ifndef SP_REMEDY_H
#define SP_REMEDY_H

#include <stddef.h>
#include <stdint.h>

#define SP_REMEDY 160	/* room for one */

/*
 * from: the row of the launcher table that told the rank (struct sp_rank), or
 * NULL: what the launcher started has bound it, as taskset does; cores: that each
 * rank is to have, 0: no number fits all ranks.  Returns text: "give mpirun
 * --bind-to none instead, or --map-by slot:PE=8", to be the end of a sentence that names what bound the rank.
 */
char *sp_launcher_remedy(const char *from, uint32_t cores, char *text, size_t size);

#endif
