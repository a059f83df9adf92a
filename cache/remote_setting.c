/* SPDX-License-Identifier: MIT */
#include "cache/remote_setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>
#include <unistd.h>

#include "cache/file.h"
#include "hash/digest.h"

#define BLANKS	     " \t"

/* Of a socket that follows from the setting. */
#define SOCKET_BYTES 8

/* Values aren't shown: they may be secrets. */
static const char *problem_of(struct occ_remote_setting *setting,
			      const char *what, const char *key)
{
	snprintf(setting->problem, sizeof(setting->problem), "%s \"%s\"", what,
		 key);
	return setting->problem;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* In its place. False: there is a '%' without two digits, or a NUL behind it.
 */
static bool decode(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		int high, low;

		if (*from != '%') {
			*to++ = *from;
			continue;
		}
		high = hex_digit(from[1]);
		low = high < 0 ? -1 : hex_digit(from[2]);
		if (low < 0 || high + low == 0)
			return false;
		*to++ = (char)(high * 16 + low);
		from += 2;
	}
	*to = '\0';
	return true;
}

/* A line end in a value would be another header of a request. */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			return true;
	return false;
}

static bool parse_flag(const char *value, bool *ret_flag)
{
	static const char *const words[][2] = {{"false", "true"},
					       {"no", "yes"},
					       {"off", "on"},
					       {"0", "1"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		for (int flag = 0; flag < 2; flag++)
			if (!strcasecmp(words[i][flag], value)) {
				*ret_flag = flag;
				return true;
			}
	return false;
}

static const char *add_attribute(struct occ_remote_setting *setting,
				 const char *key, const char *value)
{
	struct occ_remote_attribute *attribute;

	if (!*key)
		return "an attribute without a name";
	if (setting->attribute_count == OCC_REMOTE_ATTRIBUTES_MAX)
		return "too many attributes";
	attribute = &setting->attributes[setting->attribute_count++];
	attribute->key = key;
	attribute->value = value ? value : "";
	return NULL;
}

/* `value` is NULL where there is no '='. */
static const char *take_attribute(struct occ_remote_setting *setting, char *key,
				  char *value)
{
	if (value && !decode(value))
		return problem_of(setting, "a '%' without two digits in", key);
	if (has_control(key) || (value && has_control(value)))
		return problem_of(setting, "invalid character in", key);
	if (*key == '@')
		return add_attribute(setting, key + 1, value);
	if (!strcmp(key, "read-only")) {
		if (!parse_flag(value ? value : "true", &setting->read_only))
			return "read-only must be true or false";
	} else if (!strcmp(key, "unsigned")) {
		if (!value || strcmp(value, "accept") != 0)
			return "the only value of unsigned is accept";
		setting->accepts_unsigned = true;
	} else if (!strcmp(key, "helper")) {
		if (!value || !*value)
			return "helper needs a program";
		setting->helper = value;
	} else {
		return problem_of(setting, "unknown attribute", key);
	}
	return NULL;
}

/* "scheme://...", of RFC 3986's characters; or "crsh:/path". */
static const char *take_url(struct occ_remote_setting *setting, char *url)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char others[] = "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789+-.";
	const char *end = url + strspn(url, others);

	if (has_control(url))
		return "invalid character in the URL";
	setting->url = url;
	if (!strncmp(url, "crsh:", 5)) {
		if (!decode(url))
			return "a '%' without two digits in the path";
		if (has_control(url))
			return "invalid character in the URL";
		return url[5] == '/' ? NULL : "crsh: needs an absolute path";
	}
	/* Without an authority: ccache writes sockets so. */
	if (!strncmp(url, "redis+unix:/", 12) && url[12])
		return NULL;
	if (!strspn(url, letters) || strncmp(end, "://", 3) != 0 || !end[3])
		return "it doesn't begin with a URL";
	return NULL;
}

/* Cuts the next word off; NULL: there is none. */
static char *next_word(char **text)
{
	char *word = *text + strspn(*text, BLANKS);
	char *end = word + strcspn(word, BLANKS);

	*text = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

static const char *parse(struct occ_remote_setting *setting)
{
	char *rest = setting->text, *word = next_word(&rest);
	const char *problem;

	if (!word)
		return "the URL is missing";
	problem = take_url(setting, word);
	while (!problem && (word = next_word(&rest))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		problem = take_attribute(setting, word, value);
	}
	return problem;
}

const char *occ_remote_setting_parse(const char *text,
				     struct occ_remote_setting *ret_setting)
{
	const char *problem = "out of memory";

	*ret_setting = (struct occ_remote_setting){.text = strdup(text)};
	if (ret_setting->text)
		problem = parse(ret_setting);
	if (problem) {
		free(ret_setting->text);
		ret_setting->text = NULL;
	}
	return problem;
}

void occ_remote_setting_release(struct occ_remote_setting *setting)
{
	free(setting->text);
	*setting = (struct occ_remote_setting){0};
}

/* Each with its NUL: no two settings give the same bytes. */
static bool digest_of(const struct occ_remote_setting *setting,
		      struct occ_digest *ret_digest)
{
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_NAME);

	if (!state)
		return false;
	occ_digest_update(state, setting->url, strlen(setting->url) + 1);
	for (size_t i = 0; i < setting->attribute_count; i++) {
		const struct occ_remote_attribute *attribute =
			&setting->attributes[i];

		occ_digest_update(state, attribute->key,
				  strlen(attribute->key) + 1);
		occ_digest_update(state, attribute->value,
				  strlen(attribute->value) + 1);
	}
	occ_digest_finish(state, ret_digest);
	return true;
}

static bool fits(int length, size_t size)
{
	struct sockaddr_un address;

	return length > 0 && (size_t)length < size &&
	       (size_t)length < sizeof(address.sun_path);
}

static int print_path(const struct occ_remote_setting *setting, char *path,
		      size_t size)
{
	const char *directory = getenv("XDG_RUNTIME_DIR");
	char of_user[64], hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest digest;
	struct stat status;

	if (!strncmp(setting->url, "crsh:", 5))
		return snprintf(path, size, "%s", setting->url + 5);
	if (!digest_of(setting, &digest))
		return -1;
	if (!directory || *directory != '/') {
		snprintf(of_user, sizeof(of_user), "/run/user/%u",
			 (unsigned)geteuid());
		if (occ_file_status_path(of_user, &status))
			snprintf(of_user, sizeof(of_user), "/tmp/oclcache-%u",
				 (unsigned)geteuid());
		directory = of_user;
	}
	occ_digest_hex(&digest, hex);
	return snprintf(path, size, "%s/oclcache-%.*s.socket", directory,
			2 * SOCKET_BYTES, hex);
}

bool occ_remote_setting_socket(const struct occ_remote_setting *setting,
			       char *path, size_t size)
{
	return fits(print_path(setting, path, size), size);
}
