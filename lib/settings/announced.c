#include "settings/announced.h"

#include <stddef.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/order.h"

/* No process has more: the kernel's PID_MAX_LIMIT. */
#define THREADS_MAX (1u << 22)

static const char *const pools[] = {
	"BLIS_NUM_THREADS", "GOMAXPROCS", "GOTO_NUM_THREADS", "JULIA_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
	"NUMEXPR_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS",
};

uint32_t
sp_announced_threads(const char *text)
{
	uint64_t all = 0, n;

	for (const char *at = text; at && (at = sp_ascii_digits(sp_ascii_skip_blanks(at), &n)) && n > 0; at++) {
		n = sp_smaller(n, THREADS_MAX);
		all = all ? sp_smaller(all * n, THREADS_MAX) : n;
		at = sp_ascii_skip_blanks(at);
		if (*at != ',')
			break;
	}
	return (uint32_t)all;
}

uint32_t
sp_announced_pool(char *const environment[])
{
	uint32_t most = 1;

	for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++)
		most = (uint32_t)sp_larger(most, sp_announced_threads(sp_environment_value(environment, pools[i])));
	return most > 1 ? most : 0;
}
