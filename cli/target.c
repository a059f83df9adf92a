/* SPDX-License-Identifier: MIT */
#include "cli/target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/name.h"
#include "cli/message.h"
#include "cli/text.h"

#define DIGITS_MIN     4

/* Candidates that are shown. */
#define CANDIDATES_MAX 10

#define ENTRY_SUFFIX   ".cl_cache"

struct search {
	const char *text;
	size_t count;
	char names[CANDIDATES_MAX][OCC_NAME_SIZE];
	bool exact; /* names[0] is all of what was asked for */
};

/* Digits, as list shows them: perhaps "-1" behind all 32, or the file's name.
 */
static bool is_hash(const char *text)
{
	size_t digits = strspn(text, "0123456789abcdef");

	if (digits < DIGITS_MIN || digits > OCC_DIGEST_HEX_SIZE - 1)
		return false;
	return !text[digits] || (digits == OCC_DIGEST_HEX_SIZE - 1 &&
				 (text[digits] == '-' || text[digits] == '.'));
}

static bool visit(const char *name, void *data)
{
	struct search *search = data;
	size_t length = strlen(search->text);

	if (occ_name_kind(name) != OCC_NAME_ENTRY ||
	    strlen(name) >= OCC_NAME_SIZE ||
	    strncmp(name, search->text, length) != 0)
		return true;
	search->exact = !name[length] || !strcmp(name + length, ENTRY_SUFFIX);
	if (search->exact)
		search->count = 0;
	if (search->count < CANDIDATES_MAX)
		memcpy(search->names[search->count], name, strlen(name) + 1);
	search->count++;
	return !search->exact;
}

static int compare(const void *one, const void *other)
{
	return strcmp(one, other);
}

static int complain_many(const char *command, struct search *search)
{
	size_t shown =
		search->count < CANDIDATES_MAX ? search->count : CANDIDATES_MAX;

	qsort(search->names, shown, sizeof(search->names[0]), compare);
	occ_message_error("%s: %zu entries begin with '%s':", command,
			  search->count, search->text);
	for (size_t i = 0; i < shown; i++)
		occ_message_note("  %.*s",
				 (int)(strlen(search->names[i]) -
				       strlen(ENTRY_SUFFIX)),
				 search->names[i]);
	if (shown < search->count)
		occ_message_note("  and %zu more", search->count - shown);
	return OCC_EXIT_USAGE;
}

static int find(const char *directory, const char *command, const char *text,
		char **ret_path)
{
	struct search search = {.text = text};
	int file, error = occ_directory_open(directory, OCC_DIRECTORY_READ_ONLY,
					     &file);

	if (!error) {
		if (occ_file_list(file, visit, &search) < 0)
			search.count = 0;
		occ_file_close(file);
	}
	if (error && error != OCC_E_NO_DIRECTORY) {
		occ_message_error("%s: %s", directory, occ_error_string(error));
		return OCC_EXIT_FAILED;
	}
	if (!search.count) {
		occ_message_error("%s: no entry in %s begins with '%s'; see "
				  "'oclcache list'",
				  command, directory, text);
		return OCC_EXIT_FAILED;
	}
	if (search.count > 1)
		return complain_many(command, &search);
	*ret_path = occ_text("%s/%s", directory, search.names[0]);
	return OCC_EXIT_OK;
}

struct sought {
	const char *prefix;
	bool found;
};

static bool seek(const char *name, void *data)
{
	struct sought *sought = data;
	enum occ_name_kind kind = occ_name_kind(name);

	sought->found = (kind == OCC_NAME_ENTRY || kind == OCC_NAME_TRACE) &&
			!strncmp(name, sought->prefix, strlen(sought->prefix));
	return !sought->found;
}

bool occ_target_has(const char *directory, const char *prefix)
{
	struct sought sought = {.prefix = prefix};
	int file;

	if (occ_directory_open(directory, OCC_DIRECTORY_READ_ONLY, &file))
		return false;
	occ_file_list(file, seek, &sought);
	occ_file_close(file);
	return sought.found;
}

int occ_target_read(const char *directory, const char *command,
		    const char *text, struct occ_target *ret_target)
{
	struct occ_target target = {.path = NULL};
	bool is_file = strchr(text, '/') || !is_hash(text);

	if (is_file) {
		if (access(text, F_OK)) {
			occ_message_error(
				"%s: '%s' is neither a file nor an entry's "
				"hash (at least %d hex digits of it)",
				command, text, DIGITS_MIN);
			return OCC_EXIT_FAILED;
		}
		target.path = occ_message_must(strdup(text));
	} else {
		int status = find(directory, command, text, &target.path);

		if (status != OCC_EXIT_OK)
			return status;
	}
	target.error = occ_entry_file_read_path(target.path, &target.whole);
	if (!target.error && !is_file &&
	    !occ_entry_file_has_name(&target.whole,
				     strrchr(target.path, '/') + 1)) {
		target.whole.fault = "its name doesn't match its hash";
		target.error = OCC_E_CORRUPT;
	}
	*ret_target = target;
	return OCC_EXIT_OK;
}

void occ_target_complain(const struct occ_target *target)
{
	const char *name = strrchr(target->path, '/');

	if (target->error == OCC_E_CORRUPT && name &&
	    occ_name_kind(name + 1) == OCC_NAME_ENTRY)
		occ_message_error("%s is damaged: %s; don't trust anything in "
				  "it ('oclcache verify --delete' removes it)",
				  target->path, target->whole.fault);
	else if (target->error == OCC_E_CORRUPT)
		occ_message_error("%s isn't an entry, or is damaged: %s",
				  target->path, target->whole.fault);
	else
		occ_message_error("%s: %s", target->path, target->whole.fault);
}

void occ_target_release(struct occ_target *target)
{
	free(target->path);
	occ_entry_file_release(&target->whole);
}
