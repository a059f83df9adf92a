/* SPDX-License-Identifier: MIT */
#include "cli/reason_words.h"

#include <stdlib.h>

#include "cli/program_path.h"
#include "cli/text.h"

const struct occ_reason_words *occ_reason_words(enum occ_reason reason)
{
	const struct occ_reason_words *words = &occ_reason_words_build[reason];

	return words->meaning ? words : &occ_reason_words_store[reason];
}

char *occ_reason_words_place(enum occ_reason reason)
{
	/* Relative to the command, installed and where it was built. */
	static const char *const places[] = {
		"../share/doc/oclcache/doc/limits.md", "../doc/limits.md"};
	char *document = NULL, *place = NULL;

	for (size_t i = 0; !document && i < sizeof(places) / sizeof(*places);
	     i++)
		document = occ_program_path_relative(places[i]);
	if (document)
		place = occ_text("%s#%s", document, occ_reason_name(reason));
	free(document);
	return place;
}
