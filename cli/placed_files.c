/* SPDX-License-Identifier: MIT */
#include "cli/placed_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

void occ_placed_files_release(struct occ_placed_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->files[i].path);
		free(files->files[i].content);
	}
	free(files->files);
	*files = (struct occ_placed_files){.files = NULL};
}
const char *occ_placed_files_enter(const struct occ_placed_files *files,
				   const char *scratch)
{
	(void)files;(void)scratch;
	return "not yet";
}
