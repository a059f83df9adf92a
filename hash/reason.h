/* SPDX-License-Identifier: MIT */
/*
 * Why a build isn't cached, why it is a miss, and why it isn't stored: all
 * reasons that there are, in one list for hash/, cache/ and layer/, since what
 * one finds the next passes on.
 *
 * A reason is a number until it is written to the trace, the counters or a
 * message. Then it has a name, lower-case words with hyphens, which never
 * changes and which scripts match on, and a text, by which the counters count.
 * doc/limits.md and cli/reason_words.c explain each reason under its name. What
 * else there is to say of one build (the name of an option, an error's number)
 * is for occ_log_debug(), beside the reason.
 */
#ifndef OCC_HASH_REASON_H
#define OCC_HASH_REASON_H

/* REASON(identifier, name, text); no name twice, no text twice */
#define OCC_REASONS(REASON)                                                    \
	REASON(OUT_OF_MEMORY, "out-of-memory", "out of memory")                \
	/* The include closure (hash/closure.h). */                            \
	REASON(HEADER_NAME, "header-name",                                     \
	       "a header's name isn't a plain path")                           \
	REASON(INCLUDE_PATH, "include-path-too-long",                          \
	       "the path of an include is too long")                           \
	REASON(INCLUDE_UNREADABLE, "include-unreadable",                       \
	       "an included file can't be read")                               \
	REASON(INCLUDE_ELSEWHERE, "include-elsewhere",                         \
	       "a file may be included from a directory of the driver's own")  \
	REASON(INCLUDES_MANY, "too-many-includes",                             \
	       "more includes than are worth following")                       \
	REASON(COMPUTED_UNCERTAIN, "include-by-macro",                         \
	       "an include's name can't be determined")                        \
	REASON(COMPUTED_PREDEFINED, "include-by-predefined-macro",             \
	       "an include's name may come from a predefined macro")           \
	REASON(PRECOMPILED_HEADER, "precompiled-header",                       \
	       "a precompiled header exists")                                  \
	REASON(SOURCE_CLOCK, "uses-date",                                      \
	       "source uses __DATE__, __TIME__ or __TIMESTAMP__")              \
	REASON(SOURCE_READS, "source-reads-files",                             \
	       "source reads files in a way that can't be followed")           \
	REASON(SOURCE_UNCERTAIN, "source-unclear",                             \
	       "source can't be scanned reliably")                             \
	REASON(OPTION_DIRECTORY, "option-directory",                           \
	       "an option names a file as a directory")                        \
	REASON(OPTION_FILE, "option-file",                                     \
	       "an option names something that isn't a regular file")          \
	REASON(OPTIONS_UNCERTAIN, "options-unclear",                           \
	       "the options can't be parsed reliably")                         \
	/* What a driver's record says (cache/driver/driver.h). */             \
	REASON(SOURCE_NAME_VARIES, "source-uses-file",                         \
	       "__FILE__ is a number of the process on the driver")            \
	/* The errors of cache/ (occ_error_reason). */                         \
	REASON(NOT_FOUND, "not-found", "not found")                            \
	REASON(KEY_DIFFERS, "key-differs", "key differs")                      \
	REASON(CORRUPT, "corrupt-entry", "corrupt entry")                      \
	REASON(VERSION, "other-format", "format version differs")              \
	REASON(IO, "io-error", "I/O error")                                    \
	REASON(TOO_LARGE, "too-large", "too large")                            \
	REASON(NO_DIRECTORY, "no-store", "no store directory")                 \
	REASON(FORBIDDEN, "store-not-private",                                 \
	       "store directory is not private")                               \
	REASON(NO_LOCK, "no-locks", "file system without locks")               \
	REASON(SIZE_LEDGER, "size-corrupt", "config.file was corrupt")         \
	REASON(BUSY, "store-busy", "another process holds the lock")           \
	REASON(EXISTS, "already-stored", "already stored")                     \
	REASON(READ_ONLY, "store-read-only", "the store is read-only")         \
	REASON(DENIED, "permission-denied", "permission denied")               \
	REASON(ANOTHERS, "others-directory",                                   \
	       "another user can change the path")                             \
	REASON(NOT_A_STORE, "not-a-store",                                     \
	       "not a store: the directory has other files")                   \
	REASON(REMOTE, "remote-failed", "remote storage failed")               \
	REASON(REMOTE_DOWN, "remote-down",                                     \
	       "remote storage failed a while ago")                            \
	REASON(UNKNOWN_ERROR, "unknown-error", "unknown error")                \
	/* A remote storage's helper (occ_remote_fault_reason). */             \
	REASON(REMOTE_ABSENT, "remote-no-helper", "no helper listens")         \
	REASON(REMOTE_CONNECT, "remote-no-greeting",                           \
	       "the helper doesn't greet in time")                             \
	REASON(REMOTE_VERSION, "remote-other-version",                         \
	       "the helper speaks another version")                            \
	REASON(REMOTE_PEER, "remote-other-user",                               \
	       "the helper is another user's")                                 \
	REASON(REMOTE_STALL, "remote-too-slow",                                \
	       "the helper doesn't answer in time")                            \
	REASON(REMOTE_PROTOCOL, "remote-bad-answer",                           \
	       "the helper's answer is malformed")                             \
	REASON(REMOTE_SERVER, "remote-server-failed", "the server failed")     \
	REASON(REMOTE_CLOSED, "remote-closed",                                 \
	       "the helper closed the connection")                             \
	REASON(REMOTE_SOCKET, "remote-no-socket", "can't create a socket")     \
	/* What comes from it (occ_admission_reason). */                       \
	REASON(REFUSED_FORMAT, "remote-damaged", "damaged in transit")         \
	REASON(REFUSED_VERSION, "remote-entry-version",                        \
	       "written by another version")                                   \
	REASON(REFUSED_KEY, "remote-other-key",                                \
	       "the entry belongs to another key")                             \
	REASON(REFUSED_UNSIGNED, "remote-unsigned", "not signed")              \
	REASON(REFUSED_UNTRUSTED, "remote-untrusted",                          \
	       "signed by an unknown key")                                     \
	REASON(REFUSED_SIGNATURE, "remote-bad-signature",                      \
	       "its signature is wrong")                                       \
	/* What isn't given to it (layer/serve/remote_offer.h). */             \
	REASON(SIGNING_KEY, "signing-key-unusable",                            \
	       "the signing key can't be used")                                \
	/* The driver (layer/driver/). */                                      \
	REASON(SKIPPED, "skipped", "left alone: OCLCACHE_SKIP")                \
	REASON(DEVICE_UNQUERYABLE, "device-unknown",                           \
	       "device can't be queried")                                      \
	REASON(IDENTITY_UNKNOWN, "driver-unknown",                             \
	       "the driver can't be identified")                               \
	REASON(PROGRAM_NAME_UNKNOWN, "program-name-unknown",                   \
	       "the program's name can't be determined")                       \
	REASON(DRIVER_LOADS_SLOWLY, "driver-loads-slowly",                     \
	       "the driver loads its binaries more slowly than it compiles")   \
	REASON(DRIVER_LOADS_NOTHING, "driver-loads-nothing",                   \
	       "the driver doesn't load its own binaries")                     \
	REASON(TRIAL_UNFINISHED, "driver-trial",                               \
	       "a trial of the driver's binaries is running, or "              \
	       "ended its process")                                            \
	REASON(HABITS_UNTELLABLE, "driver-unclear",                            \
	       "the driver's behaviour can't be determined")                   \
	REASON(HABITS_CONTRADICTED, "driver-contradicts",                      \
	       "the driver contradicts what was learnt")                       \
	REASON(HABITS_UNKNOWN, "driver-not-learnt",                            \
	       "the driver's behaviour isn't known yet")                       \
	REASON(LIBRARIES_UNKNOWN, "driver-libraries-not-learnt",               \
	       "what the driver compiles with wasn't known yet")               \
	REASON(NOTIFY_UNKNOWN, "driver-callback-not-learnt",                   \
	       "where the driver calls back isn't known yet")                  \
	/* The key (layer/key/). */                                            \
	REASON(SEVERAL_DRIVERS, "several-drivers",                             \
	       "devices of several drivers")                                   \
	REASON(UNLISTED_OPERATION, "unlisted-compile",                         \
	       "compile or link on an unlisted driver")                        \
	REASON(UNLISTED_DEVICES, "unlisted-several-devices",                   \
	       "several devices of an unlisted driver")                        \
	REASON(UNLISTED_CONSTANTS, "unlisted-constants",                       \
	       "specialization constants on an unlisted driver")               \
	REASON(UNLISTED_STRINGS, "unlisted-strings",                           \
	       "how the driver joins strings isn't known")                     \
	REASON(UNLISTED_DIRECTORIES, "unlisted-directories",                   \
	       "where the driver looks for included files isn't known")        \
	REASON(UNLISTED_SEARCH, "unlisted-search",                             \
	       "the driver looks for included files in ways of its own")       \
	REASON(UNLISTED_SOURCE_NAME, "unlisted-file-macro",                    \
	       "what __FILE__ is on the driver isn't known")                   \
	REASON(CONSTANTS_LACKING, "constants-not-in-binary",                   \
	       "binaries lack specialization constants")                       \
	REASON(CONSTANTS_MANY, "too-many-constants",                           \
	       "too many specialization constants")                            \
	REASON(OWN_CACHE_OFF, "own-cache-off",                                 \
	       "without its own cache, the driver can't create "               \
	       "several programs from one binary")                             \
	REASON(OWN_CACHE_INCLUDES, "own-cache-includes",                       \
	       "the driver's own cache may overlook included files")           \
	REASON(OWN_CACHE_OVERLOOKS, "own-cache-overlooks",                     \
	       "the driver's own cache may overlook "                          \
	       "constants or variables")                                       \
	REASON(ENVIRONMENT_CHANGED, "environment-changed",                     \
	       "the environment has changed since the program started")        \
	REASON(VARIABLE_FILES, "variable-names-files",                         \
	       "an environment variable may name files")                       \
	REASON(SWITCHES_FILE, "switches-file",                                 \
	       "a file contains switches for the compiler")                    \
	REASON(VARIABLE_OPTION_FILES, "variable-options-files",                \
	       "an environment variable contains options that may "            \
	       "name files")                                                   \
	REASON(VARIABLE_OPTIONS, "variable-options-unclear",                   \
	       "the options in an environment variable can't be "              \
	       "parsed reliably")                                              \
	REASON(OPTION_UNSAFE, "option-reads-files",                            \
	       "an option may read or write files")                            \
	REASON(CURRENT_DIRECTORY, "no-current-directory",                      \
	       "the current directory isn't known")                            \
	REASON(LINKS_DEEP, "link-too-deep", "too many levels of linking")      \
	REASON(LINK_INPUT_DEVICE, "link-input-device",                         \
	       "a link input isn't for the device")                            \
	/* The lookup (layer/serve/). */                                       \
	REASON(RECACHE, "recache", "OCLCACHE_MODE=recache")                    \
	REASON(IN_CALLBACK, "in-callback", "built inside a callback")          \
	REASON(BINARY_GONE, "binary-gone", "the binary is gone")               \
	REASON(BINARY_REFUSED, "binary-refused", "driver refused the binary")  \
	REASON(OTHER_KERNELS, "other-kernels", "binary has other kernels")     \
	/* What isn't stored (layer/serve/). */                                \
	REASON(STORE_NEVER, "store-never", "OCLCACHE_STORE=never")             \
	REASON(BUILT_AGAIN, "built-again", "built again in the meantime")      \
	REASON(INPUT_COMPILED, "input-changed",                                \
	       "an input was compiled in the meantime")                        \
	REASON(CHANGED_DURING_BUILD, "changed-during-build",                   \
	       "files or environment changed during the build")                \
	REASON(CHANGED_SINCE_BUILD, "changed-since-build",                     \
	       "environment changed since the build")                          \
	REASON(BUILD_FAILED, "build-failed",                                   \
	       "the build failed, or the driver didn't describe it")           \
	REASON(NO_BINARY, "no-binary", "the driver returns no binary")         \
	REASON(BINARIES_DEAR, "stored-at-second-use",                          \
	       "stored at the second use on this driver; "                     \
	       "OCLCACHE_STORE=eager stores at the first")                     \
	REASON(BINARIES_SLOW, "binary-too-slow",                               \
	       "binaries are expected to take too long: "                      \
	       "OCLCACHE_STORE=eager stores them")                             \
	REASON(EXIT_RELEASED, "released-at-exit", "released at exit")          \
	REASON(EXIT_EXPENSIVE, "exit-too-slow",                                \
	       "fetching it at exit takes too long")                           \
	/* The call (layer/hook/). */                                          \
	REASON(NO_CACHE, "no-cache", "no cache")                               \
	REASON(BUILT_BEFORE, "built-before", "built before")                   \
	REASON(BUILT_WITH_KERNELS, "built-with-kernels",                       \
	       "built before, and it has kernels")                             \
	REASON(LINKED_BEFORE, "linked-before", "linked before")                \
	REASON(BUILD_UNDER_WAY, "build-under-way",                             \
	       "another build of the program is under way")                    \
	REASON(PARAMETERS, "bad-parameters",                                   \
	       "arguments that only the driver can check")                     \
	REASON(OTHER_DEVICES, "some-devices",                                  \
	       "not for exactly the program's devices")                        \
	REASON(DEVICES_UNKNOWN, "devices-unknown", "devices are unknown")      \
	REASON(LINK_INPUT_UNKNOWN, "link-input-unknown",                       \
	       "a link input is unknown")                                      \
	REASON(EXTENSION, "extension-in-use",                                  \
	       "the program uses an unknown extension function")               \
	REASON(WATCHED, "watched", "a tool is watching the compiler")

enum occ_reason {
	OCC_REASON_NONE = 0,
#define OCC_REASON_VALUE(identifier, name, text) OCC_REASON_##identifier,
	OCC_REASONS(OCC_REASON_VALUE) OCC_REASON_COUNT
#undef OCC_REASON_VALUE
};

/* What the trace and statistics say, and its name; NULL of none.
 */
const char *occ_reason_text(enum occ_reason reason);
const char *occ_reason_name(enum occ_reason reason);

/* OCC_REASON_NONE: no reason has that text, or that name. */
enum occ_reason occ_reason_of_text(const char *text);
enum occ_reason occ_reason_of_name(const char *name);

#endif
