/* Print the table of settings: name, values and initial value, parted by tabs. */
#include <stdio.h>

#include "settings/config.h"

int
main(void)
{
	const struct sp_setting *row;

	for (unsigned i = 0; (row = sp_config_setting(i)); i++)
		printf("%s\t%s\t%s\n", row->name, row->values, row->initial);
	return 0;
}
