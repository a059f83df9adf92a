/* SPDX-License-Identifier: MIT */
/*
 * What a scene writes: lines, and the names of handles in place of addresses.
 *
 * A thread writes to standard output unless it has said otherwise with
 * scene_output(): scenes with threads let each write to a buffer of its own,
 * and print the buffers in a fixed order.
 *
 * With SCENE_DELETE="N:DIRECTORY" in the environment every entry of a store in
 * DIRECTORY is deleted when the first thread has said N lines. With
 * SCENE_SETTLE=N it waits for N microseconds where threads of the driver may
 * still have references that go by themselves.
 */
#ifndef TESTS_LAYER_SCENE_OUTPUT_H
#define TESTS_LAYER_SCENE_OUTPUT_H

#include <ftw.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/layer/common.h"

#define NAMES_MAX 4096

static _Thread_local FILE *scene_stream;

static inline FILE *out(void)
{
	return scene_stream ? scene_stream : stdout;
}

/* NULL: standard output again. */
static inline void scene_output(FILE *stream)
{
	scene_stream = stream;
}

static inline void settle(void)
{
	const char *text = getenv("SCENE_SETTLE");

	if (text)
		usleep((useconds_t)strtoul(text, NULL, 10));
}

static struct {
	long after; /* lines; 0: never */
	long lines;
	int deleted;
	const char *directory;
} scene_deletion;

static inline void scene_deletion_read(void)
{
	const char *text = getenv("SCENE_DELETE");
	char *end;

	if (!text)
		return;
	scene_deletion.after = strtol(text, &end, 10);
	if (scene_deletion.after <= 0 || *end != ':')
		die("SCENE_DELETE=%s isn't N:DIRECTORY", text);
	scene_deletion.directory = end + 1;
}

static inline int scene_delete_one(const char *path, const struct stat *status,
				   int type, struct FTW *where)
{
	const char *end = strrchr(path, '.');

	(void)status;
	(void)where;
	if (type == FTW_F && end && !strcmp(end, ".cl_cache") && !unlink(path))
		scene_deletion.deleted++;
	return 0;
}

/* A line was said. */
static inline void scene_deletion_step(void)
{
	if (!scene_deletion.after || scene_stream ||
	    ++scene_deletion.lines != scene_deletion.after)
		return;
	nftw(scene_deletion.directory, scene_delete_one, 8, FTW_PHYS);
	fprintf(stderr, "%d entries deleted\n", scene_deletion.deleted);
}

__attribute__((format(printf, 1, 2))) static inline void say(const char *format,
							     ...)
{
	va_list list;

	va_start(list, format);
	vfprintf(out(), format, list);
	va_end(list);
	fputc('\n', out());
	/* A crash must not lose what came before it. */
	fflush(out());
	scene_deletion_step();
}

/* Lines that were kept for later. */
static inline void say_text(const char *text)
{
	fputs(text, out());
	fflush(out());
	while ((text = strchr(text, '\n'))) {
		text++;
		scene_deletion_step();
	}
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void skip(
	const char *format, ...)
{
	va_list list;

	fputs("SKIP ", stdout);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	exit(77);
}

static struct {
	const void *handle;
	pthread_t thread; /* that gave the name */
	char name[32];
} scene_names[NAMES_MAX];
static size_t scene_name_count;
static pthread_mutex_t scene_names_lock = PTHREAD_MUTEX_INITIALIZER;

/* The newest name wins: drivers use addresses again. */
static inline void name_handle(const void *handle, const char *name)
{
	size_t i;

	if (!handle)
		return;
	pthread_mutex_lock(&scene_names_lock);
	if (scene_name_count == NAMES_MAX)
		die("too many names");
	i = scene_name_count++;
	scene_names[i].handle = handle;
	scene_names[i].thread = pthread_self();
	snprintf(scene_names[i].name, sizeof(scene_names[i].name), "%s", name);
	pthread_mutex_unlock(&scene_names_lock);
}

/*
 * This thread's newest name for a handle, else anybody's: another thread may
 * have got the address of what this one has just released.
 */
static inline const char *handle_name(const void *handle)
{
	const char *name = NULL;
	size_t i;

	if (!handle)
		return "NULL";
	pthread_mutex_lock(&scene_names_lock);
	for (i = scene_name_count; i > 0; i--) {
		if (scene_names[i - 1].handle != handle)
			continue;
		if (!name)
			name = scene_names[i - 1].name;
		if (!pthread_equal(scene_names[i - 1].thread, pthread_self()))
			continue;
		name = scene_names[i - 1].name;
		break;
	}
	pthread_mutex_unlock(&scene_names_lock);
	return name ? name : "a handle that the application never got";
}

#endif
