/*
 * What outlasts the job: the file of SPLITPIN_LOG and the site's record.  Names
 * are made here, files are opened when there is something to write.
 */
#ifndef SP_LASTING_H
#define SP_LASTING_H

#include "base/log_file.h"
#include "base/who.h"
#include "rank.h"
#include "report/record.h"
#include "settings/settings.h"

struct sp_lasting {
	struct sp_log_file log;
	struct sp_record record;
};

/*
 * Take from the settings where to; who gets the log file, which lasts as long
 * as lasting.  For the one thread that settles.
 */
void sp_lasting_begin(struct sp_lasting *lasting, const struct sp_settings *settings, const struct sp_rank *rank,
		      char *const environment[], struct sp_who *who);

#endif
