/* SPDX-License-Identifier: MIT */
/*
 * The stub ICD's switches: environment variables, read once when the library
 * is loaded. A value that isn't listed ends the process. The first choice is
 * the default: a well-behaved OpenCL 3.0 driver. For processes of which the
 * environment is cleared a file may set them, too, in lines NAME=VALUE: that of
 * the library's name with ".switches" behind it.
 *
 * What the platform is
 *	STUB_AS=intel|nvidia|pocl	answers, counts and rules like that
 *		driver, under its platform name; what else is set overrides it
 *	STUB_PLATFORM_NAME=NAME		"oclcache stub"
 *	STUB_PLATFORMS=N		1; each has its own extension functions
 *	STUB_DEVICES=N			1 per platform; each can be parted
 *	STUB_DEVICE_TYPE=cpu|gpu|accelerator
 *	STUB_DRIVER_VERSION=TEXT	"1"; binaries of another one are foreign
 *	STUB_MACHINE=TEXT		"" what nothing tells: binaries of
 *		another machine are foreign, too
 *	STUB_PLATFORM_VENDOR, _PLATFORM_VERSION, _DEVICE_NAME, _DEVICE_VENDOR,
 *	_DEVICE_VERSION, _OPENCL_C_VERSION=TEXT	what else these two say;
 *		of versions what is behind the number
 *	STUB_VENDOR_ID=N		CL_DEVICE_VENDOR_ID
 *	STUB_EXTENSIONS=TEXT		more extensions of the device
 *	STUB_VERSION=3.0|1.0|1.1|1.2|2.0|2.1|2.2|3.1	slots that the
 *		version's table hasn't end the process when called
 *	STUB_ICD2=0|1|2			cl_khr_icd 2: 1 with a full table, 2
 *		with nothing but the tags in it
 *	STUB_IL=core|extension|none	how SPIR-V is taken: both ways,
 *		clCreateProgramWithILKHR only, not at all
 *
 * Handles
 *	STUB_COUNT_KERNELS=1|0		CL_PROGRAM_REFERENCE_COUNT has kernels
 *	STUB_COUNT_PROGRAMS=1|0		CL_CONTEXT_REFERENCE_COUNT has programs
 *	STUB_RELEASED_PROGRAM=valid|invalid	the handle of a program that
 *		was released while kernels of it live
 *	STUB_REUSE=0|1			a new handle gets the address of the
 *		one of its kind that was released last
 *	STUB_STRICT=0|1			using a released handle aborts
 *	STUB_RELEASE_CALLBACK=1|0	clSetProgramReleaseCallback works
 *
 * Builds
 *	STUB_COMPILE_MS=N		0; how long each compile takes
 *	STUB_COMPILE_BY=sleeping|computing	and what it does so long
 *	STUB_LOAD=PATH			each compile loads that shared object,
 *		if there is one
 *	STUB_TARGETED=0|1		the code depends on all that platform
 *		and device say of themselves, and on STUB_MACHINE
 *	STUB_VARIABLE=NAME		... and on this environment variable
 *	STUB_STRINGS=joined|lines	between the strings of a source there
 *		is nothing, or a line's end
 *	STUB_SEARCH=usual|flat|sources	where included files are: beside the
 *		file that includes, if quoted, and in -I; in -I, and if quoted
 *		in the current directory; as usual, but first in ~/.stub
 *	STUB_KEEPS=nothing|programs|long|asked|there	included files are read
 *		once for each source with its options, and kept in ~/.stub.kept:
 *		only of sources longer than 4096 bytes; only while
 *		STUB_KERNEL_CACHE=1; only if that directory is there already
 *	STUB_BEFORE_READING=COMMAND	the shell's, in each compile before it
 *		reads a file
 *	STUB_AFTER_READING=COMMAND	the same, when all is read
 *	STUB_FAIL_BUILD=N		0; the N-th build of a source fails
 *	STUB_FAILED_BUILD=error|success	what a failed build returns when a
 *		callback was given
 *	STUB_BAD_OPTION=refuse|failure	an unknown option is an error of its
 *		own, or a failed build
 *	STUB_REBUILD_ATTACHED=refuse|allow	builds with kernels attached
 *	STUB_NOTIFY=same|thread|async|builder	where callbacks are called: by
 *		the caller; in a thread before the call returns; in one that
 *		starts to compile STUB_ASYNC_MS (20) after it; the same, but all
 *		builds, also those without a callback, wait for each other and
 *		their callbacks
 *	STUB_NOTIFY_ERRORS=0|1		also for parameters that are wrong
 *	STUB_NULL_LIST=program|context	the devices that no list means
 *	STUB_ARGUMENT_INFO=asked|always	with -cl-kernel-arg-info, or always
 *	STUB_CONSTANTS_LATER=heeded|ignored	specialization constants set
 *		after the first build
 *	STUB_COMPILE_ATTACHED=refuse|allow	compiles with kernels attached
 *
 * Links
 *	STUB_LINK_FAILURE=null|program	what a failed link returns
 *	STUB_LINK_EXECUTABLE=refuse|accept	built programs as inputs
 *
 * Binaries
 *	STUB_BINARY_KEEPS=WORD,WORD...	none of: log source attributes
 *		arguments
 *	STUB_BINARY_ORDER=kept|reversed	kernels of a binary program
 *	STUB_BINARY_STATUS=all|first	what is written
 *	STUB_BINARY_ERROR=null|program	what comes with an error code
 *	STUB_REFUSE_BINARIES=0|1|2	CL_INVALID_BINARY, whatever it is; 2:
 *		it ends the process
 *	STUB_FOREIGN=refuse|abort|build|accept	a binary of another platform,
 *		device, driver version or machine: refused, fatal, not
 *		buildable, or taken for its own
 *	STUB_BAD_BYTES=abort|refuse	bytes that aren't a binary of the stub
 *	STUB_DEVICE_CODE=bad|load|refuse|build|kernels	binaries that begin
 *		with STUBDEV1 rather than STUBBIN1, device code: bad bytes;
 *		loaded like binaries, and answered when asked for binaries;
 *		refused; not buildable; loaded with a kernel too many
 *		(with an ELF file's header in front, too)
 *	STUB_OWN_CACHE=none|kept	device code of what is built from
 *		binaries is kept in $CUDA_CACHE_PATH
 *	STUB_FAIL_LOAD=N		0; the N-th clCreateProgramWithBinary
 *		is out of memory
 *	STUB_FAIL_BINARY_BUILD=N	0; the N-th build of a binary program
 *		fails; -1: all do
 *	STUB_LOAD_MS=N			0; how long a build of one sleeps
 *	STUB_REBUILD_BINARY=allow|abort	a second build of a binary program
 *	STUB_BINARIES=ready|lazy	lazy: none before the first kernel
 *	STUB_BINARIES_MS=N		0; how long asking for binaries takes
 *	STUB_BINARIES_COMPILE=0|1	asking for them counts as a compile
 *	STUB_FAIL_FETCH=N		0; the N-th query of binaries fails
 *
 * Reports
 *	STUB_COUNT_FILE=PATH		a line is appended for each
 *		"source", "binary", "code", "compile", "link", "fetch" and
 *		its digest
 *	STUB_LEAKS=0|1			and at exit "leak KIND COUNT"
 *	STUB_SHORT_ANSWER=silent|size	a buffer too short for an answer: is
 *		its size said?
 */
#ifndef TESTS_STUB_SWITCHES_H
#define TESTS_STUB_SWITCHES_H

#include <stdbool.h>

enum stub_il { STUB_IL_CORE, STUB_IL_EXTENSION, STUB_IL_NONE };
enum stub_notify {
	STUB_NOTIFY_SAME,
	STUB_NOTIFY_THREAD,
	STUB_NOTIFY_ASYNC,
	STUB_NOTIFY_BUILDER
};
enum stub_foreign {
	STUB_FOREIGN_REFUSE,
	STUB_FOREIGN_ABORT,
	STUB_FOREIGN_BUILD,
	STUB_FOREIGN_ACCEPT
};

/* Constant after loading. Choices are 0 for the first one. */
enum stub_device_code {
	STUB_DEVICE_CODE_BAD,
	STUB_DEVICE_CODE_LOAD,
	STUB_DEVICE_CODE_REFUSE,
	STUB_DEVICE_CODE_BUILD,
	STUB_DEVICE_CODE_KERNELS
};

enum stub_search { STUB_SEARCH_USUAL, STUB_SEARCH_FLAT, STUB_SEARCH_SOURCES };
enum stub_keeps {
	STUB_KEEPS_NOTHING,
	STUB_KEEPS_PROGRAMS,
	STUB_KEEPS_LONG,
	STUB_KEEPS_ASKED,
	STUB_KEEPS_THERE
};

struct stub_switches {
	const char *platform_name;
	const char *driver_version;
	const char *platform_vendor;
	const char *platform_version;
	const char *device_name;
	const char *device_vendor;
	const char *device_version;
	const char *opencl_c_version;
	const char *extensions;
	const char *machine;
	const char *variable;
	const char *load;
	const char *before_reading;
	const char *after_reading;
	const char *count_file;
	const char *binary_keeps;
	int platforms;
	int devices;
	int device_type;
	int vendor_id;
	int targeted;
	int strings_are_lines;
	int search;
	int keeps;
	int version; /* 30 for 3.0 */
	int icd2;
	int il;
	int count_kernels;
	int count_programs;
	int released_invalid;
	int reuse;
	int strict;
	int release_callback;
	int compile_ms;
	int compile_computes;
	int fail_build;
	int failed_build_success;
	int bad_option_fails;
	int rebuild_attached;
	int compile_attached;
	int notify;
	int async_ms;
	int notify_errors;
	int null_list_context;
	int argument_info_always;
	int constants_later_ignored;
	int link_failure_program;
	int link_executable;
	int binary_reversed;
	int binary_status_first;
	int binary_error_program;
	int refuse_binaries;
	int foreign;
	int bad_bytes_refused;
	int device_code;
	int own_cache;
	int fail_load;
	int load_ms;
	int fail_binary_build;
	int rebuild_binary_abort;
	int binaries_lazy;
	int binaries_ms;
	int binaries_compile;
	int fail_fetch;
	int leaks;
	int says_needed_size;
};

extern struct stub_switches stub;

/* Is the word among those of STUB_BINARY_KEEPS? */
bool stub_binary_keeps(const char *word);

#endif
