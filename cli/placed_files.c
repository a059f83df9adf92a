/* SPDX-License-Identifier: MIT */
#include "cli/placed_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/message.h"
#include "cli/placed_path.h"
#include "cli/placed_refusal.h"
#include "cli/text.h"

/* In a directory that is replaced each one becomes a mount. */
#define ENTRIES_MAX  4096

/* Directories that are replaced. */
#define REPLACED_MAX 64

struct placing {
	const char *scratch;
	dev_t ours[REPLACED_MAX + 1]; /* file systems that were mounted here */
	size_t count;
};

void occ_placed_files_add(struct occ_placed_files *files, const char *path,
			  const char *content)
{
	struct occ_placed_file *file;

	files->files = occ_message_must(
		realloc(files->files,
			(files->count + 1) * sizeof(*files->files)));
	file = &files->files[files->count++];
	file->path = occ_text("%s", path);
	file->content = occ_text("%s", content);
}

void occ_placed_files_release(struct occ_placed_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->files[i].path);
		free(files->files[i].content);
	}
	free(files->files);
	*files = (struct occ_placed_files){.files = NULL};
}

/* ---- the namespace ---- */

static bool write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	bool good = file >= 0 &&
		    write(file, text, strlen(text)) == (ssize_t)strlen(text);

	if (file >= 0)
		close(file);
	return good;
}

/* Who may not have one alone may have it within a user namespace. */
static bool enter_users(void)
{
	char *users = occ_text("%u %u 1", geteuid(), geteuid());
	char *groups = occ_text("%u %u 1", getegid(), getegid());
	bool good = !unshare(CLONE_NEWUSER | CLONE_NEWNS);

	/* Older kernels haven't that file. */
	if (good)
		write_text("/proc/self/setgroups", "deny");
	good = good && write_text("/proc/self/uid_map", users) &&
	       write_text("/proc/self/gid_map", groups);
	free(users);
	free(groups);
	return good;
}

static bool enter_namespace(void)
{
	return (!unshare(CLONE_NEWNS) || enter_users()) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int try_child(void *data)
{
	const char *scratch = data;

	return enter_namespace() &&
			       !mount("tmpfs", scratch, "tmpfs", 0, "mode=0700")
		       ? 0
		       : 1;
}

bool occ_placed_files_possible(const char *scratch)
{
	struct occ_child child;
	bool possible;

	occ_child_run(&child, try_child, (void *)scratch, OCC_CHILD_LIMIT);
	possible = child.how == OCC_CHILD_EXITED && !child.status;
	occ_child_release(&child);
	return possible;
}

/* ---- directories ---- */

/* A path of an entry of an open directory, for mount(). */
static char *entry_path(int directory, const char *name)
{
	return occ_text("/proc/self/fd/%d/%s", directory, name);
}

static bool bind_entry(int from, int to, const char *name)
{
	char *source = entry_path(from, name), *target = entry_path(to, name);
	bool good = !mount(source, target, NULL, MS_BIND | MS_REC, NULL);

	free(source);
	free(target);
	return good;
}

static bool repeat_link(int from, int to, const char *name)
{
	char target[PATH_MAX];
	ssize_t size = readlinkat(from, name, target, sizeof(target) - 1);

	if (size < 0)
		return false;
	target[size] = '\0';
	return !symlinkat(target, to, name);
}

static bool repeat_entry(int from, int to, const char *name)
{
	struct stat status;
	int file;

	/* Gone meanwhile. */
	if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT;
	if (S_ISLNK(status.st_mode))
		return repeat_link(from, to, name);
	if (S_ISDIR(status.st_mode))
		return !mkdirat(to, name, 0700) && bind_entry(from, to, name);
	file = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return false;
	close(file);
	return bind_entry(from, to, name);
}

/* All that `from` has is in `to`, too. */
static bool repeat_entries(int from, int to)
{
	int again = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	size_t count = 0;
	bool good = list != NULL;

	while (good && (entry = readdir(list))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		good = ++count <= ENTRIES_MAX &&
		       repeat_entry(from, to, entry->d_name);
	}
	if (list)
		closedir(list);
	else if (again >= 0)
		close(again);
	return good;
}

static bool is_ours(const struct placing *placing, int directory)
{
	struct stat status;

	if (fstat(directory, &status))
		return false;
	for (size_t i = 0; i < placing->count; i++)
		if (placing->ours[i] == status.st_dev)
			return true;
	return false;
}

/* A descriptor of a new file system there, or -1. */
static int mount_own(struct placing *placing, const char *path, mode_t mode)
{
	char options[32];
	struct stat status;
	int directory = -1;

	snprintf(options, sizeof(options), "mode=%o", (unsigned)mode & 07777);
	if (placing->count <= REPLACED_MAX &&
	    !mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options))
		directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory >= 0 && !fstat(directory, &status))
		placing->ours[placing->count++] = status.st_dev;
	return directory;
}

/* Of the root: the process's own becomes another. */
static int replace_root(struct placing *placing, int old, mode_t mode)
{
	char *path = occ_text("%s/root.%ld", placing->scratch, (long)getpid());
	int fresh = mkdir(path, 0700) ? -1 : mount_own(placing, path, mode);

	if (fresh >= 0 &&
	    (!repeat_entries(old, fresh) || chroot(path) || chdir("/"))) {
		close(fresh);
		fresh = -1;
	}
	free(path);
	return fresh;
}

/*
 * The directory, which is a real path, becomes one that can be added to, with
 * all that is in it. A descriptor of it, or -1.
 */
static int replace_directory(struct placing *placing, const char *path)
{
	int old = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fresh = -1;
	struct stat status;

	if (old < 0)
		return -1;
	if (is_ours(placing, old))
		return old;
	if (!fstat(old, &status)) {
		if (!strcmp(path, "/")) {
			fresh = replace_root(placing, old, status.st_mode);
		} else {
			fresh = mount_own(placing, path, status.st_mode);
			if (fresh >= 0 && !repeat_entries(old, fresh)) {
				close(fresh);
				fresh = -1;
			}
		}
	}
	close(old);
	return fresh;
}

/* ---- files ---- */

/*
 * The longest part of the path that is there, to be freed; also one that is a
 * name only, of a link that leads nowhere.
 */
static char *existing_part(const char *path)
{
	char *part = occ_text("%s", path);
	struct stat status;

	while (*part && lstat(part, &status))
		*strrchr(part, '/') = '\0';
	return part;
}

/*
 * Where the rest of a path would really be added: the directory, to be freed;
 * NULL: nothing may be there, or there is no such directory.
 */
static char *real_directory(const char *part, const char *rest)
{
	char *real = realpath(*part ? part : "/", NULL), *whole;
	struct stat status;
	bool good;

	if (!real)
		return NULL;
	whole = occ_text("%s%s", strcmp(real, "/") ? real : "", rest);
	good = !occ_placed_path_fault(whole) &&
	       !occ_placed_path_refusal(whole) && !stat(real, &status) &&
	       S_ISDIR(status.st_mode) && !occ_placed_path_has_libraries(real);
	free(whole);
	if (good)
		return real;
	free(real);
	return NULL;
}

static const char *add_to(struct placing *placing, const char *part,
			  const char *rest, const char *content)
{
	char *real = real_directory(part, rest);
	int directory;
	bool good;

	if (!real)
		return "nothing may be added to that directory";
	directory = replace_directory(placing, real);
	free(real);
	if (directory < 0)
		return "can't replace the directory";
	good = occ_placed_path_put(directory, rest, *content ? content : NULL);
	close(directory);
	return good ? NULL : "can't create it";
}

static const char *place(struct placing *placing,
			 const struct occ_placed_file *file)
{
	char *part = existing_part(file->path);
	const char *fault;

	if (strlen(part) == strlen(file->path))
		fault = *file->content ? "something else is in its place"
				       : NULL;
	else
		fault = add_to(placing, part, file->path + strlen(part),
			       file->content);
	free(part);
	return fault ? occ_text("%s can't be provided: %s", file->path, fault)
		     : NULL;
}

const char *occ_placed_files_enter(const struct occ_placed_files *files,
				   const char *scratch)
{
	struct placing placing = {.scratch = scratch};
	const char *fault = NULL;

	if (!enter_namespace())
		return "included files can't be provided without a namespace";
	/* Whose rights change is no more killed with its parent. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < files->count && !fault; i++)
		fault = place(&placing, &files->files[i]);
	return fault;
}

struct trial {
	struct occ_placed_files files;
	const char *scratch;
};

static int place_child(void *data)
{
	const struct trial *trial = data;

	return occ_placed_files_enter(&trial->files, trial->scratch) ? 1 : 0;
}

bool occ_placed_files_try(const char *path, const char *content,
			  const char *scratch)
{
	struct trial trial = {.scratch = scratch};
	struct occ_child child;
	bool good;

	occ_placed_files_add(&trial.files, path, content);
	occ_child_run(&child, place_child, &trial, OCC_CHILD_LIMIT);
	good = child.how == OCC_CHILD_EXITED && !child.status;
	occ_child_release(&child);
	occ_placed_files_release(&trial.files);
	return good;
}
