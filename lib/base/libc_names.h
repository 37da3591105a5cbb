/*
 * Included before all else, by the Makefile: glibc 2.38 and later give strtol and
 * scanf names of their own (__isoc23_strtol) where C23's 0b is understood, which
 * programs with _GNU_SOURCE then refer to; what was built there would not load
 * with an earlier glibc.  These macros decide on it (2.38 and 2.39; from 2.40 on).
 */
#include <features.h>

#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
