/* Machines as other tools print them. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hardware/tool_text.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sp_machine *machine = NULL;
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	int error = sp_tool_text_read(text, &machine);

	must(error <= 0 && !error == (machine != NULL));
	if (machine)
		must(sp_machine_fault(machine) == NULL);
	for (uint32_t i = 0; machine && i < machine->ncpus; i++)
		must(machine->pu[i].core <= i && machine->pu[i].package <= machine->pu[i].core);
	free(machine);
	free(text);
	return 0;
}
