/* SPDX-License-Identifier: MIT */
/*
 * oclcache key: who vouches for entries that come from elsewhere.
 */
#include "cli/key.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/verb.h"

static void print_key(const struct occ_public_key *key, const char *from)
{
	struct occ_buffer line = OCC_BUFFER_INIT;

	occ_public_key_print(key, &line);
	occ_buffer_append(&line, "", 1);
	if (line.failed)
		occ_message_no_memory();
	fputs((const char *)line.data, stdout);
	if (from) {
		fputs("  ", stdout);
		occ_screen_text(from);
	}
	putchar('\n');
	occ_buffer_release(&line);
}

static void warn(void *data, const char *file, unsigned line,
		 const char *problem)
{
	char at[16] = "";

	if (line)
		snprintf(at, sizeof(at), ":%u", line);
	occ_message_warning("%s%s %s; ignored", file, at, problem);
	*(bool *)data = true;
}

struct listing {
	bool is_set; /* by a setting: then the files should be there */
	size_t count;
	bool has_problems;
};

static bool list_file(void *data, const char *file)
{
	struct occ_trusted_keys keys = {.count = 0};
	struct listing *listing = data;

	occ_trusted_keys_add_file(file, listing->is_set, &keys, warn,
				  &listing->has_problems);
	for (size_t i = 0; i < keys.count; i++)
		print_key(&keys.keys[i], file);
	listing->count += keys.count;
	return true;
}

/* The public half of the signing key. 1: there is none. -1: it's no good. */
static int read_own(const struct occ_settings *settings, char path[PATH_MAX],
		    struct occ_public_key *ret_key)
{
	struct occ_signing_key own;
	const char *problem;
	int error;

	if (!occ_signing_key_path(settings, path, PATH_MAX))
		return 1;
	error = occ_signing_key_read(settings, &own, &problem);
	if (error == OCC_E_NOT_FOUND)
		return 1;
	if (error) {
		occ_message_warning("%s %s; ignored", path, problem);
		return -1;
	}
	occ_signing_key_public(&own, ret_key);
	occ_signing_key_wipe(&own);
	return 0;
}

static int list(const struct occ_settings *settings, char *const *operands,
		size_t count)
{
	struct listing listing = {
		.is_set = settings->values[OCC_SETTING_TRUSTED_KEYS].text};
	struct occ_public_key own;
	char path[PATH_MAX];
	int none;

	(void)operands;
	(void)count;
	occ_trusted_keys_files(settings, list_file, &listing);
	none = read_own(settings, path, &own);
	if (!none) {
		print_key(&own, path);
		occ_message_note("the last one is your own signing key");
	} else if (!listing.count) {
		occ_message_note(
			"no key is trusted, so nothing from other machines is "
			"accepted; 'oclcache key trust' adds a key");
	}
	return listing.has_problems || none < 0 ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static int show_public(const struct occ_settings *settings,
		       char *const *operands, size_t count)
{
	struct occ_public_key own;
	char path[PATH_MAX];
	int none = read_own(settings, path, &own);

	(void)operands;
	(void)count;
	if (!none)
		print_key(&own, NULL);
	else if (none > 0)
		occ_message_error("there is no signing key; 'oclcache key "
				  "generate' creates one");
	return none ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

enum { GENERATE, PUBLIC, LIST, TRUST, DISTRUST, VERBS };

static const struct occ_verb verbs[VERBS] = {
	[GENERATE] = {"generate", "[NAME]", 0, 1, {NULL}},
	[PUBLIC] = {"public", "", 0, 0, {NULL}},
	[LIST] = {"list", "", 0, 0, {NULL}},
	[TRUST] = {"trust", "LINE|FILE...", 1, SIZE_MAX, {NULL}},
	[DISTRUST] = {"distrust", "NAME...", 1, SIZE_MAX, {NULL}},
};

static int (*const actions[VERBS])(const struct occ_settings *settings,
				   char *const *operands, size_t count) = {
	[GENERATE] = occ_key_generate,
	[PUBLIC] = show_public,
	[LIST] = list,
	[TRUST] = occ_key_trust,
	[DISTRUST] = occ_key_distrust,
};

static int run(const struct occ_arguments *arguments)
{
	size_t chosen = occ_verb_choose("key", verbs, VERBS, arguments);
	struct occ_settings settings;
	int status;

	if (chosen == VERBS)
		return OCC_EXIT_USAGE;
	occ_settings_read(&settings);
	status = actions[chosen](&settings, arguments->operands + 1,
				 arguments->operand_count - 1);
	occ_settings_release(&settings);
	return status;
}

static const struct occ_option options[] = {
	{NULL},
};

const struct occ_command occ_command_key = {
	.name = "key",
	.summary = "manage the keys that vouch for entries from other machines",
	.operands = "generate|public|list|trust|distrust ...",
	.details = "  generate [NAME]     create the key that signs what "
		   "leaves this machine, and\n"
		   "                      print its public line\n"
		   "  public              print that line again\n"
		   "  list                list the trusted keys, and the file "
		   "that each is in\n"
		   "  trust LINE|FILE...  accept what these keys have signed "
		   "(\"-\": standard input)\n"
		   "  distrust NAME...    stop accepting what these keys have "
		   "signed\n"
		   "\n"
		   "Entries from archives and from remote storage are "
		   "programs, so they are accepted\n"
		   "only if a trusted key has signed them. Your signing key is "
		   "in\n"
		   "~/.config/oclcache/signing-key, which nobody else may "
		   "read. Trusted keys are\n"
		   "lines of the file trusted-keys in that directory and, for "
		   "all users, of\n"
		   "/etc/oclcache/trusted-keys. Your own key is always "
		   "trusted. Entries that are\n"
		   "already in the store stay there.",
	.options = options,
	.run = run,
};
