/* The places to which an OpenMP runtime binds threads by the user's settings. */
#ifndef SP_PLACES_H
#define SP_PLACES_H

enum sp_places {
	SP_PLACES_NONE,		/* it binds no thread */
	SP_PLACES_PACKAGE,	/* whole packages */
	SP_PLACES_NUMA,		/* whole NUMA nodes */
	SP_PLACES_L3,		/* whole L3 groups */
	SP_PLACES_SMALL,	/* anything else: cores, CPUs, lists */
};

#endif
