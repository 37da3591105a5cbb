/*
 * stat and its kin by system calls: glibc 2.33 gave them versions of their own,
 * with which the engine, or an object that has hwloc or libnuma in itself, would
 * not load in an older container.  On these processors the kernel's structure is libc's.
 */
#if defined(__x86_64__) || defined(__aarch64__)
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int
stat(const char *path, struct stat *file)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, file, 0);
}

int
lstat(const char *path, struct stat *file)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, file, AT_SYMLINK_NOFOLLOW);
}

int
fstat(int fd, struct stat *file)
{
	return (int)syscall(SYS_fstat, fd, file);
}

int
fstatat(int folder, const char *path, struct stat *file, int flags)
{
	return (int)syscall(SYS_newfstatat, folder, path, file, flags);
}
#endif
