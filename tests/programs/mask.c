/*
 * mask MASK [say]: whether this program has the mask; 0 if so, and 17 if another.
 * With a second word it prints the mask that it has.
 */
#include "mask.h"

int
main(int argc, char **argv)
{
	char text[MASK_TEXT];
	struct mask own = mask_own();
	bool is = argc > 1 && strcmp(argv[1], mask_text(&own, text)) == 0;

	if (argc > 2)
		puts(text);
	return is ? 0 : 17;
}
