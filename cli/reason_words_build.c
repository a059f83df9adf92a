/* SPDX-License-Identifier: MIT */
/*
 * The words for reasons that lie in a build: its source, options, driver and
 * call.
 */
#include "cli/reason_words.h"

const struct occ_reason_words occ_reason_words_build[OCC_REASON_COUNT] = {
	/* What stopped the cache. */
	[OCC_REASON_OUT_OF_MEMORY] =
		{"The process ran out of memory while the layer looked at the "
		 "build.",
		 "Nothing in oclcache; give the process more memory."},
	/* The source and what it includes. */
	[OCC_REASON_HEADER_NAME] =
		{"The program passes a header to clCompileProgram under a "
		 "name that isn't a plain relative path.",
		 "Give headers plain names, such as \"part.h\"."},
	[OCC_REASON_INCLUDE_PATH] =
		{"The path of an included file is longer than the system "
		 "allows.",
		 "Shorten the include directories (-I)."},
	[OCC_REASON_INCLUDE_UNREADABLE] =
		{"An included file is there, but can't be read.",
		 "Make the file readable for the user who runs the program."},
	[OCC_REASON_INCLUDE_ELSEWHERE] =
		{"The source includes a file that the driver may take from a "
		 "directory of its own, which oclcache doesn't know.",
		 "Name the file's directory with -I, or run 'oclcache doctor "
		 "--learn'."},
	[OCC_REASON_INCLUDES_MANY] =
		{"The source includes more files than oclcache follows.",
		 "Include fewer files."},
	[OCC_REASON_COMPUTED_UNCERTAIN] =
		{"The source includes a file whose name comes from a macro, "
		 "and the name can't be worked out with certainty.",
		 "Write the name into the #include directive."},
	[OCC_REASON_COMPUTED_PREDEFINED] =
		{"The source includes a file whose name comes from a macro "
		 "that the driver may have defined.",
		 "Write the name into the #include directive."},
	[OCC_REASON_PRECOMPILED_HEADER] =
		{"A precompiled header lies beside an included file, and the "
		 "driver may read it instead.",
		 "Remove the precompiled header."},
	[OCC_REASON_SOURCE_CLOCK] =
		{"The source, or a file that it includes, uses __DATE__, "
		 "__TIME__ or __TIMESTAMP__, so that every build is "
		 "different.",
		 "Remove them from the source, or pass the value as a build "
		 "option (-D)."},
	[OCC_REASON_SOURCE_READS] =
		{"The source reads files in a way that oclcache doesn't "
		 "follow, such as #embed, or .include in inline assembly.",
		 "Use #include instead."},
	[OCC_REASON_SOURCE_UNCERTAIN] =
		{"The source has text that compilers read differently, such "
		 "as trigraphs, raw strings or letters beyond ASCII outside "
		 "comments and strings.",
		 "Remove such text from the source."},
	[OCC_REASON_OPTION_DIRECTORY] =
		{"A build option names a file where a directory is expected.",
		 "Correct the option."},
	[OCC_REASON_OPTION_FILE] =
		{"A build option names a file that isn't a regular one.",
		 "Correct the option."},
	[OCC_REASON_OPTIONS_UNCERTAIN] =
		{"Drivers may split the build options in different ways, "
		 "because of quotes, backslashes or tabs in them.",
		 "Write the options without quotes, backslashes and tabs."},
	[OCC_REASON_SOURCE_NAME_VARIES] =
		{"The source uses __FILE__, which this driver replaces by a "
		 "number that changes from process to process.",
		 "Remove __FILE__ from the source."},
	/* The driver. */
	[OCC_REASON_SKIPPED] =
		{"The setting OCLCACHE_SKIP leaves this driver or device "
		 "alone.",
		 "Change OCLCACHE_SKIP."},
	[OCC_REASON_DEVICE_UNQUERYABLE] =
		{"The driver doesn't answer questions about the device.",
		 "Check the driver with clinfo."},
	[OCC_REASON_IDENTITY_UNKNOWN] =
		{"The files that the driver consists of can't be identified.",
		 "Run 'oclcache doctor'."},
	[OCC_REASON_PROGRAM_NAME_UNKNOWN] =
		{"This driver compiles by the program's name, which can't be "
		 "found out here.",
		 "Mount /proc where the program runs."},
	[OCC_REASON_DRIVER_LOADS_SLOWLY] =
		{"The driver loads its own binaries more slowly than it "
		 "compiles.",
		 "Nothing: a cache would make the program slower."},
	[OCC_REASON_DRIVER_LOADS_NOTHING] =
		{"The driver doesn't load the binaries that it gives.",
		 "Update the driver."},
	[OCC_REASON_TRIAL_UNFINISHED] =
		{"A process is trying whether the driver loads its own "
		 "binaries, or ended while it tried.",
		 "Run 'oclcache doctor --learn'."},
	[OCC_REASON_HABITS_UNTELLABLE] =
		{"The driver's behaviour couldn't be found out.",
		 "Nothing in oclcache: the driver compiles every build."},
	[OCC_REASON_HABITS_CONTRADICTED] =
		{"The driver behaved otherwise than oclcache had learnt.",
		 "Run 'oclcache doctor --learn'."},
	[OCC_REASON_HABITS_UNKNOWN] =
		{"oclcache hasn't learnt yet how this driver behaves.",
		 "Run the program again under 'oclcache run', or run "
		 "'oclcache doctor --learn'."},
	[OCC_REASON_LIBRARIES_UNKNOWN] =
		{"oclcache hasn't learnt yet which libraries this driver "
		 "compiles with.",
		 "Run the program again."},
	[OCC_REASON_NOTIFY_UNKNOWN] =
		{"oclcache hasn't learnt yet on which thread this driver "
		 "calls the program back.",
		 "Run the program again."},
	[OCC_REASON_SEVERAL_DRIVERS] =
		{"The build is for devices of several drivers.",
		 "Build for each driver separately."},
	[OCC_REASON_UNLISTED_OPERATION] =
		{"The program compiles or links in separate steps on a driver "
		 "that oclcache has no record of.",
		 "Use clBuildProgram on this driver."},
	[OCC_REASON_UNLISTED_DEVICES] =
		{"The build is for several devices of a driver that oclcache "
		 "has no record of.",
		 "Build for one device at a time."},
	[OCC_REASON_UNLISTED_CONSTANTS] =
		{"The program sets specialization constants on a driver that "
		 "oclcache has no record of.",
		 "Nothing in oclcache: the driver compiles such builds."},
	[OCC_REASON_UNLISTED_STRINGS] =
		{"The source consists of several strings, and oclcache "
		 "doesn't know how this driver joins them.",
		 "Pass the source as one string."},
	[OCC_REASON_UNLISTED_DIRECTORIES] =
		{"The source includes files, and oclcache hasn't learnt yet "
		 "where this driver looks for them.",
		 "Run 'oclcache doctor --learn', or run the program again "
		 "under 'oclcache run'."},
	[OCC_REASON_UNLISTED_SEARCH] =
		{"The source includes files, and this driver looks for them "
		 "in ways that oclcache can't follow.",
		 "Put the included text into the source."},
	[OCC_REASON_UNLISTED_SOURCE_NAME] =
		{"The source uses __FILE__, and oclcache doesn't know what "
		 "this driver makes of it.",
		 "Remove __FILE__ from the source."},
	[OCC_REASON_CONSTANTS_LACKING] =
		{"This driver's binaries don't contain the specialization "
		 "constants that were set.",
		 "Use build options (-D) instead of specialization constants."},
	[OCC_REASON_CONSTANTS_MANY] =
		{"The program sets more specialization constants than "
		 "oclcache keeps.",
		 "Set fewer constants."},
	[OCC_REASON_OWN_CACHE_OFF] =
		{"Without its own cache this driver can't keep several "
		 "programs from one binary.",
		 "Switch the driver's own cache on (for PoCL: unset "
		 "POCL_KERNEL_CACHE)."},
	[OCC_REASON_OWN_CACHE_INCLUDES] =
		{"The source includes files, and the driver's own cache may "
		 "overlook changes in them.",
		 "Switch the driver's own cache off."},
	[OCC_REASON_OWN_CACHE_OVERLOOKS] =
		{"The driver's own cache may overlook specialization "
		 "constants or variables of the environment.",
		 "Switch the driver's own cache off."},
	/* The environment and the options. */
	[OCC_REASON_ENVIRONMENT_CHANGED] =
		{"The program changed a variable that the driver reads after "
		 "the driver was loaded.",
		 "Set the variable before the program starts."},
	[OCC_REASON_VARIABLE_FILES] =
		{"A variable of the environment may name files that the "
		 "driver reads.",
		 "Unset the variable; PrintDebugMessages=1 names it."},
	[OCC_REASON_SWITCHES_FILE] =
		{"A configuration file has switches for the driver's "
		 "compiler.",
		 "Remove the file; PrintDebugMessages=1 names it."},
	[OCC_REASON_VARIABLE_OPTION_FILES] =
		{"A variable of the environment has compiler options that may "
		 "name files.",
		 "Unset the variable; PrintDebugMessages=1 names it."},
	[OCC_REASON_VARIABLE_OPTIONS] =
		{"A variable of the environment has compiler options that "
		 "can't be told apart.",
		 "Write the options without quotes and backslashes."},
	[OCC_REASON_OPTION_UNSAFE] =
		{"A build option may make the compiler read or write other "
		 "files, or load a plugin.",
		 "Leave the option out; PrintDebugMessages=1 names it."},
	[OCC_REASON_CURRENT_DIRECTORY] =
		{"The current directory isn't known, and paths in the build "
		 "depend on it.",
		 "Start the program in a directory that exists and can be "
		 "read."},
	[OCC_REASON_LINKS_DEEP] =
		{"The program links what was linked from what was linked, too "
		 "many times over.",
		 "Link the objects in one step."},
	[OCC_REASON_LINK_INPUT_DEVICE] =
		{"An object given to clLinkProgram wasn't compiled for the "
		 "device.",
		 "Compile the object for all devices that it is linked for."},
	/* The call. */
	[OCC_REASON_NO_CACHE] =
		{"There is no usable store and no cache in memory.",
		 "Run 'oclcache doctor'; see OCLCACHE_DIR and "
		 "OCLCACHE_MEMORY_SIZE."},
	[OCC_REASON_BUILT_BEFORE] =
		{"The program object had been built by the driver before; "
		 "only the first build of an object is cached.",
		 "Make a new program object for each build."},
	[OCC_REASON_BUILT_WITH_KERNELS] =
		{"The program object was built again while it had kernels.",
		 "Release the kernels first, or make a new program object for "
		 "each build."},
	[OCC_REASON_LINKED_BEFORE] =
		{"The program object that was built came from clLinkProgram.",
		 "Link again instead of building the result."},
	[OCC_REASON_BUILD_UNDER_WAY] =
		{"Another thread was building the same program object.",
		 "Build a program object on one thread only."},
	[OCC_REASON_PARAMETERS] =
		{"The call has arguments that only the driver can judge.",
		 "Check the call's arguments against the OpenCL "
		 "specification."},
	[OCC_REASON_OTHER_DEVICES] =
		{"The build isn't for exactly the devices of the program's "
		 "context.",
		 "Build for all devices of the context, or make a context for "
		 "the device."},
	[OCC_REASON_DEVICES_UNKNOWN] =
		{"The driver doesn't say which devices the program is for.",
		 "Check the driver with clinfo."},
	[OCC_REASON_LINK_INPUT_UNKNOWN] =
		{"An object given to clLinkProgram was made in a way that "
		 "oclcache didn't see.",
		 "Compile the objects in the same process, under the layer."},
	[OCC_REASON_EXTENSION] =
		{"The program uses an extension function that takes programs "
		 "and that oclcache doesn't know.",
		 "Nothing in oclcache, unless the program can do without the "
		 "extension."},
	[OCC_REASON_WATCHED] =
		{"A debugger or profiler watches the driver's compiler.",
		 "Run without the tool."},
};
