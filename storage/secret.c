/* SPDX-License-Identifier: MIT */
#include "storage/options.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tokens have some kB at most. */
#define SECRET_SIZE_MAX 65536
#define NAME_SIZE	128

void occ_storage_secret_free(char *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, strlen(secret));
	free(secret);
}

/* Line ends get behind secrets by themselves. */
static char *trim(char *secret)
{
	size_t length = strlen(secret);

	while (length && isspace((unsigned char)secret[length - 1]))
		secret[--length] = '\0';
	return secret;
}

static char *read_all(int file)
{
	char *secret = calloc(1, SECRET_SIZE_MAX + 1);
	size_t length = 0;
	ssize_t got = 1;

	while (secret && got > 0 && length < SECRET_SIZE_MAX) {
		got = read(file, secret + length, SECRET_SIZE_MAX - length);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			length += (size_t)got;
	}
	if (secret && got < 0) {
		occ_storage_secret_free(secret);
		return NULL;
	}
	return secret;
}

static char *from_file(const char *key, const char *path, char *problem,
		       size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *secret = file >= 0 ? read_all(file) : NULL;

	if (!secret)
		snprintf(problem, size,
			 "can't read the file of attribute %s: %s", key,
			 strerror(errno));
	if (file >= 0)
		close(file);
	return secret ? trim(secret) : NULL;
}

static char *from_variable(const char *key, const char *name, char *problem,
			   size_t size)
{
	const char *value = getenv(name);
	char *secret = value ? strdup(value) : NULL;

	if (!secret)
		snprintf(problem, size,
			 "the variable named by attribute %s isn't set", key);
	return secret ? trim(secret) : NULL;
}

char *occ_storage_secret(const struct occ_storage_options *options,
			 const char *key, char *problem, size_t size)
{
	const char *value = occ_storage_attribute(options, key);
	char name[NAME_SIZE];
	char *secret;

	*problem = '\0';
	if (value) {
		secret = strdup(value);
		if (!secret)
			snprintf(problem, size, "out of memory");
		return secret;
	}
	snprintf(name, sizeof(name), "%s-file", key);
	value = occ_storage_attribute(options, name);
	if (value)
		return from_file(name, value, problem, size);
	snprintf(name, sizeof(name), "%s-env", key);
	value = occ_storage_attribute(options, name);
	return value ? from_variable(name, value, problem, size) : NULL;
}
