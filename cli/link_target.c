/* SPDX-License-Identifier: MIT */
#include "cli/link_target.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/text.h"

/* As the kernel has it. */
#define LINKS_MAX 40

/* What the link says, from where the link is; NULL: it is none. */
static char *read_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX];
	ssize_t size = readlink(path, target, sizeof(target) - 1);

	if (size < 0)
		return NULL;
	target[size] = '\0';
	if (*target == '/' || !slash)
		return occ_message_must(strdup(target));
	return occ_text("%.*s%s", (int)(slash + 1 - path), path, target);
}

char *occ_link_target(const char *path)
{
	char *file = occ_message_must(strdup(path)), *next;

	for (int i = 0; i < LINKS_MAX && (next = read_link(file)); i++) {
		free(file);
		file = next;
	}
	return file;
}
