/* SPDX-License-Identifier: MIT */
/*
 * storage/url.h, storage/s3_credentials.h: any text as a URL and as a file of
 * credentials. What is shown of a URL has neither password nor query, and the
 * path is asked for as it was understood.
 */
#include "tests/fuzz/fuzz.h"

#include "storage/http_settings.h"
#include "storage/options.h"
#include "storage/s3_credentials.h"

static void mask(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != ':')
			text[i] = 'x';
}

/* User, password and query, of a URL that was understood. */
static void mask_secrets(char *url)
{
	char *rest = strchr(url, ':') + 1, *query = strchr(rest, '?'), *at;

	if (query)
		mask(query + 1, strlen(query + 1));
	if (strncmp(rest, "//", 2) != 0)
		return;
	rest += 2;
	at = memrchr(rest, '@', strcspn(rest, "/?#"));
	if (at)
		mask(rest, (size_t)(at - rest));
}

/* Other secrets, the same words. */
static void look_at_shown(const struct occ_storage_options *options,
			  const char *text)
{
	char *url = strdup(text), problem[256];
	struct occ_storage_options masked;

	fuzz_expect(url != NULL, "memory");
	mask_secrets(url);
	fuzz_expect(occ_storage_options_begin(&masked, url, problem,
					      sizeof(problem)),
		    "a URL with other secrets");
	fuzz_expect(!strcmp(options->shown, masked.shown), "no secret");
	occ_storage_options_release(&masked);
	free(url);
}

static void look_at(const struct occ_storage_options *options, const char *text)
{
	fuzz_expect(*options->scheme && options->host && options->path &&
			    options->port <= 65535,
		    "a URL");
	for (const char *at = options->shown; *at; at++)
		fuzz_expect((unsigned char)*at >= ' ' && *at != 0x7f,
			    "printable");
	look_at_shown(options, text);
}

/* As an address for HTTP it has one line, and nothing but that. */
static void make_address(const struct occ_storage_options *options)
{
	struct occ_http_settings settings;
	struct occ_backend_error error;
	struct occ_span key = {(const unsigned char *)"key", 3};

	if (occ_http_settings_make(options, &settings, &error)) {
		char *url = occ_http_url(&settings, key);

		fuzz_expect(url && strstr(url, "6b/6579") != NULL, "a name");
		for (const char *at = url; *at; at++)
			fuzz_expect((unsigned char)*at > ' ' &&
					    (unsigned char)*at != 0x7f,
				    "no blanks");
		free(url);
	}
	occ_http_settings_release(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct occ_storage_options options;
	struct occ_s3_credentials credentials;
	char problem[256];

	if (occ_storage_options_begin(&options, text, problem,
				      sizeof(problem))) {
		look_at(&options, text);
		make_address(&options);
	}
	occ_storage_options_release(&options);
	if (occ_s3_credentials_parse(text, "default", &credentials)) {
		fuzz_expect(!strchr(credentials.secret_key, '\n'), "a line");
		occ_s3_credentials_release(&credentials);
	}
	free(text);
	return 0;
}
