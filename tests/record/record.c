/* SPDX-License-Identifier: MIT */
/*
 * A layer that writes down what a program compiles: for each clBuildProgram and
 * clCompileProgram of a source a line of the directory that the process was in,
 * the file that the source was saved to and the options, between tabs, in the
 * form that tests/closure/closure reads (backslashes, tabs and new lines as \\,
 * \t, \n).
 *
 *	OPENCL_LAYERS=.../librecord.so RECORD_DIRECTORY=DIRECTORY PROGRAM
 *
 * Lines are appended to DIRECTORY/requests. RECORD_ONLY=TEXT: sources with that
 * text in them are written down and then refused, as if they had errors. Of
 * programs that go on after such a failure one so learns soon what all of their
 * sources are compiled with.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYER_NAME "record"
#include "scripts/bench/layer/info.h"

static cl_icd_dispatch hooks, target;
static const char *output;
static const char *refused;

static void die(const char *what)
{
	perror(what);
	abort();
}

static void write_whole(const char *path, int flags, const char *text,
			size_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

	if (file < 0 || write(file, text, size) != (ssize_t)size)
		die(path);
	close(file);
}

/* Escapes what separates fields. */
static char *add_field(char *out, const char *text, char end)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '\t' || *text == '\n')
			*out++ = '\\';
		if (*text == '\t')
			*out++ = 't';
		else if (*text == '\n')
			*out++ = 'n';
		else
			*out++ = *text;
	}
	*out++ = end;
	return out;
}

/* NULL: it has none. The caller frees it. */
static char *source_of(cl_program program)
{
	size_t size = 0;
	char *text;

	if (target.clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL,
				    &size) != CL_SUCCESS ||
	    size < 2)
		return NULL;
	text = malloc(size);
	if (!text || target.clGetProgramInfo(program, CL_PROGRAM_SOURCE, size,
					     text, NULL) != CL_SUCCESS)
		die("CL_PROGRAM_SOURCE");
	return text;
}

/* In a file whose name says what is in it. */
static void save_source(const char *text, char path[static PATH_MAX])
{
	unsigned long long hash = 0xcbf29ce484222325U;

	for (const char *at = text; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3U;
	snprintf(path, PATH_MAX, "%s/%016llx.cl", output, hash);
	write_whole(path, O_TRUNC, text, strlen(text));
}

/* Has what was saved the text that is refused? */
static bool has_refused_text(const char *text)
{
	return refused && *refused && strstr(text, refused);
}

/* Writes it down; false when the driver shouldn't see it. */
static bool record(cl_program program, const char *options)
{
	char directory[PATH_MAX], path[PATH_MAX];
	char *text, *line, *end;
	bool wanted;

	text = source_of(program);
	if (!text)
		return true;
	wanted = !has_refused_text(text);
	save_source(text, path);
	free(text);
	if (!getcwd(directory, sizeof(directory)))
		die("getcwd");
	options = options ? options : "";
	line = malloc(4 * (size_t)PATH_MAX + 2 * strlen(options) + 3);
	if (!line)
		die("malloc");
	end = add_field(line, directory, '\t');
	end = add_field(end, path, '\t');
	end = add_field(end, options, '\n');
	snprintf(path, sizeof(path), "%s/requests", output);
	write_whole(path, O_APPEND, line, (size_t)(end - line));
	free(line);
	return wanted;
}

static cl_int CL_API_CALL
build_program(cl_program program, cl_uint device_count,
	      const cl_device_id *devices, const char *options,
	      void(CL_CALLBACK *notify)(cl_program, void *), void *user_data)
{
	if (!record(program, options))
		return CL_BUILD_PROGRAM_FAILURE;
	return target.clBuildProgram(program, device_count, devices, options,
				     notify, user_data);
}

static cl_int CL_API_CALL compile_program(
	cl_program program, cl_uint device_count, const cl_device_id *devices,
	const char *options, cl_uint header_count, const cl_program *headers,
	const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
	void *user_data)
{
	if (!record(program, options))
		return CL_COMPILE_PROGRAM_FAILURE;
	return target.clCompileProgram(program, device_count, devices, options,
				       header_count, headers, names, notify,
				       user_data);
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint count,
				      const cl_icd_dispatch *below,
				      cl_uint *ret_count,
				      const cl_icd_dispatch **ret_hooks)
{
	const size_t slots = sizeof(target) / sizeof(void *);

	output = getenv("RECORD_DIRECTORY");
	refused = getenv("RECORD_ONLY");
	if (!output || !below || !ret_count || !ret_hooks)
		return CL_INVALID_VALUE;
	memcpy(&target, below,
	       (count < slots ? count : slots) * sizeof(void *));
	hooks.clBuildProgram = build_program;
	hooks.clCompileProgram = compile_program;
	*ret_count = slots;
	*ret_hooks = &hooks;
	return CL_SUCCESS;
}
