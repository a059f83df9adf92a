/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application under the layer: clCreateContext and
 * clCreateContextFromType return when everything that the layer loads ahead is
 * loaded, so that builds find it. It is when the trace in OCLCACHE_LOG_FILE
 * says that the entries were read, and for some polls neither grows nor another
 * thread runs; or after WAIT_MS.
 */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CL/cl.h>

#define EXPORT	__attribute__((visibility("default")))

#define WAIT_MS 3000
#define POLL_MS 2

/* So many polls in a row without a change. */
#define STILL	6

/* Where nothing is read there is nothing to be waited for. */
#define READ_MS 300

typedef void(CL_CALLBACK *notify_function)(const char *, const void *, size_t,
					   void *);

static long size_of_trace(void)
{
	const char *name = getenv("OCLCACHE_LOG_FILE");
	struct stat status;

	return name && !stat(name, &status) ? (long)status.st_size : 0;
}

static bool was_read(void)
{
	/* Not on the stack: applications have threads with small ones. */
	static _Thread_local char text[1 << 16];
	const char *name = getenv("OCLCACHE_LOG_FILE");
	int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t size = file < 0 ? 0 : read(file, text, sizeof(text) - 1);

	if (file >= 0)
		close(file);
	text[size > 0 ? size : 0] = '\0';
	return strstr(text, "\"result\":\"read\"");
}

/* Of a thread's "ID (NAME) STATE ...". */
static bool runs(const char *id)
{
	char path[64], line[256];
	const char *end;
	ssize_t size;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", id);
	file = open(path, O_RDONLY | O_CLOEXEC);
	size = file < 0 ? 0 : read(file, line, sizeof(line) - 1);
	if (file >= 0)
		close(file);
	line[size > 0 ? size : 0] = '\0';
	end = strrchr(line, ')');
	return end && (end[2] == 'R' || end[2] == 'D');
}

static bool another_runs(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool found = false;

	while (tasks && !found && (task = readdir(tasks)))
		found = isdigit((unsigned char)task->d_name[0]) &&
			atoi(task->d_name) != gettid() && runs(task->d_name);
	if (tasks)
		closedir(tasks);
	return found;
}

static void await(void)
{
	long before = -1;
	int still = 0;

	for (int ms = 0; ms < WAIT_MS && still < STILL; ms += POLL_MS) {
		long size = size_of_trace();

		if (size != before || another_runs() ||
		    (ms < READ_MS && !was_read()))
			still = 0;
		else
			still++;
		before = size;
		usleep(POLL_MS * 1000);
	}
}

static void *next_of(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name);

	if (!next)
		abort();
	return next;
}

EXPORT cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint count,
		const cl_device_id *devices, notify_function notify, void *data,
		cl_int *error)
{
	cl_context (*next)(const cl_context_properties *, cl_uint,
			   const cl_device_id *, notify_function, void *,
			   cl_int *);
	cl_context context;

	*(void **)&next = next_of("clCreateContext");
	context = next(properties, count, devices, notify, data, error);
	if (context)
		await();
	return context;
}

EXPORT cl_context CL_API_CALL clCreateContextFromType(
	const cl_context_properties *properties, cl_device_type type,
	notify_function notify, void *data, cl_int *error)
{
	cl_context (*next)(const cl_context_properties *, cl_device_type,
			   notify_function, void *, cl_int *);
	cl_context context;

	*(void **)&next = next_of("clCreateContextFromType");
	context = next(properties, type, notify, data, error);
	if (context)
		await();
	return context;
}
