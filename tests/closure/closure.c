/* SPDX-License-Identifier: MIT */
/*
 * Makes include closures, for tests to compare with what compilers read.
 *
 *	closure [--depend] [--text] [--driver NAME] [--directory DIRECTORY]...
 *
 * Reads lines "DIRECTORY<TAB>SOURCE_FILE<TAB>OPTIONS" from standard input; in
 * the fields \t, \n and \\ stand for a tab, a newline and a backslash. For
 * each it goes to the directory, makes the closure of the source under the
 * options, and answers with one line of JSON:
 *
 *	reason	why such a build isn't cached, or null
 *	unsafe	the option that forbids caching, or null
 *	hash	of a key with the source, the options and the closure; null
 *		when there is no closure
 *	files, present, absent	the closure's paths (hash/closure.h)
 *	names_source	whether the result may have the source's name
 *	us	microseconds that scanning, closure and key took
 *
 * Bytes beyond ASCII of paths are written as \u00XX each. With --depend the
 * answer is a list for people. With --text the second field isn't a file's
 *name, but the source itself. A directory is one that the driver itself
 *searches. What was read of files is remembered from line to line, as in a
 *process that builds many programs.
 */
#include "cache/driver/driver.h"
#include "cache/include_files.h"
#include "hash/closure.h"
#include "hash/key.h"
#include "hash/option.h"
#include "hash/scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORIES_MAX 16

/* Before a path in a field: u64, two digests and two u32. */
#define FILE_PREFIX	(16 + 2 * OCC_DIGEST_SIZE)

static bool depend;
static bool sources_given;
static const struct occ_driver *driver = &occ_driver_pocl; /* NULL: any */
static const char *directories[DIRECTORIES_MAX + 1];
static size_t directory_count;

/* One line of input, and what came of it. */
struct job {
	const char *directory;
	const char *file;
	const char *options;
	char *source;
	size_t size;
	const char *reason;
	const char *unsafe;
	size_t unsafe_length;
	struct occ_closure closure;
	char hash[OCC_DIGEST_HEX_SIZE];
	double microseconds;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Whole file in memory of exactly its size, so that sanitizers watch it. */
static char *read_file(const char *path, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status)) {
		*ret_size = (size_t)status.st_size;
		text = malloc(*ret_size ? *ret_size : 1);
		if (text && read(fd, text, *ret_size) != (ssize_t)*ret_size) {
			free(text);
			text = NULL;
		}
	}
	close(fd);
	return text;
}

static char *copy_text(const char *source, size_t *ret_size)
{
	size_t size = strlen(source);
	char *text = malloc(size ? size : 1);

	*ret_size = size;
	/* Without its end, so that sanitizers watch it. */
	return text ? memcpy(text, source, size) : NULL;
}

static char *take_source(const char *field, size_t *ret_size)
{
	return sources_given ? copy_text(field, ret_size)
			     : read_file(field, ret_size);
}

static void print_text(const char *text, size_t length)
{
	putchar('"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c > '~')
			printf("\\u%04x", c);
		else if (c == '"' || c == '\\')
			printf("\\%c", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_name(const char *name, const char *text, size_t length)
{
	printf("\"%s\": ", name);
	if (text)
		print_text(text, length);
	else
		printf("null");
	printf(", ");
}

typedef void (*print_path)(const char *path, size_t length, size_t number);

/* Calls `print` with every path of the fields with that id. */
static void each_field(const struct occ_closure *closure, uint16_t id,
		       print_path print)
{
	size_t offset = 0, number = 0;
	struct occ_field field;

	while (occ_field_next(closure->fields.data, closure->fields.size,
			      &offset, &field) > 0) {
		if (field.id == id)
			print((const char *)field.payload + FILE_PREFIX,
			      (size_t)field.length - FILE_PREFIX, number++);
	}
}

static void each_absent(const struct occ_closure *closure, print_path print)
{
	const char *at = (const char *)closure->absent.data;
	const char *end = at + closure->absent.size;

	if (!at)
		return;
	for (size_t number = 0; at < end; at += strlen(at) + 1)
		print(at, strlen(at), number++);
}

static void print_member(const char *path, size_t length, size_t number)
{
	if (number)
		printf(", ");
	print_text(path, length);
}

static void print_json(const struct job *job)
{
	const char *hash = job->reason ? NULL : job->hash;

	putchar('{');
	print_name("reason", job->reason,
		   job->reason ? strlen(job->reason) : 0);
	print_name("unsafe", job->unsafe, job->unsafe_length);
	print_name("hash", hash, hash ? strlen(hash) : 0);
	printf("\"files\": [");
	each_field(&job->closure, OCC_KEY_INCLUDE_FILE, print_member);
	printf("], \"present\": [");
	each_field(&job->closure, OCC_KEY_INCLUDE_PRESENT, print_member);
	printf("], \"absent\": [");
	each_absent(&job->closure, print_member);
	printf("], \"names_source\": %s, ",
	       job->closure.names_source ? "true" : "false");
	printf("\"us\": %.1f}\n", job->microseconds);
}

static void print_file(const char *path, size_t length, size_t number)
{
	(void)number;
	printf("  reads %.*s\n", (int)length, path);
}

static void print_present(const char *path, size_t length, size_t number)
{
	(void)number;
	printf("  is there: %.*s\n", (int)length, path);
}

static void print_absent(const char *path, size_t length, size_t number)
{
	(void)number;
	printf("  isn't there: %.*s\n", (int)length, path);
}

static void print_list(const struct job *job)
{
	printf("%s/%s %s\n", job->directory, job->file, job->options);
	if (job->unsafe)
		printf("  not cached: option %.*s\n", (int)job->unsafe_length,
		       job->unsafe);
	if (job->reason)
		printf("  not cached: %s\n", job->reason);
	else
		printf("  key %s\n", job->hash);
	each_field(&job->closure, OCC_KEY_INCLUDE_FILE, print_file);
	each_field(&job->closure, OCC_KEY_INCLUDE_PRESENT, print_present);
	each_absent(&job->closure, print_absent);
	printf("  in %.0f us\n", job->microseconds);
}

/* The hash of a key with nothing else in it. */
static void make_key(struct job *job)
{
	struct occ_key key;

	occ_key_init(&key);
	occ_key_add(&key, OCC_KEY_SOURCE, job->source, job->size);
	occ_key_add_string(&key, OCC_KEY_OPTIONS, job->options);
	occ_closure_add(&job->closure, &key);
	if (occ_key_finish(&key) < 0)
		job->reason = "out of memory";
	else
		occ_digest_hex(&key.hash, job->hash);
	occ_key_release(&key);
}

static void make_closure(struct job *job)
{
	double start = now();
	struct occ_include_files_view *view =
		occ_include_files_view_open(false);
	struct occ_scan *scan = occ_scan_make(job->source, job->size);

	job->unsafe =
		occ_option_unsafe(job->options, driver ? driver->dialect : NULL,
				  &job->unsafe_length);
	if (view && scan) {
		struct occ_closure_request request = {
			.source = scan,
			.options = job->options,
			.dialect = driver ? driver->dialect : NULL,
			.splices_blanks = driver && driver->splices_blanks,
			.directories = directories,
			.look = occ_include_files_look,
			.look_data = view,
		};

		job->reason = occ_reason_text(
			occ_closure_make(&request, &job->closure));
		if (!job->reason)
			make_key(job);
	} else {
		job->reason = "out of memory";
	}
	job->microseconds = now() - start;
	if (scan)
		occ_scan_release(scan);
	if (view)
		occ_include_files_view_close(view);
}

/* Undoes the escapes in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		char c = *from;

		if (c == '\\' && from[1]) {
			c = *++from;
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
		}
		*to++ = c;
	}
	*to = '\0';
}

static bool split_line(char *line, struct job *ret_job)
{
	char *fields[3] = {line, NULL, NULL};

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 1; i < 3; i++) {
		char *tab = strchr(fields[i - 1], '\t');

		if (!tab)
			return false;
		*tab = '\0';
		fields[i] = tab + 1;
	}
	for (size_t i = 0; i < 3; i++)
		unescape(fields[i]);
	ret_job->directory = fields[0];
	ret_job->file = fields[1];
	ret_job->options = fields[2];
	return true;
}

/* `start` is the directory that directories are relative to. */
static int do_line(char *line, int start)
{
	struct job job = {0};

	if (!split_line(line, &job)) {
		fprintf(stderr, "closure: a line without two tabs\n");
		return -1;
	}
	if (fchdir(start) < 0 || chdir(job.directory) < 0 ||
	    !(job.source = take_source(job.file, &job.size)))
		job.reason = "the source can't be read";
	else
		make_closure(&job);
	if (depend)
		print_list(&job);
	else
		print_json(&job);
	fflush(stdout);
	if (!job.reason)
		occ_closure_release(&job.closure);
	free(job.source);
	return job.source ? 0 : -1;
}

static bool choose_driver(const char *name)
{
	for (size_t i = 0; (driver = occ_driver_at(i)); i++)
		if (!strcmp(driver->name, name))
			return true;
	return !strcmp(name, "any");
}

static bool read_arguments(int count, char **arguments)
{
	for (int i = 1; i < count; i++) {
		bool last = i + 1 == count;

		if (!strcmp(arguments[i], "--depend"))
			depend = true;
		else if (!strcmp(arguments[i], "--text"))
			sources_given = true;
		else if (!strcmp(arguments[i], "--directory") && !last &&
			 directory_count < DIRECTORIES_MAX)
			directories[directory_count++] = arguments[++i];
		else if (strcmp(arguments[i], "--driver") || last ||
			 !choose_driver(arguments[++i]))
			return false;
	}
	return true;
}

int main(int count, char **arguments)
{
	int start = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = 0;
	char *line = NULL;
	size_t capacity = 0;

	if (!read_arguments(count, arguments) || start < 0) {
		fprintf(stderr, "usage: closure [--depend] [--text] "
				"[--driver NAME] [--directory DIRECTORY]...\n");
		return 2;
	}
	while (getline(&line, &capacity, stdin) > 0)
		if (do_line(line, start) < 0)
			failed = 1;
	free(line);
	close(start);
	return failed;
}
