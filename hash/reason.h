/* SPDX-License-Identifier: MIT */
/*
 * Why a build isn't cached, why it is a miss, and why it isn't stored: all
 * reasons that there are, in one list for hash/, cache/ and layer/, since what
 * one finds the next passes on.
 *
 * A reason is a number until it is written to the trace, the counters or a
 * message. Its text is constant: statistics are counted by it, and scripts
 * match on it. What else there is to say of one build (the name of an option,
 * an error's number) is for occ_log_debug(), beside the reason.
 */
#ifndef OCC_HASH_REASON_H
#define OCC_HASH_REASON_H

/* REASON(name, text); no text twice */
#define OCC_REASONS(REASON)                                                    \
	REASON(OUT_OF_MEMORY, "out of memory")                                 \
	/* The include closure (hash/closure.h). */                            \
	REASON(HEADER_NAME, "a header's name isn't a plain path")              \
	REASON(INCLUDE_PATH, "the path of an include is too long")             \
	REASON(INCLUDE_UNREADABLE, "an included file can't be read")           \
	REASON(INCLUDE_ELSEWHERE,                                              \
	       "a file may be included from a directory of the driver's own")  \
	REASON(INCLUDES_MANY, "more includes than are worth following")        \
	REASON(COMPUTED_UNCERTAIN,                                             \
	       "a computed include can't be told with certainty")              \
	REASON(COMPUTED_PREDEFINED,                                            \
	       "a computed include has a name that may be predefined")         \
	REASON(PRECOMPILED_HEADER, "a precompiled header is there")            \
	REASON(SOURCE_CLOCK,                                                   \
	       "source uses __DATE__, __TIME__ or __TIMESTAMP__")              \
	REASON(SOURCE_READS,                                                   \
	       "source reads files in a way that isn't followed")              \
	REASON(SOURCE_UNCERTAIN, "source can't be scanned with certainty")     \
	REASON(OPTION_DIRECTORY, "an option names a file as a directory")      \
	REASON(OPTION_FILE, "an option names an odd file")                     \
	REASON(OPTIONS_UNCERTAIN,                                              \
	       "options can't be told apart with certainty")                   \
	/* What a driver's record says (cache/driver/driver.h). */             \
	REASON(SOURCE_NAME_VARIES,                                             \
	       "__FILE__ is a number of the process on the driver")            \
	/* The errors of cache/ (occ_error_reason). */                         \
	REASON(NOT_FOUND, "not found")                                         \
	REASON(KEY_DIFFERS, "key differs")                                     \
	REASON(CORRUPT, "corrupt entry")                                       \
	REASON(VERSION, "format version differs")                              \
	REASON(IO, "I/O error")                                                \
	REASON(TOO_LARGE, "too large")                                         \
	REASON(NO_DIRECTORY, "no store directory")                             \
	REASON(FORBIDDEN, "store directory is not private")                    \
	REASON(NO_LOCK, "file system without locks")                           \
	REASON(SIZE_LEDGER, "config.file was corrupt")                         \
	REASON(BUSY, "another process keeps the lock")                         \
	REASON(EXISTS, "already stored")                                       \
	REASON(READ_ONLY, "store is for reading only")                         \
	REASON(DENIED, "permission denied")                                    \
	REASON(ANOTHERS, "the path leads into another user's hands")           \
	REASON(NOT_A_STORE, "not a store: the directory has other files")      \
	REASON(REMOTE, "remote storage failed")                                \
	REASON(REMOTE_DOWN, "remote storage failed a while ago")               \
	REASON(UNKNOWN_ERROR, "unknown error")                                 \
	/* A remote storage's helper (occ_remote_fault_reason). */             \
	REASON(REMOTE_ABSENT, "no helper listens")                             \
	REASON(REMOTE_CONNECT, "the helper doesn't greet in time")             \
	REASON(REMOTE_VERSION, "the helper speaks another version")            \
	REASON(REMOTE_PEER, "the helper is another user's")                    \
	REASON(REMOTE_STALL, "the helper doesn't answer in time")              \
	REASON(REMOTE_PROTOCOL, "the helper's answer isn't one")               \
	REASON(REMOTE_SERVER, "the server failed")                             \
	REASON(REMOTE_CLOSED, "the helper closed the connection")              \
	REASON(REMOTE_SOCKET, "no socket can be had")                          \
	/* What comes from it (occ_admission_reason). */                       \
	REASON(REFUSED_FORMAT, "damaged on the way")                           \
	REASON(REFUSED_VERSION, "written by another version")                  \
	REASON(REFUSED_KEY, "the entry of another key")                        \
	REASON(REFUSED_UNSIGNED, "not signed")                                 \
	REASON(REFUSED_UNTRUSTED, "signed by an unknown key")                  \
	REASON(REFUSED_SIGNATURE, "its signature is wrong")                    \
	/* What isn't given to it (layer/serve/remote_offer.h). */             \
	REASON(SIGNING_KEY, "the signing key can't be used")                   \
	/* The driver (layer/driver/). */                                      \
	REASON(SKIPPED, "left alone: OCLCACHE_SKIP")                           \
	REASON(DEVICE_UNQUERYABLE, "device can't be queried")                  \
	REASON(IDENTITY_UNKNOWN, "driver identity not known")                  \
	REASON(PROGRAM_NAME_UNKNOWN, "the program's name can't be told")       \
	REASON(DRIVER_LOADS_SLOWLY,                                            \
	       "the driver loads its binaries more slowly than it compiles")   \
	REASON(DRIVER_LOADS_NOTHING,                                           \
	       "the driver doesn't load its own binaries")                     \
	REASON(TRIAL_UNFINISHED,                                               \
	       "a trial of the driver's binaries is under way, "               \
	       "or ended its process")                                         \
	REASON(HABITS_UNTELLABLE, "the driver's habits can't be told")         \
	REASON(HABITS_CONTRADICTED, "the driver contradicts what was learnt")  \
	REASON(HABITS_UNKNOWN, "the driver's habits aren't known yet")         \
	REASON(LIBRARIES_UNKNOWN,                                              \
	       "what the driver compiles with wasn't known yet")               \
	REASON(NOTIFY_UNKNOWN, "where the driver calls back isn't known yet")  \
	/* The key (layer/key/). */                                            \
	REASON(SEVERAL_DRIVERS, "devices of several drivers")                  \
	REASON(UNLISTED_OPERATION,                                             \
	       "not a build, on a driver that isn't listed")                   \
	REASON(UNLISTED_DEVICES,                                               \
	       "several devices of a driver that isn't listed")                \
	REASON(UNLISTED_CONSTANTS,                                             \
	       "specialization constants on a driver that isn't listed")       \
	REASON(UNLISTED_STRINGS, "how the driver joins strings isn't known")   \
	REASON(UNLISTED_DIRECTORIES,                                           \
	       "where the driver looks for included files isn't known")        \
	REASON(UNLISTED_SEARCH,                                                \
	       "the driver looks for included files in ways of its own")       \
	REASON(UNLISTED_SOURCE_NAME,                                           \
	       "what __FILE__ is on the driver isn't known")                   \
	REASON(CONSTANTS_LACKING, "binaries lack specialization constants")    \
	REASON(CONSTANTS_MANY, "too many specialization constants")            \
	REASON(OWN_CACHE_OFF, "without its own cache the driver doesn't "      \
			      "stand several programs from one binary")        \
	REASON(OWN_CACHE_INCLUDES, "the driver's own cache may overlook what " \
				   "is included")                              \
	REASON(OWN_CACHE_OVERLOOKS, "the driver's own cache may overlook "     \
				    "constants or variables")                  \
	REASON(ENVIRONMENT_CHANGED, "environment changed since the start")     \
	REASON(VARIABLE_FILES, "an environment variable may name files")       \
	REASON(SWITCHES_FILE, "a file has switches of the compiler")           \
	REASON(VARIABLE_OPTION_FILES, "an environment variable has options "   \
				      "that may name files")                   \
	REASON(VARIABLE_OPTIONS, "options in an environment variable can't "   \
				 "be told apart")                              \
	REASON(OPTION_UNSAFE, "an option may read or write files")             \
	REASON(CURRENT_DIRECTORY, "the current directory isn't known")         \
	REASON(LINKS_DEEP, "links of links of links ...")                      \
	REASON(LINK_INPUT_DEVICE, "a link input isn't for the device")         \
	/* The lookup (layer/serve/). */                                       \
	REASON(RECACHE, "OCLCACHE_MODE=recache")                               \
	REASON(IN_CALLBACK, "called back, the driver builds nothing else")     \
	REASON(BINARY_GONE, "the binary is gone")                              \
	REASON(BINARY_REFUSED, "driver refused the binary")                    \
	REASON(OTHER_KERNELS, "binary has other kernels")                      \
	/* What isn't stored (layer/serve/). */                                \
	REASON(STORE_NEVER, "OCLCACHE_STORE=never")                            \
	REASON(BUILT_AGAIN, "built again meanwhile")                           \
	REASON(INPUT_COMPILED, "an input was compiled meanwhile")              \
	REASON(CHANGED_DURING_BUILD,                                           \
	       "files or environment changed during the build")                \
	REASON(CHANGED_SINCE_BUILD, "environment changed since the build")     \
	REASON(BUILD_FAILED, "build failed or not described")                  \
	REASON(NO_BINARY, "driver gives no binary")                            \
	REASON(BINARIES_DEAR, "binaries are dear on this driver: stored at "   \
			      "the second use")                                \
	REASON(BINARIES_SLOW, "binaries are expected to take too long: "       \
			      "OCLCACHE_STORE=eager stores them")              \
	REASON(EXIT_RELEASED, "released at exit")                              \
	REASON(EXIT_EXPENSIVE, "too much to fetch at exit")                    \
	/* The call (layer/hook/). */                                          \
	REASON(NO_CACHE, "no cache")                                           \
	REASON(BUILT_BEFORE, "built before")                                   \
	REASON(BUILT_WITH_KERNELS, "built before, and it has kernels")         \
	REASON(LINKED_BEFORE, "linked before")                                 \
	REASON(BUILD_UNDER_WAY, "another build of the program is under way")   \
	REASON(PARAMETERS, "parameters that are the driver's to judge")        \
	REASON(OTHER_DEVICES, "not for exactly the program's devices")         \
	REASON(DEVICES_UNKNOWN, "devices aren't known")                        \
	REASON(LINK_INPUT_UNKNOWN, "a link input isn't known by key")          \
	REASON(EXTENSION, "an extension function with programs is in use")     \
	REASON(WATCHED, "its compilation is watched")

enum occ_reason {
	OCC_REASON_NONE = 0,
#define OCC_REASON_VALUE(name, text) OCC_REASON_##name,
	OCC_REASONS(OCC_REASON_VALUE) OCC_REASON_COUNT
#undef OCC_REASON_VALUE
};

/* What the trace and statistics call it; NULL of none. */
const char *occ_reason_text(enum occ_reason reason);

#endif
