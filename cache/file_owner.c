/* SPDX-License-Identifier: MIT */
/* Whose files are, and who else may write to them (cache/file.h). */
#include "cache/file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

/* user_namespaces(7); also in /proc/sys/kernel/overflowuid */
#define OVERFLOW_USER 65534

/* Is the number within the lines of "first outside count"? */
static bool has_number(const char *map, uid_t number)
{
	uint64_t values[3] = {0};
	char *end;

	for (;; map = end) {
		for (int i = 0; i < 3; i++, map = end) {
			values[i] = strtoull(map, &end, 10);
			if (end == map)
				return false;
		}
		if (number >= values[0] && number - values[0] < values[2])
			return true;
	}
}

bool occ_file_is_unmapped(const struct stat *status)
{
	char map[4096];

	/* What the kernel says where it has none, unless it is told another. */
	if (status->st_uid != OVERFLOW_USER)
		return false;
	/* Empty: nobody has a number yet. */
	return occ_file_read_kernel("/proc/self/uid_map", map, sizeof(map)) >=
		       0 &&
	       !has_number(map, status->st_uid);
}

bool occ_file_is_mine(const struct stat *status)
{
	return status->st_uid == geteuid() && !occ_file_is_unmapped(status);
}

bool occ_file_is_mine_or_roots(const struct stat *status)
{
	return status->st_uid == 0 || occ_file_is_mine(status);
}

/*
 * An access control list of POSIX, as the kernel gives it: a version, and then
 * entries; all little-endian (include/uapi/linux/posix_acl_xattr.h).
 */
#define ACL_NAME    "system.posix_acl_access"
#define ACL_VERSION 2
#define ACL_USER    0x02
#define ACL_GROUP   0x08
#define ACL_WRITE   0x02

struct acl_entry {
	uint16_t tag;
	uint16_t permissions;
	uint32_t id;
};

struct acl {
	uint32_t version;
	struct acl_entry entries[64];
};

bool occ_file_is_listed_for_others(int directory)
{
	const size_t header = offsetof(struct acl, entries);
	struct acl acl = {0};
	ssize_t size;
	int file = occ_file_open(directory, ".", O_RDONLY | O_DIRECTORY);

	if (file < 0)
		return true;
	size = fgetxattr(file, ACL_NAME, &acl, sizeof(acl));
	occ_file_close(file);
	if (size < 0)
		return errno != ENODATA && errno != EOPNOTSUPP;
	if ((size_t)size < header || le32toh(acl.version) != ACL_VERSION)
		return true;
	for (size_t i = 0; i < ((size_t)size - header) / sizeof(*acl.entries);
	     i++) {
		uint16_t tag = le16toh(acl.entries[i].tag);

		if ((tag == ACL_USER || tag == ACL_GROUP) &&
		    le16toh(acl.entries[i].permissions) & ACL_WRITE)
			return true;
	}
	return false;
}

bool occ_file_is_trusted(const struct stat *status, bool or_roots)
{
	if (occ_file_is_mine(status))
		return true;
	return or_roots && status->st_uid == 0 &&
	       !(status->st_mode & S_IWOTH) &&
	       (!(status->st_mode & S_IWGRP) || status->st_gid == 0);
}
