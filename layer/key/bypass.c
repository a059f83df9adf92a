/* SPDX-License-Identifier: MIT */
#include "layer/key/bypass.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/*
 * There is nothing in what is no directory. The first one: the application's
 * may end in the middle of something.
 */
static const char option[] = "-I/dev/null/oclcache";

#define LENGTH (sizeof(option) - 1)

static atomic_bool used;

char *occ_bypass_add(const char *options)
{
	const char *blank = *options ? " " : "";
	char *longer;

	if (asprintf(&longer, "%s%s%s", option, blank, options) < 0)
		return NULL;
	used = true;
	return longer;
}

bool occ_bypass_is_used(void)
{
	return used;
}

size_t occ_bypass_strip(char *answer, size_t size)
{
	size_t length = LENGTH;

	if (size <= LENGTH || memcmp(answer, option, LENGTH) != 0)
		return size;
	if (answer[length] == ' ')
		length++;
	else if (answer[length])
		return size;
	memmove(answer, answer + length, size - length);
	return size - length;
}
