#include "base/shared_folder.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

/* statfs(2), and the file systems' own sources. */
static const unsigned kinds[] = {
	0x00006969,	/* NFS */
	0x0bd00bd0,	/* Lustre */
	0x47504653,	/* GPFS */
	0x19830326,	/* BeeGFS */
	0x00c36400,	/* Ceph */
	0x20030528,	/* OrangeFS */
	0xaad7aaea,	/* Panasas */
	0x5346414f,	/* AFS */
	0x6b414653,	/* AFS of Linux */
	0x0000517b,	/* SMB */
	0xfe534d42,	/* SMB 2 */
	0xff534d42,	/* CIFS */
	0x01161970,	/* GFS2 */
	0x7461636f,	/* OCFS2 */
};

static bool
is_shared_kind(unsigned kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kind == kinds[i])
			return true;
	return false;
}

bool
sp_folder_is_shared(const char *path)
{
	static char folder[PATH_MAX];	/* stacks may be small */
	struct statfs system;
	int saved = errno;
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	do {
		slash = strrchr(folder, '/');
		if (!slash)
			break;
		slash[slash == folder] = '\0';
		if (statfs(folder, &system) == 0) {
			errno = saved;
			return is_shared_kind((unsigned)system.f_type);
		}
	} while (slash != folder);
	errno = saved;
	return false;
}

bool
sp_folder_is_at_fault(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -EROFS || error == -ENOSPC || error == -EDQUOT;
}
