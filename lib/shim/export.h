/* What the shim exports; all else is hidden. */
#ifndef SP_EXPORT_H
#define SP_EXPORT_H

#define SP_EXPORT __attribute__((visibility("default")))

/*
 * Names of functions that start programs.  A program or a library may have
 * functions or variables of its own of such a name (system, popen): it refers to
 * them without a version, or with one of its own.  So these are exported under
 * glibc's versions, and hidden, as old ones of glibc are: the loader finds them
 * for what was linked to glibc's, and for nothing else.  What was linked to a
 * still older version of glibc's goes there itself.
 *
 * Each version costs every process of a site, hence no more than these: of
 * posix_spawn and posix_spawnp, of what makes threads in libc (helpers.c) and of
 * execveat, and of the others; execvpe has a fourth, and is
 * exported without one.  This is read by assembly and exports.map, too.
 */
#if defined(__x86_64__)
#define SP_GLIBC GLIBC_2.2.5
#define SP_GLIBC_SPAWN GLIBC_2.15
#define SP_GLIBC_HELPERS GLIBC_2.34
#elif defined(__aarch64__)
#define SP_GLIBC GLIBC_2.17
#define SP_GLIBC_SPAWN GLIBC_2.17
#define SP_GLIBC_HELPERS GLIBC_2.34
#endif

#ifndef __ASSEMBLER__
#define SP_TEXT_OF(macro) #macro
#define SP_TEXT(macro) SP_TEXT_OF(macro)

/*
 * SP_EXPORT_AT(name, version): what is defined next, sp_at_name, is exported as
 * name@version; elsewhere, where the versions are not known here, as name.
 */
/* The link-time optimiser splits off what an __asm__ names, not what an attribute does. */
#ifdef __has_attribute
#if __has_attribute(symver)
#define SP_HAS_SYMVER
#endif
#endif

#ifndef SP_GLIBC
#define SP_EXPORT_AT(name, version) \
	__asm__(".globl " #name "\n\t.set " #name ", sp_at_" #name); SP_EXPORT
#elif defined(SP_HAS_SYMVER)
#define SP_EXPORT_AT(name, version) __attribute__((visibility("default"), symver(#name "@" SP_TEXT(version))))
#else
#define SP_EXPORT_AT(name, version) \
	__asm__(".symver sp_at_" #name ", " #name "@" SP_TEXT(version)); SP_EXPORT
#endif
#endif

#endif
