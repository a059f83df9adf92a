/* SPDX-License-Identifier: MIT */
/*
 * The store: can it be used, is there room, do locks work there?
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "cache/config.h"
#include "cache/file.h"
#include "cache/name.h"
#include "cache/store.h"
#include "cli/checkup.h"
#include "cli/child.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/text.h"
#include "cli/units.h"
#include "cli/waiting.h"

#define CIFS_MAGIC   0xff534d42
#define SMB2_MAGIC   0xfe534d42
#define XFS_MAGIC    0x58465342
#define LUSTRE_MAGIC 0x0bd00bd0

/* Less than a few entries need. */
#define FREE_MIN     (UINT64_C(64) << 20)

/* As much as one entry of a larger program. */
#define MOST_MIN     1000000

static const struct {
	unsigned long type;
	const char *name;
	bool is_remote;
} file_systems[] = {
	{NFS_SUPER_MAGIC, "NFS", true},
	{CIFS_MAGIC, "CIFS", true},
	{SMB2_MAGIC, "SMB", true},
	{LUSTRE_MAGIC, "Lustre", true},
	{CEPH_SUPER_MAGIC, "Ceph", true},
	{FUSE_SUPER_MAGIC, "FUSE", true},
	{V9FS_MAGIC, "9p", true},
	{EXT4_SUPER_MAGIC, "ext4", false},
	{XFS_MAGIC, "XFS", false},
	{BTRFS_SUPER_MAGIC, "Btrfs", false},
	{OVERLAYFS_SUPER_MAGIC, "overlayfs", false},
	{TMPFS_MAGIC, "tmpfs", false},
	{MSDOS_SUPER_MAGIC, "FAT", false},
};

static void look_at_size(struct occ_findings *findings, const char *directory)
{
	struct occ_store *store =
		occ_message_must(occ_store_open_read_only(directory));
	uint64_t size = 0, most = occ_place_max_size();
	char is[OCC_UNITS_SIZE], may_be[OCC_UNITS_SIZE];
	int result = occ_store_measure(store, &size);

	occ_units_size(size, is);
	occ_units_size(most, may_be);
	if (result)
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"see to its files", "%s can't be read: %s",
				directory, occ_error_string(result));
	else if (!most)
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s has %s, of no limit", directory, is);
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s has %s of %s", directory, is, may_be);
	occ_store_close(store);
}

static void look_at_room(struct occ_findings *findings, const char *directory)
{
	uint64_t most = occ_place_max_size(), room, now = 0;
	char left[OCC_UNITS_SIZE], may_be[OCC_UNITS_SIZE];
	struct occ_store *store =
		occ_message_must(occ_store_open_read_only(directory));
	struct statfs disk;

	(void)occ_store_measure(store, &now);
	occ_store_close(store);
	if (statfs(directory, &disk))
		return;
	room = (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize;
	occ_units_size(room, left);
	occ_units_size(most, may_be);
	if (room < FREE_MIN)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"make room: without it nothing is stored",
				"the disk of the store has only %s left", left);
	else if (most > now && most - now > room)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"make room, or lower OCLCACHE_MAX_SIZE",
				"the store may grow to %s, and its disk has "
				"only %s left",
				may_be, left);
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"its disk has %s left", left);
}

static void look_at_file_system(struct occ_findings *findings,
				const char *directory)
{
	struct statfs disk;

	if (statfs(directory, &disk))
		return;
	for (size_t i = 0; i < sizeof(file_systems) / sizeof(*file_systems);
	     i++) {
		if ((unsigned long)disk.f_type != file_systems[i].type)
			continue;
		if (file_systems[i].is_remote)
			occ_finding_add(findings, OCC_FINDING_WARNING,
					"a local disk is faster; a store for "
					"several machines is better shared "
					"with OCLCACHE_READONLY_DIRS",
					"the store is on %s",
					file_systems[i].name);
		else
			occ_finding_add(findings, OCC_FINDING_OK, NULL,
					"the store is on %s",
					file_systems[i].name);
		return;
	}
}

/* A file without a name in the folder, or with one that is gone at once. */
static int nameless_file(const char *directory)
{
	int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (file >= 0)
		return file;
	/* The name of the store's own temporary files. */
	path = occ_text("%s/oclcache-XXXXXX.tmp", directory);
	file = mkostemps(path, 4, O_CLOEXEC);
	if (file >= 0)
		unlink(path);
	free(path);
	return file;
}

/* Says of both kinds whether the parent's lock keeps this process out. */
static int try_locks(void *data)
{
	struct flock range = {.l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_len = 1};
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", *(int *)data);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return 1;
	occ_child_say_number(flock(file, LOCK_EX | LOCK_NB) < 0);
	occ_child_say_number(fcntl(file, F_SETLK, &range) < 0);
	return 0;
}

static void report_lock(struct occ_findings *findings, const char *kind,
			const char *loss, bool works)
{
	if (works)
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"locks work there (%s)", kind);
	else
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"use a directory on another file system, with "
				"OCLCACHE_DIR",
				"locks don't work there (%s): %s", kind, loss);
}

static void look_at_locks(struct occ_findings *findings, const char *directory)
{
	struct flock range = {.l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_len = 1};
	int file = nameless_file(directory);
	bool has_flock, has_range;
	struct occ_child child;
	const char *kept[2];

	if (file < 0) {
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"see to its mode and its disk",
				"no file can be made in %s: %s", directory,
				strerror(errno));
		return;
	}
	has_flock = !flock(file, LOCK_EX | LOCK_NB);
	has_range = !fcntl(file, F_SETLK, &range);
	occ_child_run(&child, try_locks, &file, OCC_CHILD_LIMIT);
	for (size_t i = 0; i < 2; i++)
		kept[i] = occ_child_next(&child);
	report_lock(findings, "flock", "nothing is stored",
		    has_flock && kept[0] && *kept[0] == '1');
	report_lock(findings, "fcntl", "processes don't wait for one another",
		    has_range && kept[1] && *kept[1] == '1');
	occ_child_release(&child);
	occ_file_close(file);
}

static void look_at_config(struct occ_findings *findings, const char *directory)
{
	int file = occ_file_open_in(directory, OCC_NAME_CONFIG, O_RDONLY);
	struct stat status;

	if (file < 0 && errno == ENOENT)
		return;
	if (file < 0 || occ_file_status(file, &status) ||
	    !S_ISREG(status.st_mode) || !occ_file_is_mine(&status))
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"remove it: it is made anew",
				"%s/" OCC_NAME_CONFIG " isn't a file of yours",
				directory);
	else if (status.st_size != OCC_CONFIG_SIZE)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"nothing: it is mended when something is "
				"stored",
				"%s/" OCC_NAME_CONFIG " has %" PRIu64
				" bytes, not %d",
				directory, (uint64_t)status.st_size,
				OCC_CONFIG_SIZE);
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				OCC_NAME_CONFIG " is as it should be");
	occ_file_close(file);
}

static const char *what_helps(enum occ_waiting kind)
{
	switch (kind) {
	case OCC_WAITING_AGAIN:
		return "; 'oclcache upgrade' tries again";
	case OCC_WAITING_LEFT:
		return "; 'oclcache upgrade --retry' tries again";
	default:
		return "";
	}
}

static void report_waiting(struct occ_findings *findings,
			   const struct occ_waiting_counts *counts)
{
	if (counts->waiting)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"run 'oclcache upgrade'",
				"%zu %s of NVIDIA's driver %s for device code: "
				"a hit compiles",
				counts->waiting,
				counts->waiting == 1 ? "entry" : "entries",
				counts->waiting == 1 ? "waits" : "wait");
	else if (counts->done)
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"no entry of NVIDIA's driver waits for device "
				"code");
	for (size_t i = 0; i < counts->reason_count; i++) {
		const struct occ_waiting_reason *reason = &counts->reasons[i];
		bool is_one = reason->count == 1;

		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%zu %s of NVIDIA's driver %s without device "
				"code: %s%s",
				reason->count, is_one ? "entry" : "entries",
				is_one ? "stays" : "stay", reason->text,
				what_helps(reason->kind));
	}
}

static void look_at_waiting(struct occ_findings *findings,
			    const char *directory)
{
	struct occ_store *store =
		occ_message_must(occ_store_open_read_only(directory));
	struct occ_waiting_counts counts = {.done = 0};

	if (occ_waiting_may_be(store) &&
	    occ_waiting_count(store, false, &counts))
		report_waiting(findings, &counts);
	occ_waiting_release(&counts);
	occ_store_close(store);
}

/* What there is to be said before it is there, too. */
static void look_at_maximum(struct occ_findings *findings)
{
	uint64_t most = occ_place_max_size();
	char may_be[OCC_UNITS_SIZE];

	occ_units_size(most, may_be);
	if (most && most < MOST_MIN)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"raise OCLCACHE_MAX_SIZE: most entries don't "
				"fit",
				"the store may have only %s", may_be);
}

void occ_checkup_store(struct occ_checkup *checkup)
{
	struct occ_findings *findings = &checkup->findings;
	char *directory, *why;
	bool by_default;

	occ_finding_group(findings, "Store");
	directory = occ_place_find(checkup->arguments, &by_default, &why);
	if (!directory)
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"set OCLCACHE_DIR to an absolute path", "%s",
				why);
	else if (occ_checkup_directory(checkup, directory, by_default)) {
		look_at_size(findings, directory);
		look_at_room(findings, directory);
		look_at_file_system(findings, directory);
		look_at_locks(findings, directory);
		look_at_config(findings, directory);
		look_at_waiting(findings, directory);
	}
	look_at_maximum(findings);
	free(why);
	free(directory);
}
