/* SPDX-License-Identifier: MIT */
#include "cli/remote_secrets.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/text.h"

#define BLANKS " \t"
#define HIDDEN "..."

/* Of web servers: presigned URLs and tokens of access are such. Redis has db=.
 */
static const char *secret_query(const char *url)
{
	return strncmp(url, "redis", 5) != 0 ? strchr(url, '?') : NULL;
}

bool occ_remote_secrets_in_url(const char *url)
{
	const char *authority = strstr(url, "://"), *at;

	if (secret_query(url))
		return true;
	if (!authority)
		return false;
	authority += strlen("://");
	at = memrchr(authority, '@', strcspn(authority, "/?#"));
	return at && memchr(authority, ':', (size_t)(at - authority));
}

/* Also of others' helpers: what is called so is one. */
bool occ_remote_secrets_is_one(const char *key)
{
	static const char *const words[] = {"token", "password", "secret",
					    "header", "credential"};

	if (occ_text_ends_with(key, "-file") || occ_text_ends_with(key, "-env"))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(key, words[i]))
			return true;
	return false;
}

/* A word as it may be seen. */
static void write_word(FILE *stream, char *word)
{
	char *value = strchr(word, '='), *authority = strstr(word, "://"), *at;
	const char *query = secret_query(word);
	int length = (int)(query ? query - word : (ptrdiff_t)strlen(word));

	if (*word == '@' && value) {
		*value = '\0';
		fprintf(stream, "%s=%s", word,
			occ_remote_secrets_is_one(word + 1) ? HIDDEN
							    : value + 1);
		return;
	}
	/* Whatever is before '@': it may not be well-formed. */
	at = authority ? memrchr(word, '@', (size_t)length) : NULL;
	if (at && at > authority && occ_remote_secrets_in_url(word))
		fprintf(stream, "%.*s" HIDDEN "%.*s",
			(int)(authority + strlen("://") - word), word,
			(int)(word + length - at), at);
	else
		fprintf(stream, "%.*s", length, word);
	if (query)
		fputs("?" HIDDEN, stream);
}

char *occ_remote_secrets_hide(const char *setting)
{
	char *copy = occ_message_must(strdup(setting)), *shown, *at = NULL;
	const char *before = "";
	size_t size;
	FILE *stream = occ_message_must(open_memstream(&shown, &size));

	for (char *word = strtok_r(copy, BLANKS, &at); word;
	     word = strtok_r(NULL, BLANKS, &at)) {
		fputs(before, stream);
		write_word(stream, word);
		before = " ";
	}
	free(copy);
	if (fclose(stream))
		occ_message_no_memory();
	return shown;
}
