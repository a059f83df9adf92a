/* SPDX-License-Identifier: MIT */
#include "cli/key.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/replace_file.h"
#include "cli/text.h"

static struct occ_span span_of(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

/* "user-host-1", so that the next one can be -2. */
static void default_name(char ret_name[OCC_KEY_NAME_MAX + 1])
{
	const struct passwd *user = getpwuid(geteuid());
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof(host) - 1);
	/* The number has to fit. */
	snprintf(ret_name, OCC_KEY_NAME_MAX - 1, "%s-%s",
		 user ? user->pw_name : "user", *host ? host : "host");
	for (char *c = ret_name; *c; c++)
		if (!occ_key_name_is_good(
			    (struct occ_span){(unsigned char *)c, 1}))
			*c = '-';
	stpcpy(ret_name + strlen(ret_name), "-1");
}

static bool choose_name(char *const *operands, size_t count,
			char ret_name[OCC_KEY_NAME_MAX + 1])
{
	if (!count) {
		default_name(ret_name);
		return true;
	}
	if (!occ_key_name_is_good(span_of(operands[0]))) {
		occ_message_error("key generate: '%s' isn't a valid name for a "
				  "key; use 1 to 64 of the characters A-Z a-z "
				  "0-9 . _ -, as in cache.example.org-1",
				  operands[0]);
		return false;
	}
	stpcpy(ret_name, operands[0]);
	return true;
}

/* Its bytes are nowhere but in the file afterwards. */
static bool make(const char *path, const char *name,
		 struct occ_public_key *ret_public)
{
	struct occ_buffer line = OCC_BUFFER_INIT;
	struct occ_signing_key key;
	int result, saved;

	if (sodium_init() < 0) {
		occ_message_error("key generate: can't get random numbers");
		return false;
	}
	stpcpy(key.name, name);
	crypto_sign_keypair(ret_public->bytes, key.bytes);
	stpcpy(ret_public->name, name);
	occ_signing_key_print(&key, &line);
	occ_signing_key_wipe(&key);
	occ_buffer_append(&line, "\n", 1);
	if (line.failed)
		occ_message_no_memory();
	result = occ_replace_file_new(path, line.data, line.size);
	saved = errno;
	sodium_memzero(line.data, line.size);
	occ_buffer_release(&line);
	if (!result)
		return true;
	if (saved == EEXIST)
		occ_message_error("%s already exists and is left unchanged; to "
				  "create another key, move it away",
				  path);
	else
		occ_message_error("%s: %s", path, strerror(saved));
	return false;
}

static void print_public(const struct occ_public_key *key)
{
	struct occ_buffer line = OCC_BUFFER_INIT;

	occ_public_key_print(key, &line);
	occ_buffer_append(&line, "\n", 1);
	if (line.failed)
		occ_message_no_memory();
	fwrite(line.data, 1, line.size, stdout);
	occ_buffer_release(&line);
}

int occ_key_generate(const struct occ_settings *settings, char *const *operands,
		     size_t count)
{
	char name[OCC_KEY_NAME_MAX + 1], path[PATH_MAX];
	struct occ_public_key public;

	if (!choose_name(operands, count, name))
		return OCC_EXIT_USAGE;
	if (!occ_signing_key_path(settings, path, sizeof(path))) {
		occ_message_error("key generate: there is no place to store "
				  "the key; set HOME, or set "
				  "OCLCACHE_SIGNING_KEY to an absolute path");
		return OCC_EXIT_FAILED;
	}
	if (!make(path, name, &public))
		return OCC_EXIT_FAILED;
	print_public(&public);
	occ_message_note("%s now signs what you export or put into a remote "
			 "storage; to accept it on another machine, run there: "
			 "oclcache key trust LINE, with the line above",
			 path);
	return OCC_EXIT_OK;
}
