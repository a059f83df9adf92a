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

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/name.h"
#include "cache/size_ledger.h"
#include "cache/store.h"
#include "cli/checkup.h"
#include "cli/child.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/store_path.h"
#include "cli/text.h"
#include "cli/units.h"

#define CIFS_MAGIC   0xff534d42
#define SMB2_MAGIC   0xfe534d42
#define XFS_MAGIC    0x58465342
#define LUSTRE_MAGIC 0x0bd00bd0

/* Less than a few entries need. */
#define FREE_MIN     (UINT64_C(64) << 20)

/* As many entries have. */
#define FILE_SIZE    65536

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

/* Of the directory and its disk; `most`: what the store may have, 0: any. */
static void look_at_room(struct occ_checkup *checkup, const char *directory,
			 uint64_t most)
{
	struct occ_store *store =
		occ_message_must(occ_store_open_read_only(directory));
	char is[OCC_UNITS_SIZE], may_be[OCC_UNITS_SIZE], left[OCC_UNITS_SIZE];
	uint64_t size = 0, room;
	int result = occ_store_measure(store, &size);
	struct statfs disk;

	occ_store_close(store);
	occ_units_size(size, is);
	occ_units_size(most, may_be);
	if (result)
		occ_checkup_problem(checkup, "check its files",
				    "%s can't be read: %s", directory,
				    occ_error_string(result));
	else if (!most)
		occ_checkup_ok(checkup, "%s uses %s, without a limit",
			       directory, is);
	else
		occ_checkup_ok(checkup, "%s uses %s of %s", directory, is,
			       may_be);
	if (statfs(directory, &disk))
		return;
	room = (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize;
	occ_units_size(room, left);
	if (room < FREE_MIN)
		occ_checkup_warn(
			checkup,
			"free some space: without it, nothing is stored",
			"the store's disk has only %s left", left);
	else if (most > size && most - size > room)
		occ_checkup_warn(checkup,
				 "free some space, or lower OCLCACHE_MAX_SIZE",
				 "the store may grow to %s, but its disk has "
				 "only %s left",
				 may_be, left);
	else
		occ_checkup_ok(checkup, "its disk has %s left", left);
}

static void look_at_file_system(struct occ_checkup *checkup,
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
			occ_checkup_warn(
				checkup,
				"a local disk is faster; to share a store "
				"between machines, use OCLCACHE_READONLY_DIRS",
				"the store is on %s", file_systems[i].name);
		else
			occ_checkup_ok(checkup, "the store is on %s",
				       file_systems[i].name);
		return;
	}
}

/* A file without a name in the directory, or with one that is gone at once. */
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

static int lock_range(int file)
{
	struct flock range = {.l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_len = 1};

	return fcntl(file, F_SETLK, &range);
}

static int open_again(int file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* A file for each kind: NFS has both in one, and they would meet. */
enum { BY_FLOCK, BY_RANGE, LOCK_KINDS };

/* Says of both kinds whether the parent's lock keeps this process out. */
static int try_locks(void *data)
{
	const int *files = data;
	int file = open_again(files[BY_FLOCK]);

	occ_child_say_number(file >= 0 && flock(file, LOCK_EX | LOCK_NB) < 0);
	file = open_again(files[BY_RANGE]);
	occ_child_say_number(file >= 0 && lock_range(file) < 0);
	return 0;
}

static void report_lock(struct occ_checkup *checkup, const char *kind,
			const char *loss, bool works)
{
	if (works)
		occ_checkup_ok(checkup, "locks work there (%s)", kind);
	else
		occ_checkup_warn(checkup,
				 "set OCLCACHE_DIR to a directory on another "
				 "file system",
				 "locks don't work there (%s): %s", kind, loss);
}

static void look_at_locks(struct occ_checkup *checkup, const char *directory)
{
	int files[LOCK_KINDS] = {nameless_file(directory),
				 nameless_file(directory)};
	bool has_flock, has_range;
	struct occ_child child;
	const char *kept[LOCK_KINDS];
	char bytes[FILE_SIZE] = {0};

	/* A quota shows in no free space. */
	if (files[BY_FLOCK] < 0 || files[BY_RANGE] < 0 ||
	    occ_file_write(files[BY_FLOCK], 0, bytes, sizeof(bytes)) < 0) {
		occ_checkup_problem(
			checkup,
			"check its permissions, its disk and your quota",
			"can't write a file of 64 kB in %s: %s", directory,
			strerror(errno));
		occ_file_close(files[BY_FLOCK]);
		occ_file_close(files[BY_RANGE]);
		return;
	}
	has_flock = !flock(files[BY_FLOCK], LOCK_EX | LOCK_NB);
	has_range = !lock_range(files[BY_RANGE]);
	occ_child_run(&child, try_locks, files, OCC_CHILD_LIMIT);
	for (size_t i = 0; i < LOCK_KINDS; i++)
		kept[i] = occ_child_next(&child);
	report_lock(checkup, "flock", "nothing is stored",
		    has_flock && kept[BY_FLOCK] && *kept[BY_FLOCK] == '1');
	report_lock(checkup, "fcntl", "processes don't wait for one another",
		    has_range && kept[BY_RANGE] && *kept[BY_RANGE] == '1');
	occ_child_release(&child);
	occ_file_close(files[BY_FLOCK]);
	occ_file_close(files[BY_RANGE]);
}

static void look_at_config(struct occ_checkup *checkup, const char *directory)
{
	int place, file = -1;
	struct stat status;

	if (occ_directory_find(directory, OCC_DIRECTORY_MUST_EXIST, NULL,
			       &place))
		return;
	file = occ_file_open(place, OCC_NAME_SIZE_LEDGER, O_RDONLY);
	occ_file_close(place);

	if (file < 0 && errno == ENOENT)
		return;
	if (file < 0 || occ_file_status(file, &status) ||
	    !S_ISREG(status.st_mode) || !occ_file_is_mine(&status))
		occ_checkup_problem(checkup,
				    "remove it; it will be created again",
				    "%s/" OCC_NAME_SIZE_LEDGER
				    " isn't a file of yours",
				    directory);
	else if (status.st_size == sizeof(uint64_t))
		occ_checkup_ok(checkup, OCC_NAME_SIZE_LEDGER
			       " is as Intel's GPU driver creates it");
	else if (status.st_size != OCC_SIZE_LEDGER_SIZE)
		occ_checkup_warn(checkup,
				 "nothing to do: the next entry that is stored "
				 "repairs it",
				 "%s/" OCC_NAME_SIZE_LEDGER " has %" PRIu64
				 " bytes instead of %d",
				 directory, (uint64_t)status.st_size,
				 OCC_SIZE_LEDGER_SIZE);
	else
		occ_checkup_ok(checkup, OCC_NAME_SIZE_LEDGER " is intact");
	occ_file_close(file);
}

static void report_waiting(struct occ_checkup *checkup,
			   const struct occ_nvidia_counts *counts)
{
	if (counts->waiting)
		occ_checkup_warn(checkup, "run 'oclcache upgrade'",
				 "%zu %s of NVIDIA's driver %s for device "
				 "code, so that hits still compile",
				 counts->waiting,
				 counts->waiting == 1 ? "entry" : "entries",
				 counts->waiting == 1 ? "waits" : "wait");
	else if (counts->done)
		occ_checkup_ok(
			checkup,
			"no entry of NVIDIA's driver waits for device code");
	for (size_t i = 0; i < counts->reason_count; i++) {
		const struct occ_nvidia_reason *reason = &counts->reasons[i];
		bool is_one = reason->count == 1;
		const char *help = "";

		if (reason->kind == OCC_NVIDIA_WAITING_AGAIN)
			help = "; 'oclcache upgrade' tries again";
		else if (reason->kind == OCC_NVIDIA_WAITING_LEFT)
			help = "; 'oclcache upgrade --retry' tries again";

		occ_checkup_ok(checkup,
			       "%zu %s of NVIDIA's driver %s without device "
			       "code: %s%s",
			       reason->count, is_one ? "entry" : "entries",
			       is_one ? "stays" : "stay", reason->text, help);
	}
}

static void look_at_waiting(struct occ_checkup *checkup, const char *directory)
{
	struct occ_store *store =
		occ_message_must(occ_store_open_read_only(directory));
	struct occ_nvidia_counts counts = {.done = 0};

	if (occ_nvidia_may_wait(store) &&
	    occ_nvidia_count(store, false, &counts))
		report_waiting(checkup, &counts);
	occ_nvidia_release(&counts);
	occ_store_close(store);
}

void occ_checkup_store(struct occ_checkup *checkup)
{
	uint64_t most = occ_store_path_max_size();
	char *directory, *why, may_be[OCC_UNITS_SIZE];
	bool by_default;

	occ_checkup_group(checkup, "Store");
	directory = occ_store_path_find(checkup->arguments, &by_default, &why);
	if (!directory)
		occ_checkup_problem(checkup,
				    "set OCLCACHE_DIR to an absolute path",
				    "%s", why);
	else if (occ_checkup_directory(checkup, directory, by_default)) {
		look_at_room(checkup, directory, most);
		look_at_file_system(checkup, directory);
		look_at_locks(checkup, directory);
		look_at_config(checkup, directory);
		look_at_waiting(checkup, directory);
		if (checkup->has_here)
			occ_checkup_stale(checkup, directory);
	}
	/* To be said before there is a store, too. */
	if (most && most < MOST_MIN)
		occ_checkup_warn(
			checkup,
			"raise OCLCACHE_MAX_SIZE: most entries don't fit",
			"the store's limit is only %s",
			occ_units_size(most, may_be));
	free(why);
	free(directory);
}
