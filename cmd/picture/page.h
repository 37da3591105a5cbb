/* The page of a picture: the machine, with title, sentences and legend around it. */
#ifndef PICTURE_PAGE_H
#define PICTURE_PAGE_H

#include "cmd/picture/picture.h"

/* To standard output. */
void picture_print(const struct picture *picture);

#endif
