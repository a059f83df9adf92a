/* SPDX-License-Identifier: MIT */
#include "cache/nested.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* "f/5/", a name and its NUL. */
#define PATH_SIZE (4 + NAME_MAX + 1)

struct nesting {
	char path[PATH_SIZE];
	size_t length; /* of the part that leads to what is listed */
	int directory; /* the outer one */
	occ_file_visit visit;
	void *data;
	bool failed; /* errno is in `failure` */
	int failure;
	bool goes_on; /* for the visitor */
};

bool occ_nested_is_name(const char *name)
{
	return *name && strchr("0123456789abcdef", *name) && !name[1];
}

static int open_inside(int directory, const char *name)
{
	return occ_file_open(directory, name, O_RDONLY | O_DIRECTORY);
}

static bool is_none(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

static bool add_name(struct nesting *nesting, const char *name)
{
	size_t room = sizeof(nesting->path) - nesting->length;

	return (size_t)snprintf(nesting->path + nesting->length, room, "%s",
				name) < room;
}

static bool visit_path(const char *name, void *data)
{
	struct nesting *nesting = data;

	if (strcmp(name, ".") && strcmp(name, "..") && add_name(nesting, name))
		nesting->goes_on = nesting->visit(nesting->path, nesting->data);
	return nesting->goes_on;
}

/* False: it isn't one. */
static bool list_inner(struct nesting *nesting, const char *name)
{
	size_t length = nesting->length;
	int inner = open_inside(nesting->directory, name);

	if (inner < 0) {
		nesting->failed = !is_none(errno);
		nesting->failure = errno;
		return nesting->failed;
	}
	add_name(nesting, name);
	nesting->length = strlen(nesting->path);
	nesting->path[nesting->length++] = '/';
	if (occ_file_list(inner, visit_path, nesting) < 0) {
		nesting->failed = true;
		nesting->failure = errno;
	}
	nesting->length = length;
	occ_file_close(inner);
	return true;
}

static bool visit_outer(const char *name, void *data)
{
	struct nesting *nesting = data;

	if (!occ_nested_is_name(name) || !list_inner(nesting, name))
		return visit_path(name, nesting);
	return nesting->goes_on && !nesting->failed;
}

int occ_nested_list(int directory, const char *name, occ_file_visit visit,
		    void *data)
{
	struct nesting nesting = {.length = 2,
				  .visit = visit,
				  .data = data,
				  .goes_on = true};
	int outer = open_inside(directory, name);

	if (outer < 0)
		return is_none(errno) ? OCC_NESTED_NONE : -1;
	nesting.path[0] = *name;
	nesting.path[1] = '/';
	nesting.directory = outer;
	if (occ_file_list(outer, visit_outer, &nesting) < 0) {
		nesting.failed = true;
		nesting.failure = errno;
	}
	occ_file_close(outer);
	errno = nesting.failure;
	return nesting.failed ? -1 : OCC_NESTED_LISTED;
}
