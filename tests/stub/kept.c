/* SPDX-License-Identifier: MIT */
#include "tests/stub/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/stub/object.h"
#include "tests/stub/switches.h"

#define LONG 4096

static bool is_on(const struct stub_source *source)
{
	const char *asked = getenv("STUB_KERNEL_CACHE");

	switch (stub.keeps) {
	case STUB_KEEPS_NOTHING:
		return false;
	case STUB_KEEPS_LONG:
		return source->size > LONG;
	case STUB_KEEPS_ASKED:
		return asked && *asked == '1';
	default:
		return true;
	}
}

static FILE *open_kept(const struct stub_source *source, const char *mode)
{
	struct stub_digest digest = STUB_DIGEST_INIT;
	const char *home = getenv("HOME");
	char path[4096], hex[STUB_DIGEST_HEX];

	if (!is_on(source) || !home)
		return NULL;
	stub_digest_add(&digest, source->text, source->size);
	stub_digest_add(&digest, source->raw_options,
			strlen(source->raw_options));
	stub_digest_hex(&digest, hex);
	snprintf(path, sizeof(path), "%s/.stub.kept", home);
	if (stub.keeps != STUB_KEEPS_THERE)
		mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/.stub.kept/%s", home, hex);
	return fopen(path, mode);
}

bool stub_kept_find(const struct stub_source *source,
		    struct stub_text *ret_expanded)
{
	FILE *file = open_kept(source, "re");
	char bytes[4096];
	size_t got;

	if (!file)
		return false;
	stub_text_add(ret_expanded, "", 0);
	while ((got = fread(bytes, 1, sizeof(bytes), file)) > 0)
		stub_text_add(ret_expanded, bytes, got);
	fclose(file);
	return true;
}

void stub_kept_add(const struct stub_source *source,
		   const struct stub_text *expanded)
{
	FILE *file = open_kept(source, "we");

	if (!file)
		return;
	if (fwrite(expanded->bytes, 1, expanded->size, file) != expanded->size)
		stub_die("what is kept can't be written");
	fclose(file);
}
