/* SPDX-License-Identifier: MIT */
/*
 * What is known of each driver: one record per driver, each in a file of its
 * own beside this one. To add a driver, write its record and name it in
 * OCC_DRIVER_RECORDS; nothing else has a driver's name in it, but what the
 * command does with NVIDIA's device code. doc/drivers.md says for each fact
 * where and when it was seen.
 *
 * A driver whose versions have other traits has a record for each, in the one
 * file: they differ in `since` and in traits alone, and share all else.
 *
 * The traits of some drivers aren't known: they have records of their files,
 * environment or cache, and the layer learns the rest (driver_traits.h), as of
 * drivers without a record.
 *
 * Constant; any thread.
 */
#ifndef OCC_CACHE_DRIVER_DRIVER_H
#define OCC_CACHE_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/traits.h"
#include "hash/option.h"
#include "hash/reason.h"
#include "hash/word.h"

/* An environment variable that has several meanings has the greatest. */
enum occ_variable_kind {
	OCC_VARIABLE_UNKNOWN,  /* the driver doesn't read it */
	OCC_VARIABLE_HARMLESS, /* without effect on what is compiled */
	/*
	 * In the key while one of OCC_VARIABLE_SWITCH is on: may be one of the
	 * driver's switches.
	 */
	OCC_VARIABLE_SWITCHED,
	/* The same, and such a switch may name files, or have options. */
	OCC_VARIABLE_SWITCHED_FILES,
	/*
	 * Where things are that the layer itself looks at in builds
	 * (include_dirs.h). Not in the key, but drivers may have read it
	 * earlier.
	 */
	OCC_VARIABLE_PLACE,
	/*
	 * Where programs are that the driver starts: the identity has what was
	 * found by it, once. Not in the key, but must stay as it was.
	 */
	OCC_VARIABLE_PROGRAMS,
	OCC_VARIABLE_KEY, /* in the key: changes what is compiled */
	/*
	 * In the key. But for "0" it makes switches of all the environment, of
	 * which the driver has hundreds.
	 */
	OCC_VARIABLE_SWITCH,
	OCC_VARIABLE_OPTIONS, /* in the key: options behind those of the call */
	/*
	 * While it is set the compiler may read or write other files, here or
	 * on another machine.
	 */
	OCC_VARIABLE_FILES,
};

/* Of a list of them: the last one has no name. */
struct occ_variable {
	const char *name; /* '*' stands for anything */
	enum occ_variable_kind kind;
};

/* The numbers are in digests that the store's state has. */
enum occ_component_kind {
	OCC_COMPONENT_OBJECTS = 0, /* shared objects, each by itself */
	OCC_COMPONENT_FILES = 1,   /* other files, each by itself */
	OCC_COMPONENT_GROUP = 2,   /* files, as one part */
	OCC_COMPONENT_PROGRAM = 3, /* found through PATH */
	OCC_COMPONENT_HERE = 4, /* in the current directory, if it is there */
	/* May say anything: while it is there, nothing is cached. */
	OCC_COMPONENT_REFUSED = 5,
	/*
	 * Shared objects that the driver, or its compiler, loads by name: where
	 * the dynamic linker finds them, and not beside the driver's library.
	 */
	OCC_COMPONENT_NAMED = 6,
	/* The same, and where there is one, nothing is cached. */
	OCC_COMPONENT_NAMED_REFUSED = 7,
	/*
	 * The same as OCC_COMPONENT_NAMED, and what is beside the driver's
	 * library besides. Where it isn't certain which one is loaded, what was
	 * found counts, and nothing is cached while one is in a directory that
	 * is searched from the current one on. The last kind.
	 */
	OCC_COMPONENT_NAMED_OR_BESIDE = 8,
};

/*
 * What the driver compiles with besides the libraries that it needs. More than
 * one run needs does no harm but for a miss after its update. Of a list of
 * them: the last one has no pattern.
 */
struct occ_component {
	/* Looked for beside the libraries whose file names begin so. */
	const char *library;
	/*
	 * From its directory, or an absolute path: each part of it as
	 * fnmatch(3) has it.
	 */
	const char *pattern;
	enum occ_component_kind kind;
	/*
	 * One of the driver's components that say so must be found, if the
	 * libraries are there; and each that is OCC_COMPONENT_NAMED.
	 */
	bool required;
};

/* A directory: that of a path, or of all that match, if it has '*' in it. */
struct occ_include_dir {
	const char *pattern; /* NULL: the list's end */
	const char *inside;  /* within it; NULL: the directory itself */
};

/* Where the driver writes the sources that it compiles. */
struct occ_source_dir {
	const char *variable; /* its value comes first; NULL: nothing does */
	bool wants_value;     /* "" is as if it weren't set */
	/* Behind the value; NULL at the end. None: the list's end. */
	const char *inside[3];
};

/* A cache of the driver's own. Drivers may share one. */
struct occ_driver_cache {
	/* Turns it off; NULL: nothing is known to. */
	const char *variable;
	/* It does when it is this; NULL: when it says yes. */
	const char *off;
	/* Where the cache is. Trials have it elsewhere; NULL: they don't. */
	const char *place;
	/*
	 * Only while `variable` is "1", or not set, do several programs from
	 * one binary go together.
	 */
	bool is_needed;
	/*
	 * It doesn't look at included files, but is left alone when there is
	 * an option that begins with -I (layer/key/bypass.h).
	 */
	bool overlooks_includes;
	/*
	 * It looks at included files only where the source has this text; such
	 * a source alone is cached if it includes any. NULL: it makes no
	 * difference.
	 */
	const char *marks_includes;
	/*
	 * It is on while this variable isn't empty, or this directory is there,
	 * and what it answers follows neither from specialization constants nor
	 * from variables that begin with that. NULL: no such cache.
	 */
	const char *on_variable;
	const char *on_directory;
	const char *overlooks_variables;
	/* What `oclcache doctor` says. */
	const char *when_on;
	const char *when_off;
};

enum occ_fetch {
	/* Binaries are complete, and cheap to ask for, after clBuildProgram. */
	OCC_FETCH_AFTER_BUILD,
	/*
	 * Only when kernels were made, or launched, is the binary complete:
	 * ask at the program's last release.
	 */
	OCC_FETCH_AT_RELEASE,
};

/* The numbers that CL_DRIVER_VERSION begins with. */
struct occ_driver_version {
	unsigned major, minor;
};

/* Bits, as CL_DEVICE_TYPE_... has them. */
enum {
	OCC_DEVICE_CPU = 1 << 1,
	OCC_DEVICE_GPU = 1 << 2,
};

/*
 * Records are constant; of a driver without one the layer makes one, and what
 * it learns of it is atomic.
 */
struct occ_driver {
	const char *name;	   /* short, in small letters */
	const char *platform_name; /* CL_PLATFORM_NAME, whole; NULL: several */
	/*
	 * CL_DRIVER_VERSION from which on it holds, until that of the record
	 * before it in the list which has the same platform name. 0: of any.
	 */
	struct occ_driver_version since;
	/* What is known of it, it is for devices of these types; 0: all. */
	uint64_t device_types;
	/* Its traits, from `fetch` on, are learnt (driver_traits.h). */
	bool learnt;
	/*
	 * The driver wasn't to be had: all that the record says was read in its
	 * public sources, and wasn't seen. Such a record is `learnt`, and only
	 * adds to what counts and refuses of a driver that isn't listed.
	 */
	bool from_source;
	/* How it reads options; NULL: not known. */
	const struct occ_option_dialect *dialect;
	/*
	 * Options that have one of these anywhere aren't cached, besides those
	 * that no driver's are. NULL at the end, or NULL.
	 */
	const char *const *refused_options;
	/* The environment that it reads, besides what all compilers do. */
	const struct occ_variable *variables;
	/*
	 * One of these files in the current directory is read in the variables'
	 * place. NULL at the end, or NULL. They are components, too
	 * (OCC_COMPONENT_HERE).
	 */
	const char *const *switches_files;
	const struct occ_component *components;
	/*
	 * Where it looks for included files of its own accord: besides the
	 * directories of the options, the current one and that of the file
	 * which includes. More than it looks in, rather than less.
	 */
	const struct occ_include_dir *include_dirs;
	/*
	 * The first whose variable is set holds: included files are looked for
	 * there first, and __FILE__ is a path there. By the environment now, or
	 * when the driver was loaded. NULL: nowhere.
	 */
	const struct occ_source_dir *source_dirs;
	/* Why __FILE__ isn't the same in every process; none: it is. */
	enum occ_reason source_name_varies;
	/* The current directory is searched by its whole path. */
	bool searches_whole_path;
	/*
	 * Headers that it includes in every source without being asked to, and
	 * looks for in the current directory and those of the options before
	 * its own; NULL at the end, or NULL. And where it looks besides when
	 * the call is given headers; NULL: there, too.
	 */
	const char *const *headers;
	const char *const *headers_beside_given;
	const struct occ_driver_cache *cache; /* NULL: none */
	/* What gives a platform without devices some; NULL: nothing known. */
	const char *device_advice;
	/* The program's name decides what is compiled. */
	bool knows_program;
	/* Where it looks for included files; of drivers that are learnt. */
	_Atomic(enum occ_search) search;
	_Atomic(enum occ_fetch) fetch;
	/* Asking for binaries makes the driver compile. */
	_Atomic(bool) expensive;
	/* It stands being asked at exit, for what isn't released. */
	bool fetches_at_exit;
	/* Where the callbacks of builds, compiles and links are called. */
	_Atomic(enum occ_notify_thread) notify;
	/*
	 * It has a reference on the program until the callback has returned:
	 * CL_PROGRAM_REFERENCE_COUNT shows it in there.
	 */
	bool holds_to_notify;
	/* It stands being told then to release programs that nobody uses. */
	bool releases_at_exit;
	/*
	 * A program that the application released while kernels of it live
	 * is still a valid handle. Its memory stays on every known driver.
	 */
	bool released_program_valid;
	/* Programs from binaries answer for kernels as compiled ones do. */
	bool binary_keeps_kernels;
	/*
	 * CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE is the device's, but 0
	 * for some kernels from binaries.
	 */
	bool binary_loses_multiple;
	/*
	 * A program linked from objects that were loaded is as one linked from
	 * objects that were compiled in the process.
	 */
	bool objects_are_whole;
	/* CL_PROGRAM_REFERENCE_COUNT includes the program's kernels. */
	_Atomic(bool) counts_kernels;
	/*
	 * It refuses builds and compiles while a count isn't 0 that goes up for
	 * each kernel that is made, and down for each that goes: clones only
	 * go. A program from a binary, or from a link, can be built again,
	 * which does nothing.
	 */
	bool refuses_by_count;
	/* CL_CONTEXT_REFERENCE_COUNT includes the context's programs. */
	_Atomic(bool) counts_programs;
	/* A binary has the specialization constants of its build in it. */
	bool binary_specialized;
	/* After a second build CL_PROGRAM_KERNEL_NAMES has both builds'. */
	bool adds_kernel_names;
	/*
	 * clCreateKernelsInProgram gives kernels in the order of
	 * CL_PROGRAM_KERNEL_NAMES, from a binary as well, and among them some
	 * that it couldn't make, of which clGetKernelInfo dies.
	 */
	bool kernels_as_named;
	/*
	 * A program that none of the application's programs and kernels has any
	 * more may answer for another one (program_pool.h). Commands under way
	 * show in CL_PROGRAM_REFERENCE_COUNT, or make no difference but for
	 * recorded ones (cl_khr_command_buffer).
	 */
	bool live_again;
	/*
	 * It loads binaries on a thread of ours, while the application does
	 * what it does, and nobody can tell (layer/serve/load_ahead.h).
	 */
	bool loads_ahead;
	/* Several loads at once take longer than one after the other. */
	bool loads_in_turn;
	/*
	 * And makes kernels there: clCreateKernel takes it so long that it
	 * pays.
	 */
	bool kernels_ahead;
	/* CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE has every variable. */
	bool reports_storage;
	/* Source without -cl-std in which there are such variables is an error.
	 */
	bool refuses_storage;
	/*
	 * clCreateProgramWithBinary takes device code, too, which loads faster
	 * than a binary: see layer/serve/device_code.h.
	 */
	bool takes_code;
	/*
	 * Options that are NULL aren't as empty ones: kernels answer
	 * differently.
	 */
	bool tells_no_options;
	/* Lines are spliced at a backslash even when blanks follow it. */
	bool splices_blanks;
	/* clGetProgramBuildInfo doesn't look at the device; there is one. */
	bool takes_any_device;
};

/* All records. The doctor speaks of their caches in this order. */
#define OCC_DRIVER_RECORDS(RECORD)                                             \
	RECORD(pocl)                                                           \
	RECORD(intel_cpu)                                                      \
	RECORD(rusticl)                                                        \
	RECORD(rusticl_23)                                                     \
	RECORD(rusticl_22)                                                     \
	RECORD(clover)                                                         \
	RECORD(nvidia)                                                         \
	RECORD(oclgrind)                                                       \
	RECORD(intel_gpu)                                                      \
	RECORD(intel_gpu_hd)                                                   \
	RECORD(amd)                                                            \
	RECORD(clvk)                                                           \
	RECORD(others)

#define OCC_DRIVER_DECLARE(record)                                             \
	extern const struct occ_driver occ_driver_##record;
OCC_DRIVER_RECORDS(OCC_DRIVER_DECLARE)
#undef OCC_DRIVER_DECLARE

#define OCC_DRIVER_NUMBER(record) OCC_DRIVER_NUMBER_##record,
enum { OCC_DRIVER_RECORDS(OCC_DRIVER_NUMBER) OCC_DRIVERS };
#undef OCC_DRIVER_NUMBER

/* The records by number; NULL behind the last one. */
const struct occ_driver *occ_driver_at(size_t number);

/*
 * Its components, if no record before it has the same: who looks at those of
 * all looks at each once. Else NULL.
 */
const struct occ_component *occ_driver_components_at(size_t number);

/*
 * The record with this CL_PLATFORM_NAME, or NULL: of several, which are for
 * different versions, the first. Not for traits.
 */
const struct occ_driver *occ_driver_of_platform(const char *platform_name);

/*
 * The record with the traits of this CL_DRIVER_VERSION, for devices of these
 * types, or NULL where they aren't known: as with a version that doesn't begin
 * with a number, where records are for different ones.
 */
const struct occ_driver *occ_driver_of_device(const char *platform_name,
					      const char *version,
					      uint64_t device_types);

/*
 * What a variable is to the driver: by its own name, or else by the longest
 * pattern. NULL: a driver without a record, that may be anything like those
 * that have one; the greatest meaning that it has to one of them counts.
 */
enum occ_variable_kind occ_driver_variable(const struct occ_driver *driver,
					   const char *name, size_t length);

/*
 * The first of the options that may load, read or write files, or that isn't
 * cached on the driver for another reason; *ret_length is its length. NULL:
 * none. `driver` NULL: one without a record.
 */
const char *occ_driver_unsafe_option(const struct occ_driver *driver,
				     const char *options, size_t *ret_length);

/* What all compilers read: clang, LLVM. */
extern const struct occ_variable occ_driver_compiler_variables[];

/* Is it in the key, or keeps things from being cached? */
bool occ_variable_matters(enum occ_variable_kind kind);

/*
 * May a variable be about a cache of some driver's own, by its name? Of a
 * driver without a record it may turn one on.
 */
bool occ_variable_names_cache(const char *name, size_t length);

#endif
