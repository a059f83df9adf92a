/* SPDX-License-Identifier: MIT */
#include "cli/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/text.h"

/* Descriptors that the walk may keep. */
#define WALK_FILES 16

char *occ_scratch_make(void)
{
	const char *directory = getenv("TMPDIR");
	char *path;

	if (!directory || *directory != '/')
		directory = "/tmp";
	path = occ_text("%s/oclcache-XXXXXX", directory);
	if (mkdtemp(path))
		return path;
	occ_message_error(
		"no directory can be made in %s: %s; set TMPDIR to one "
		"that can be written to",
		directory, strerror(errno));
	free(path);
	return NULL;
}

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

void occ_scratch_remove(char *scratch)
{
	if (scratch)
		nftw(scratch, remove_one, WALK_FILES, FTW_DEPTH | FTW_PHYS);
	free(scratch);
}
