/* SPDX-License-Identifier: MIT */
/* Where keys are, and the files that have them (cache/signature.h). */
#include "cache/signature.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/heeded_file.h"

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool join(const char *directory, const char *rest, const char *name,
		 char *path, size_t size)
{
	return (size_t)snprintf(path, size, "%s%s/oclcache%s%s", directory,
				rest, *name ? "/" : "", name) < size;
}

bool occ_signature_path(const char *name, char *path, size_t size)
{
	/* The XDG specification: relative paths are to be ignored. */
	const char *directory = value_of("XDG_CONFIG_HOME");

	if (directory && *directory == '/')
		return join(directory, "", name, path, size);
	directory = value_of("HOME");
	return directory && *directory == '/' &&
	       join(directory, "/.config", name, path, size);
}

bool occ_signing_key_path(const struct occ_settings *settings, char *path,
			  size_t size)
{
	const struct occ_setting_value *value =
		&settings->values[OCC_SETTING_SIGNING_KEY];

	if (!value->text)
		return occ_signature_path(OCC_SIGNING_KEY_FILE, path, size);
	return value->understood &&
	       (size_t)snprintf(path, size, "%s", value->text) < size;
}

bool occ_trusted_keys_have(const struct occ_trusted_keys *keys,
			   const char *name)
{
	for (size_t i = 0; i < keys->count; i++)
		if (!strcmp(keys->keys[i].name, name))
			return true;
	return false;
}

bool occ_trusted_keys_add(struct occ_trusted_keys *keys,
			  const struct occ_public_key *key)
{
	for (size_t i = 0; i < keys->count; i++)
		if (!strcmp(keys->keys[i].name, key->name) &&
		    !memcmp(keys->keys[i].bytes, key->bytes,
			    OCC_PUBLIC_KEY_SIZE))
			return true;
	if (keys->count == OCC_TRUSTED_KEYS_MAX)
		return false;
	keys->keys[keys->count++] = *key;
	return true;
}

/* Who is told of problems. */
struct reader {
	struct occ_trusted_keys *keys;
	occ_signature_problem problem;
	void *data;
};

static void tell(const struct reader *reader, const char *file, unsigned line,
		 const char *problem)
{
	if (reader->problem)
		reader->problem(reader->data, file, line, problem);
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool occ_key_line_is_comment(struct occ_span line)
{
	while (line.size && is_blank(*line.data)) {
		line.data++;
		line.size--;
	}
	return !line.size || *line.data == '#';
}

static void read_line(const struct reader *reader, const char *file,
		      unsigned number, struct occ_span line)
{
	struct occ_public_key key;

	if (occ_key_line_is_comment(line))
		return;
	if (!occ_public_key_parse(line, &key))
		tell(reader, file, number, "isn't a public key, NAME:BASE64");
	else if (!occ_trusted_keys_add(reader->keys, &key))
		tell(reader, file, number,
		     "is one key too many: at most 64 are read");
}

static void read_file(const struct reader *reader, const char *file,
		      bool must_exist)
{
	const char *problem;
	char *text, *end;
	size_t size;
	unsigned number = 0;

	problem = occ_heeded_file_read(file, OCC_HEEDED_PUBLIC, &text, &size);
	if (!problem && !text && must_exist)
		problem = "doesn't exist";
	if (problem)
		tell(reader, file, 0, problem);
	if (!text)
		return;
	for (char *at = text; at < text + size; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text + size - at));
		if (!end)
			end = text + size;
		read_line(reader, file, ++number,
			  (struct occ_span){(unsigned char *)at,
					    (size_t)(end - at)});
	}
	free(text);
}

void occ_trusted_keys_add_file(const char *file, bool must_exist,
			       struct occ_trusted_keys *keys,
			       occ_signature_problem problem, void *data)
{
	read_file(&(struct reader){keys, problem, data}, file, must_exist);
}

/* Relative ones of a setting are left out: occ_settings_parse() says so. */
static void visit_set(const char *list, occ_trusted_keys_visit visit,
		      void *data)
{
	char path[PATH_MAX];
	size_t length;

	for (; (list = occ_settings_path(list, &length)); list += length)
		if (*list == '/' && length < sizeof(path)) {
			snprintf(path, sizeof(path), "%.*s", (int)length, list);
			if (!visit(data, path))
				return;
		}
}

void occ_trusted_keys_files(const struct occ_settings *settings,
			    occ_trusted_keys_visit visit, void *data)
{
	const char *list = settings->values[OCC_SETTING_TRUSTED_KEYS].text;
	const char *root = value_of("OCLCACHE_ROOT");
	char path[PATH_MAX];

	if (list) {
		visit_set(list, visit, data);
		return;
	}
	if (join(root ? root : "", "/etc", OCC_TRUSTED_KEYS_FILE, path,
		 sizeof(path)) &&
	    !visit(data, path))
		return;
	if (occ_signature_path(OCC_TRUSTED_KEYS_FILE, path, sizeof(path)))
		visit(data, path);
}

struct reading {
	const struct reader *reader;
	bool is_set;
};

static bool visit_file(void *data, const char *file)
{
	const struct reading *reading = data;

	read_file(reading->reader, file, reading->is_set);
	return true;
}

void occ_trusted_keys_read(const struct occ_settings *settings,
			   struct occ_trusted_keys *ret_keys,
			   occ_signature_problem problem, void *data)
{
	struct reader reader = {ret_keys, problem, data};
	struct reading reading = {
		&reader, settings->values[OCC_SETTING_TRUSTED_KEYS].text};
	struct occ_signing_key own;
	struct occ_public_key public;
	const char *unheeded;
	char path[PATH_MAX];
	int error;

	ret_keys->count = 0;
	occ_trusted_keys_files(settings, visit_file, &reading);
	error = occ_signing_key_read(settings, &own, &unheeded);
	if (error && error != OCC_E_NOT_FOUND &&
	    occ_signing_key_path(settings, path, sizeof(path)))
		tell(&reader, path, 0, unheeded);
	if (error)
		return;
	occ_signing_key_public(&own, &public);
	occ_signing_key_wipe(&own);
	occ_trusted_keys_add(ret_keys, &public);
}

/* All lines but one are empty or comments. NULL, or what is wrong. */
static const char *parse_file(const char *text, size_t size,
			      struct occ_signing_key *ret_key)
{
	bool found = false;
	const char *end;

	for (const char *at = text; at < text + size; at = end + 1) {
		struct occ_span line;

		end = memchr(at, '\n', (size_t)(text + size - at));
		if (!end)
			end = text + size;
		line = (struct occ_span){(const unsigned char *)at,
					 (size_t)(end - at)};
		if (occ_key_line_is_comment(line))
			continue;
		if (found) {
			occ_signing_key_wipe(ret_key);
			return "contains more than one key";
		}
		if (!occ_signing_key_parse(line, ret_key))
			return "isn't a signing key, NAME:BASE64";
		found = true;
	}
	return found ? NULL : "contains no key";
}

int occ_signing_key_read_file(const char *file, struct occ_signing_key *ret_key,
			      const char **ret_problem)
{
	int error = OCC_E_NOT_FOUND;
	const char *problem;
	size_t size;
	char *text;

	problem = occ_heeded_file_read(file, OCC_HEEDED_SECRET, &text, &size);
	if (problem)
		error = OCC_E_FORBIDDEN;
	if (text) {
		problem = parse_file(text, size, ret_key);
		error = problem ? OCC_E_CORRUPT : OCC_OK;
		explicit_bzero(text, size);
		free(text);
	}
	if (ret_problem)
		*ret_problem =
			error == OCC_E_NOT_FOUND ? "doesn't exist" : problem;
	return error;
}

int occ_signing_key_read(const struct occ_settings *settings,
			 struct occ_signing_key *ret_key,
			 const char **ret_problem)
{
	char path[PATH_MAX];

	if (occ_signing_key_path(settings, path, sizeof(path)))
		return occ_signing_key_read_file(path, ret_key, ret_problem);
	if (ret_problem)
		*ret_problem = "doesn't exist";
	return OCC_E_NOT_FOUND;
}
