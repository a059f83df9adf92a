/* SPDX-License-Identifier: MIT */
#include "cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"

/* The kernel's own limit, path_resolution(7). */
#define LINKS_MAX 40

/* A path on the way: what has been opened, and what is still to come. */
struct walk {
	struct occ_path at;
	struct occ_path_missing missing;
	unsigned links;
	unsigned linked; /* so many names of the rest are of a link's text */
	char rest[PATH_MAX];
};

static int error_of(int number)
{
	if (number == ENOENT || number == ENOTDIR)
		return OCC_E_NO_DIRECTORY;
	return occ_error_of_call(number);
}

/* Can others give the name of `item` in `directory` to something else? */
static bool is_steady(const struct stat *directory, const struct stat *item)
{
	if (!occ_file_is_mine_or_roots(directory))
		return false;
	if (!(directory->st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	/* Of a sticky one only the owner can, and of a group's, its members. */
	return directory->st_mode & S_ISVTX && occ_file_is_mine_or_roots(item);
}

/* The descriptor is the walk's from now on. */
static int go_to(struct walk *walk, int directory)
{
	struct stat status;

	if (directory < 0)
		return error_of(errno);
	if (occ_file_status(directory, &status) < 0) {
		occ_file_close(directory);
		return OCC_E_IO;
	}
	if (walk->at.directory >= 0)
		walk->at.steady &= is_steady(&walk->at.status, &status);
	occ_file_close(walk->at.directory);
	walk->at.directory = directory;
	walk->at.status = status;
	return OCC_OK;
}

static int start_at(struct walk *walk, const char *path)
{
	int directory = occ_file_enter_path(path);

	occ_file_close(walk->at.directory);
	walk->at.directory = -1;
	return go_to(walk, directory);
}

/* Takes the first component off the rest. False: it is too long. */
static bool take_name(struct walk *walk, char ret_name[NAME_MAX + 1])
{
	char *begin = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(begin, "/");

	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(ret_name, begin, length);
	ret_name[length] = '\0';
	begin += length;
	begin += strspn(begin, "/");
	memmove(walk->rest, begin, strlen(begin) + 1);
	if (walk->linked)
		walk->linked--;
	return true;
}

static unsigned count_names(const char *path)
{
	unsigned count = 0;

	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		path += strcspn(path, "/");
		count++;
	}
	return count;
}

/*
 * In a user namespace root's links may be of nobody whom it knows; a stranger's
 * too, so none is followed where others than a directory's owner make them.
 */
static bool is_trusted_link(const struct stat *directory,
			    const struct stat *link)
{
	if (occ_file_is_mine_or_roots(link))
		return true;
	return !(directory->st_mode & (S_IWGRP | S_IWOTH)) &&
	       occ_file_is_unmapped(link) &&
	       (occ_file_is_unmapped(directory) ||
		occ_file_is_mine_or_roots(directory));
}

/* Puts a link's text in front of the rest. */
static int follow(struct walk *walk, int link)
{
	char text[PATH_MAX];
	struct stat status;
	ssize_t length;
	size_t rest = strlen(walk->rest);

	if (occ_file_status(link, &status) < 0)
		return OCC_E_IO;
	if (!S_ISLNK(status.st_mode)) {
		errno = ENOTDIR;
		return OCC_E_NO_DIRECTORY;
	}
	if (!is_trusted_link(&walk->at.status, &status)) {
		errno = EPERM;
		return OCC_E_ANOTHERS;
	}
	length = occ_file_read_link(link, text, sizeof(text));
	if (length <= 0)
		return OCC_E_IO;
	if (++walk->links > LINKS_MAX ||
	    (size_t)length + 1 + rest >= sizeof(walk->rest)) {
		errno = walk->links > LINKS_MAX ? ELOOP : ENAMETOOLONG;
		return OCC_E_IO;
	}
	memmove(walk->rest + length + 1, walk->rest, rest + 1);
	memcpy(walk->rest, text, (size_t)length);
	walk->rest[length] = '/';
	/* What a link leads to isn't ours to make. */
	walk->linked +=
		count_names(walk->rest) - count_names(walk->rest + length);
	walk->at.steady &= is_steady(&walk->at.status, &status);
	return *text == '/' ? start_at(walk, "/") : OCC_OK;
}

/* Makes the mode what was asked for, as far as it was the umask's doing. */
static void permit(const struct walk *parent, const char *name, int directory,
		   const struct stat *status)
{
	mode_t missing = parent->missing.mode & ~status->st_mode;
	mode_t mode = status->st_mode & 07777;
	bool steady =
		parent->at.steady && is_steady(&parent->at.status, status);

	/* Where others may have put another one of ours in its place. */
	if (!steady)
		missing &= S_IRWXU;
	if (missing && occ_file_set_mode(directory, mode | missing) < 0 &&
	    steady)
		occ_file_set_mode_at(parent->at.directory, name,
				     mode | missing);
}

/*
 * Who isn't root makes what the kernel lets him, and nobody is root over files
 * of users without a number.
 */
bool occ_path_may_make_in(const struct stat *directory)
{
	const mode_t public = S_IWOTH | S_ISVTX;

	return geteuid() || occ_file_is_mine_or_roots(directory) ||
	       (directory->st_mode & public) == public ||
	       occ_file_is_unmapped(directory);
}

/* Makes the component that isn't there; what somebody made meanwhile is fine.
 */
static int make(struct walk *walk, const char *name)
{
	struct stat status;
	int directory;

	if (count_names(walk->rest) >= walk->missing.levels) {
		errno = ENOENT;
		return OCC_E_NO_DIRECTORY;
	}
	if (!occ_path_may_make_in(&walk->at.status)) {
		errno = EPERM;
		return OCC_E_ANOTHERS;
	}
	if (occ_file_make_directory(walk->at.directory, name,
				    walk->missing.mode) < 0)
		return errno == EEXIST ? OCC_OK : OCC_E_NO_DIRECTORY;
	directory = occ_file_enter(walk->at.directory, name);
	if (directory >= 0 && !occ_file_status(directory, &status) &&
	    occ_file_is_mine(&status))
		permit(walk, name, directory, &status);
	occ_file_close(directory);
	return OCC_OK;
}

static int enter(struct walk *walk, const char *name)
{
	int link, error, file = occ_file_enter(walk->at.directory, name);

	if (file >= 0 || (errno != ENOTDIR && errno != ELOOP))
		return go_to(walk, file);
	link = occ_file_open_link(walk->at.directory, name);
	if (link < 0)
		return error_of(errno);
	error = follow(walk, link);
	occ_file_close(link);
	return error;
}

static int step(struct walk *walk)
{
	bool is_linked = walk->linked > 0;
	char name[NAME_MAX + 1];
	int error;

	if (!take_name(walk, name))
		return OCC_E_IO;
	if (!*name)
		return OCC_OK;
	error = enter(walk, name);
	if (error != OCC_E_NO_DIRECTORY || errno != ENOENT ||
	    !walk->missing.levels || is_linked)
		return error;
	error = make(walk, name);
	return error ? error : enter(walk, name);
}

static int begin(struct walk *walk, const char *path, size_t length,
		 const struct occ_path_missing *missing)
{
	*walk = (struct walk){.at = {.directory = -1, .steady = *path == '/'}};
	if (missing)
		walk->missing = *missing;
	if (length >= sizeof(walk->rest)) {
		errno = ENAMETOOLONG;
		return OCC_E_IO;
	}
	memcpy(walk->rest, path, length);
	walk->rest[length] = '\0';
	return start_at(walk, *path == '/' ? "/" : ".");
}

static int open_part(const char *path, size_t length,
		     const struct occ_path_missing *missing,
		     struct occ_path *ret_path)
{
	struct walk walk;
	int error = begin(&walk, path, length, missing);

	while (!error && *walk.rest)
		error = step(&walk);
	if (error)
		occ_file_close(walk.at.directory);
	else
		*ret_path = walk.at;
	return error;
}

/*
 * Is everything on the way a directory in which nobody else can change names?
 * Then names may be looked at, which takes a third of the calls: what is found
 * so of one holds for as long as those above it are as they were found.
 */
static bool is_steady_path(const char *path)
{
	char begin[PATH_MAX];
	struct stat directory, item;
	size_t length = strlen(path);

	if (*path != '/' || length >= sizeof(begin) ||
	    occ_file_status_at(AT_FDCWD, "/", &directory) < 0)
		return false;
	memcpy(begin, path, length + 1);
	for (size_t end = 1; end < length; directory = item) {
		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		begin[end] = '\0';
		if (occ_file_status_at(AT_FDCWD, begin, &item) < 0 ||
		    !S_ISDIR(item.st_mode) || !is_steady(&directory, &item))
			return false;
		begin[end] = path[end];
	}
	return true;
}

/* By its name alone: of a path that was found to be steady. */
static int open_steady(const char *path, struct occ_path *ret_path)
{
	ret_path->steady = true;
	ret_path->directory = occ_file_enter_path(path);
	if (ret_path->directory < 0)
		return error_of(errno);
	if (!occ_file_status(ret_path->directory, &ret_path->status))
		return OCC_OK;
	occ_file_close(ret_path->directory);
	return OCC_E_IO;
}

int occ_path_open(const char *path, const struct occ_path_missing *missing,
		  struct occ_path *ret_path)
{
	if (is_steady_path(path) && !open_steady(path, ret_path))
		return OCC_OK;
	return open_part(path, strlen(path), missing, ret_path);
}

int occ_path_open_parent(const char *path,
			 const struct occ_path_missing *missing,
			 struct occ_path *ret_path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');

	*ret_name = slash ? slash + 1 : path;
	if (!**ret_name) {
		errno = EISDIR;
		return OCC_E_IO;
	}
	return open_part(path, (size_t)(*ret_name - path), missing, ret_path);
}

static bool may_be_followed(const struct occ_path *directory, const char *name)
{
	int link = occ_file_open_link(directory->directory, name);
	struct stat status;
	bool may;

	if (link < 0)
		return false;
	may = !occ_file_status(link, &status) &&
	      is_trusted_link(&directory->status, &status) &&
	      (is_steady(&directory->status, &status) ||
	       occ_file_is_unmapped(&status));
	occ_file_close(link);
	if (!may)
		errno = EPERM;
	return may;
}

int occ_path_open_file(const char *path, int flags)
{
	struct occ_path directory;
	const char *name;
	int file;

	if (occ_path_open_parent(path, NULL, &directory, &name))
		return -1;
	file = occ_file_open(directory.directory, name, flags);
	if (file < 0 && errno == ELOOP && may_be_followed(&directory, name))
		file = occ_file_open_linked(directory.directory, name, flags);
	occ_file_close(directory.directory);
	return file;
}

/* NEO makes its directory with mode 0775 and the umask. */
static bool is_neos(const char *path, const struct stat *status)
{
	size_t size = strlen(path), length = strlen(OCC_DIRECTORY_NEO);

	while (size && path[size - 1] == '/')
		size--;
	return (status->st_mode & 07777) == 0775 && size > length &&
	       path[size - length - 1] == '/' &&
	       !memcmp(path + size - length, OCC_DIRECTORY_NEO, length);
}

/*
 * A user's private group has his number, as a rule: that is all that is asked,
 * since to know who is in a group can take a directory service's time.
 */
static bool is_shared(const char *path, const struct occ_path *at)
{
	const struct stat *status = &at->status;

	if (status->st_mode & S_IWOTH)
		return true;
	if (!(status->st_mode & S_IWGRP))
		return false;
	return (status->st_gid != status->st_uid && !is_neos(path, status)) ||
	       occ_file_is_listed_for_others(at->directory);
}

int occ_directory_find(const char *path, enum occ_directory_create create,
		       bool *steady, int *ret_directory)
{
	const struct occ_path_missing missing = {
		.levels = create > 0 ? (unsigned)create : 0,
		.mode = S_IRWXU,
	};
	bool known = steady && __atomic_load_n(steady, __ATOMIC_RELAXED);
	struct occ_path at = {.directory = -1};
	bool trusted;
	int error = OCC_E_IO;

	/* By its name, which nobody else can give to another one. */
	if (known && !missing.levels)
		error = open_steady(path, &at);
	/* Gone, or not to be entered: this way says why. */
	if (error)
		error = occ_path_open(path, &missing, &at);
	if (error)
		return error;
	if (steady && at.steady != known)
		__atomic_store_n(steady, at.steady, __ATOMIC_RELAXED);
	trusted = occ_file_is_trusted(&at.status,
				      create == OCC_DIRECTORY_READ_ONLY);
	if (!trusted || is_shared(path, &at)) {
		occ_file_close(at.directory);
		return OCC_E_FORBIDDEN;
	}
	*ret_directory = at.directory;
	return OCC_OK;
}

int occ_directory_open(const char *path, enum occ_directory_create create,
		       int *ret_directory)
{
	int place, error = occ_directory_find(path, create, NULL, &place);

	if (error)
		return error;
	*ret_directory = occ_file_open(place, ".", O_RDONLY | O_DIRECTORY);
	if (*ret_directory < 0)
		error = occ_error_of_call(errno);
	occ_file_close(place);
	return error;
}

int occ_directory_look(const char *path, enum occ_directory_create create)
{
	int directory,
		error = occ_directory_find(path, create, NULL, &directory);

	if (!error)
		occ_file_close(directory);
	return error;
}
