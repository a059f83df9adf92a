/* SPDX-License-Identifier: MIT */
#include "cli/worker_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/opencl_steps.h"
#include "cli/priority.h"
#include "cli/text.h"

static void set(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		occ_message_no_memory();
}

/* What the layer is told, whatever the place's environment says. */
static void set_layer(const struct occ_worker *worker)
{
	bool looks = worker->role == OCC_WORKER_LOOKS;

	set("OCLCACHE_DIR", worker->directory);
	set("OCLCACHE_KEEP_ALL", worker->keeps_all ? "1" : NULL);
	set("OCLCACHE_STORE", looks ? "never" : "eager");
	if (looks)
		set("OCLCACHE_MODE", "require");
	set("OCLCACHE_LOG_FILE", worker->log_file);
	/* A store that is written would get files of traces. */
	set("BinaryCacheTrace", looks ? "1" : "0");
	set("PrintDebugMessages", looks ? NULL : "1");
	/* What comes is known, memory is dear, and no program is recorded. */
	set("OCLCACHE_PREFETCH", "0");
	set("OCLCACHE_MEMORY_SIZE", "0");
	set("OCLCACHE_RECORD", NULL);
}

/* ---- programs, one after the other ---- */

static bool read_request(int file, struct occ_buffer *request)
{
	struct stat status;
	bool good;

	if (fstat(file, &status) || status.st_size < 0)
		return false;
	request->size = 0;
	free(request->data);
	*request = (struct occ_buffer)OCC_BUFFER_INIT;
	request->data = occ_message_must(malloc((size_t)status.st_size + 1));
	request->capacity = (size_t)status.st_size + 1;
	good = occ_file_read(file, 0, request->data, (size_t)status.st_size) ==
	       (ssize_t)status.st_size;
	request->size = (size_t)status.st_size;
	return good;
}

static void build_one(int scratch, const char *name,
		      const struct occ_opencl_device *devices, size_t count)
{
	int file = openat(scratch, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct occ_buffer request = OCC_BUFFER_INIT;
	struct occ_opencl_result result = {.error = "can't read what to build"};

	if (file >= 0 && read_request(file, &request))
		occ_opencl_steps_perform(occ_buffer_span(&request), devices,
					 count, &result);
	if (file >= 0)
		close(file);
	occ_buffer_release(&request);
	occ_child_say(result.error ? result.error : "");
	occ_child_say(result.log ? result.log : "");
}

/* `error` NULL: it has. */
static void say_begun(const char *error, bool is_place)
{
	occ_child_say(error ? error : "");
	occ_child_say_number(is_place);
}

/* `scratch`: a descriptor, since the place may have other directories. */
static int serve(int orders, int scratch, size_t number)
{
	struct occ_opencl_device *devices = NULL;
	char *name = occ_text("request.%zu", number);
	size_t count = 0, platforms;
	const char *error = occ_opencl_load(OCC_LOADER_NAME);
	char what;

	if (!error)
		error = occ_opencl_steps_load();
	if (!error)
		occ_opencl_devices(&devices, &count, &platforms, &error);
	say_begun(error, false);
	for (;;) {
		ssize_t size = read(orders, &what, 1);

		if (size < 0 && errno == EINTR)
			continue;
		if (size != 1 || what != OCC_WORKER_ORDER_BUILD)
			break;
		build_one(scratch, name, devices, count);
	}
	free(name);
	return 0;
}

/* ---- what it must be before ---- */

static void keep_open(int file)
{
	fcntl(file, F_SETFD, 0);
}

/* A copy: a link's name isn't what the kernel says is executed. */
static char *copy_executable(const struct occ_worker *worker)
{
	char *path = occ_text("%s/bin.%zu/%s", worker->scratch, worker->number,
			      worker->place->executable);
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = -1;
	struct stat status;
	bool good = false;

	*strrchr(path, '/') = '\0';
	if (!mkdir(path, 0700)) {
		path[strlen(path)] = '/';
		to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	}
	if (from >= 0 && to >= 0 && !fstat(from, &status)) {
		void *bytes = malloc((size_t)status.st_size + 1);

		good = bytes &&
		       occ_file_read(from, 0, bytes, (size_t)status.st_size) ==
			       (ssize_t)status.st_size &&
		       write(to, bytes, (size_t)status.st_size) ==
			       (ssize_t)status.st_size;
		free(bytes);
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (good)
		return path;
	free(path);
	return NULL;
}

/* Returns only when it couldn't. */
static const char *become(const struct occ_worker *worker, const char *path,
			  int orders, int scratch)
{
	char *arguments[] = {occ_text("%s", worker->place->executable),
			     occ_text("%s", OCC_WORKER_WORD),
			     occ_text("%d", occ_child_voice()),
			     occ_text("%d", orders),
			     occ_text("%d", scratch),
			     occ_text("%zu", worker->number),
			     NULL};

	keep_open(occ_child_voice());
	keep_open(orders);
	keep_open(scratch);
	execv(path, arguments);
	return occ_text("can't execute a copy of this command: %s",
			strerror(errno));
}

/* Descriptors that were left open for this program alone. */
static int take_file(const char *text)
{
	int file = (int)strtol(text, NULL, 10);

	fcntl(file, F_SETFD, FD_CLOEXEC);
	return file;
}

int occ_worker_main(int argc, char **argv)
{
	if (argc != 6 || !occ_child_resume(take_file(argv[2])))
		return 1;
	return serve(take_file(argv[3]), take_file(argv[4]),
		     strtoul(argv[5], NULL, 10));
}

int occ_worker_loop(void *data)
{
	const struct occ_worker_side *side = data;
	const struct occ_worker *worker = side->worker;
	int scratch = open(worker->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *copy = NULL;
	const char *error;

	if (!worker->keeps_priority)
		occ_priority_lower();
	/* By this command's own place. */
	if (!occ_layer_switch_on())
		return 1;
	if (worker->place->executable) {
		copy = copy_executable(worker);
		if (!copy) {
			say_begun("can't copy this command", true);
			return 0;
		}
	}
	error = occ_worker_place_enter(worker->place, worker->scratch);
	set_layer(worker);
	if (!error && copy)
		error = become(worker, copy, side->orders, scratch);
	free(copy);
	if (!error)
		return serve(side->orders, scratch, worker->number);
	say_begun(error, true);
	return 0;
}
