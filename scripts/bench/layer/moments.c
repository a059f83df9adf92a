/* SPDX-License-Identifier: MIT */
/*
 * What the time to a first result is spent on: the driver's calls, which it
 *sees as a layer beneath all others, and looks at files, if it is preloaded as
 *well. At the end of the process each is a line of the file MOMENTS_FILE, in
 *the order in which they began:
 *
 *	thread, when it began and ended (ns of CLOCK_MONOTONIC), what, of what
 *
 * separated by tabs. The first MOMENTS_MAX are kept.
 */
#define LAYER_NAME "moments"
/* These functions are to be defined here. */
#undef _FORTIFY_SOURCE
#include "scripts/bench/layer/info.h"

#include "scripts/bench/common.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define MOMENTS_MAX 16384

struct moment {
	int64_t start, end;
	pid_t thread;
	const char *what;
	char of[48]; /* the end of a path, or the number of what is asked */
};

static struct moment moments[MOMENTS_MAX];
static size_t moment_count;

static int64_t now(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

/* Begins one. NULL: there are enough. */
static struct moment *begin(const char *what, const char *of)
{
	size_t at = __atomic_fetch_add(&moment_count, 1, __ATOMIC_RELAXED);
	struct moment *moment = at < MOMENTS_MAX ? &moments[at] : NULL;
	size_t length = of ? strlen(of) : 0;

	if (!moment)
		return NULL;
	moment->thread = gettid();
	moment->what = what;
	if (length >= sizeof(moment->of))
		of += length - sizeof(moment->of) + 1;
	if (of)
		strcpy(moment->of, of);
	moment->start = now();
	return moment;
}

static struct moment *begin_query(const char *what, cl_uint name)
{
	char number[16];

	snprintf(number, sizeof(number), "0x%x", name);
	return begin(what, number);
}

static void end(struct moment *moment)
{
	if (moment)
		moment->end = now();
}

__attribute__((destructor)) static void print(void)
{
	const char *path = getenv("MOMENTS_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;
	size_t count = moment_count < MOMENTS_MAX ? moment_count : MOMENTS_MAX;

	for (size_t i = 0; file && i < count; i++)
		fprintf(file, "%d\t%lld\t%lld\t%s\t%s\n", moments[i].thread,
			(long long)moments[i].start, (long long)moments[i].end,
			moments[i].what, moments[i].of);
	if (file)
		fclose(file);
}

/* ---- the driver's calls ---- */

static cl_icd_dispatch ours;
static const cl_icd_dispatch *driver;

/* One with `parameters`, that are passed on as `arguments`. */
#define DRIVERS(type, name, started, parameters, arguments)                    \
	static type CL_API_CALL our_##name parameters                          \
	{                                                                      \
		struct moment *moment = started;                               \
		type answer = driver->name arguments;                          \
                                                                               \
		end(moment);                                                   \
		return answer;                                                 \
	}

DRIVERS(cl_program, clCreateProgramWithSource,
	begin("clCreateProgramWithSource", NULL),
	(cl_context context, cl_uint count, const char **strings,
	 const size_t *lengths, cl_int *error),
	(context, count, strings, lengths, error))
DRIVERS(cl_program, clCreateProgramWithBinary,
	begin("clCreateProgramWithBinary", NULL),
	(cl_context context, cl_uint count, const cl_device_id *devices,
	 const size_t *sizes, const unsigned char **binaries, cl_int *status,
	 cl_int *error),
	(context, count, devices, sizes, binaries, status, error))
DRIVERS(cl_int, clBuildProgram, begin("clBuildProgram", NULL),
	(cl_program program, cl_uint count, const cl_device_id *devices,
	 const char *options,
	 void(CL_CALLBACK *notify)(cl_program program, void *user_data),
	 void *user_data),
	(program, count, devices, options, notify, user_data))
DRIVERS(cl_int, clReleaseProgram, begin("clReleaseProgram", NULL),
	(cl_program program), (program))
DRIVERS(cl_int, clGetProgramInfo, begin_query("clGetProgramInfo", name),
	(cl_program program, cl_program_info name, size_t size, void *value,
	 size_t *said),
	(program, name, size, value, said))
DRIVERS(cl_int, clGetProgramBuildInfo,
	begin_query("clGetProgramBuildInfo", name),
	(cl_program program, cl_device_id device, cl_program_build_info name,
	 size_t size, void *value, size_t *said),
	(program, device, name, size, value, said))
DRIVERS(cl_int, clGetDeviceInfo, begin_query("clGetDeviceInfo", name),
	(cl_device_id device, cl_device_info name, size_t size, void *value,
	 size_t *said),
	(device, name, size, value, said))
DRIVERS(cl_int, clGetPlatformInfo, begin_query("clGetPlatformInfo", name),
	(cl_platform_id platform, cl_platform_info name, size_t size,
	 void *value, size_t *said),
	(platform, name, size, value, said))
DRIVERS(cl_int, clGetContextInfo, begin_query("clGetContextInfo", name),
	(cl_context context, cl_context_info name, size_t size, void *value,
	 size_t *said),
	(context, name, size, value, said))
DRIVERS(cl_context, clCreateContext, begin("clCreateContext", NULL),
	(const cl_context_properties *properties, cl_uint count,
	 const cl_device_id *devices,
	 void(CL_CALLBACK *notify)(const char *text, const void *data,
				   size_t size, void *user_data),
	 void *user_data, cl_int *error),
	(properties, count, devices, notify, user_data, error))
DRIVERS(cl_kernel, clCreateKernel, begin("clCreateKernel", name),
	(cl_program program, const char *name, cl_int *error),
	(program, name, error))
DRIVERS(cl_int, clGetKernelInfo, begin_query("clGetKernelInfo", name),
	(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
	 size_t *said),
	(kernel, name, size, value, said))
DRIVERS(cl_int, clEnqueueNDRangeKernel, begin("clEnqueueNDRangeKernel", NULL),
	(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	 const size_t *offset, const size_t *global, const size_t *local,
	 cl_uint count, const cl_event *events, cl_event *event),
	(queue, kernel, dimensions, offset, global, local, count, events,
	 event))
DRIVERS(cl_int, clFinish, begin("clFinish", NULL), (cl_command_queue queue),
	(queue))

static void take_over(void)
{
#define TAKE(name) ours.name = our_##name
	TAKE(clCreateProgramWithSource);
	TAKE(clCreateProgramWithBinary);
	TAKE(clBuildProgram);
	TAKE(clReleaseProgram);
	TAKE(clGetProgramInfo);
	TAKE(clGetProgramBuildInfo);
	TAKE(clGetDeviceInfo);
	TAKE(clGetPlatformInfo);
	TAKE(clGetContextInfo);
	TAKE(clCreateContext);
	TAKE(clCreateKernel);
	TAKE(clGetKernelInfo);
	TAKE(clEnqueueNDRangeKernel);
	TAKE(clFinish);
#undef TAKE
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
				      const cl_icd_dispatch *target,
				      cl_uint *num_entries_ret,
				      const cl_icd_dispatch **layer_ret)
{
	const cl_uint all = sizeof(ours) / sizeof(void *);

	driver = target;
	take_over();
	*num_entries_ret = num_entries < all ? num_entries : all;
	*layer_ret = &ours;
	return CL_SUCCESS;
}

/* ---- looks at files ---- */

#define FILES(type, name, of, parameters, arguments)                           \
	EXPORT type name parameters                                            \
	{                                                                      \
		static type(*next) parameters;                                 \
		struct moment *moment;                                         \
		type answer;                                                   \
                                                                               \
		if (!next)                                                     \
			next = (type(*) parameters)dlsym(RTLD_NEXT, #name);    \
		moment = begin(#name, of);                                     \
		answer = next arguments;                                       \
		end(moment);                                                   \
		return answer;                                                 \
	}

FILES(int, stat, path, (const char *path, struct stat *status), (path, status))
FILES(int, lstat, path, (const char *path, struct stat *status), (path, status))
FILES(int, fstat, NULL, (int file, struct stat *status), (file, status))
FILES(int, fstatat, path,
      (int directory, const char *path, struct stat *status, int flags),
      (directory, path, status, flags))
FILES(int, statx, path,
      (int directory, const char *path, int flags, unsigned mask,
       struct statx *status),
      (directory, path, flags, mask, status))
FILES(int, statfs, path, (const char *path, struct statfs *status),
      (path, status))
FILES(int, fstatfs, NULL, (int file, struct statfs *status), (file, status))
FILES(int, access, path, (const char *path, int mode), (path, mode))
FILES(ssize_t, readlink, path, (const char *path, char *link, size_t size),
      (path, link, size))
FILES(ssize_t, readlinkat, path,
      (int directory, const char *path, char *link, size_t size),
      (directory, path, link, size))
FILES(char *, realpath, path, (const char *path, char *real), (path, real))
FILES(char *, getcwd, NULL, (char *directory, size_t size), (directory, size))
FILES(ssize_t, read, NULL, (int file, void *bytes, size_t size),
      (file, bytes, size))
FILES(ssize_t, pread, NULL, (int file, void *bytes, size_t size, off_t at),
      (file, bytes, size, at))
FILES(int, close, NULL, (int file), (file))
FILES(int, sync_file_range, NULL,
      (int file, off64_t from, off64_t size, unsigned flags),
      (file, from, size, flags))
FILES(int, futimens, NULL, (int file, const struct timespec times[2]),
      (file, times))
FILES(int, dl_iterate_phdr, NULL,
      (int (*visit)(struct dl_phdr_info *info, size_t size, void *data),
       void *data),
      (visit, data))

static mode_t mode_of(int flags, va_list more)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
	static int (*next)(const char *path, int flags, ...);
	struct moment *moment;
	va_list more;
	mode_t mode;
	int file;

	va_start(more, flags);
	mode = mode_of(flags, more);
	va_end(more);
	if (!next)
		next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT,
							      "open");
	moment = begin("open", path);
	file = next(path, flags, mode);
	end(moment);
	return file;
}

EXPORT int openat(int directory, const char *path, int flags, ...)
{
	static int (*next)(int directory, const char *path, int flags, ...);
	struct moment *moment;
	va_list more;
	mode_t mode;
	int file;

	va_start(more, flags);
	mode = mode_of(flags, more);
	va_end(more);
	if (!next)
		next = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT,
								   "openat");
	moment = begin("openat", path);
	file = next(directory, path, flags, mode);
	end(moment);
	return file;
}
