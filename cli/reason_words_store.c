/* SPDX-License-Identifier: MIT */
/*
 * The words for reasons that lie in a store, an entry or the remote storage.
 */
#include "cli/reason_words.h"

const struct occ_reason_words occ_reason_words_store[OCC_REASON_COUNT] = {
	/* Stores and entries. */
	[OCC_REASON_NOT_FOUND] =
		{"There was no entry for this build: it is new, or its source, "
		 "options, included files, environment or driver have "
		 "changed.",
		 "Run the program again: what was stored will be served."},
	[OCC_REASON_KEY_DIFFERS] =
		{"The entry found under this hash belongs to another build.",
		 "Nothing is needed: the driver compiles the program."},
	[OCC_REASON_CORRUPT] =
		{"The entry is damaged.",
		 "Run 'oclcache verify --delete'; the next run stores the "
		 "build again."},
	[OCC_REASON_VERSION] =
		{"The entry was written by a version of oclcache with another "
		 "format.",
		 "Nothing is needed: the next run stores the build again."},
	[OCC_REASON_IO] = {"The store couldn't be read or written.",
			   "Check the file system, and run 'oclcache doctor'."},
	[OCC_REASON_TOO_LARGE] = {"The entry doesn't fit into the store.",
				  "Raise OCLCACHE_MAX_SIZE."},
	[OCC_REASON_NO_DIRECTORY] =
		{"The store's directory isn't there and can't be made.",
		 "Set OCLCACHE_DIR to a directory that can be written to; see "
		 "'oclcache doctor'."},
	[OCC_REASON_FORBIDDEN] =
		{"Others can write to the store's directory, so that it isn't "
		 "trusted.",
		 "Run 'chmod go-w' on the directory, or set OCLCACHE_DIR to "
		 "another one."},
	[OCC_REASON_NO_LOCK] =
		{"The store is on a file system without locks.",
		 "Set OCLCACHE_DIR to a directory on another file system."},
	[OCC_REASON_SIZE_LEDGER] =
		{"The store's config.file was damaged and has been written "
		 "anew.",
		 "Nothing is needed."},
	[OCC_REASON_BUSY] =
		{"Another process held the store's lock for too long.",
		 "Run the program again."},
	[OCC_REASON_EXISTS] =
		{"Another thread or process has stored the same build.",
		 "Nothing is needed."},
	[OCC_REASON_READ_ONLY] =
		{"The store is only read (OCLCACHE_MODE=readonly).",
		 "Set OCLCACHE_MODE=readwrite."},
	[OCC_REASON_DENIED] =
		{"The user may not write to the store.",
		 "Correct the directory's permissions, or set OCLCACHE_DIR to "
		 "another one."},
	[OCC_REASON_ANOTHERS] =
		{"Another user could change a directory on the path to the "
		 "store.",
		 "Set OCLCACHE_DIR to a directory that only you and root can "
		 "change."},
	[OCC_REASON_NOT_A_STORE] =
		{"The directory has other files in it and isn't a store.",
		 "Set OCLCACHE_DIR to a directory that is empty or not there "
		 "yet."},
	[OCC_REASON_REMOTE] = {"The remote storage failed.",
			       "Run 'oclcache doctor'."},
	[OCC_REASON_REMOTE_DOWN] =
		{"The remote storage failed shortly before and isn't asked "
		 "again for a while.",
		 "Run 'oclcache doctor'."},
	[OCC_REASON_UNKNOWN_ERROR] =
		{"An error occurred for which oclcache has no name.",
		 "Run 'oclcache doctor', and set PrintDebugMessages=1 for "
		 "details."},
	/* The remote storage. */
	[OCC_REASON_REMOTE_ABSENT] =
		{"No helper for the remote storage is running.",
		 "Start the program with 'oclcache run', or set up 'oclcache "
		 "enable --remote'."},
	[OCC_REASON_REMOTE_CONNECT] =
		{"The remote storage's helper didn't greet in time.",
		 "Run 'oclcache doctor'."},
	[OCC_REASON_REMOTE_VERSION] =
		{"The remote storage's helper speaks another version of the "
		 "protocol.",
		 "Use the helper that belongs to this version of oclcache."},
	[OCC_REASON_REMOTE_PEER] =
		{"The remote storage's helper belongs to another user.",
		 "Name a socket of your own in OCLCACHE_REMOTE."},
	[OCC_REASON_REMOTE_STALL] =
		{"The remote storage's helper didn't answer in time.",
		 "Raise OCLCACHE_REMOTE_WAIT, or use a server that is nearer."},
	[OCC_REASON_REMOTE_PROTOCOL] =
		{"The remote storage's helper gave an answer that can't be "
		 "read.",
		 "Run 'oclcache doctor'."},
	[OCC_REASON_REMOTE_SERVER] =
		{"The remote storage's server failed.",
		 "Check the server and its credentials; run 'oclcache "
		 "doctor'."},
	[OCC_REASON_REMOTE_CLOSED] =
		{"The remote storage's helper closed the connection.",
		 "Run 'oclcache doctor'."},
	[OCC_REASON_REMOTE_SOCKET] =
		{"The process couldn't make a socket to reach the remote "
		 "storage.",
		 "Raise the limit of open files, or permit sockets in the "
		 "sandbox."},
	[OCC_REASON_REFUSED_FORMAT] =
		{"An entry from the remote storage arrived damaged.",
		 "Nothing is needed: the driver compiles the program."},
	[OCC_REASON_REFUSED_VERSION] =
		{"An entry from the remote storage was written by another "
		 "version of oclcache.",
		 "Use the same version on all machines."},
	[OCC_REASON_REFUSED_KEY] =
		{"The remote storage answered with an entry of another build.",
		 "Check what else writes to the server."},
	[OCC_REASON_REFUSED_UNSIGNED] =
		{"An entry from the remote storage isn't signed.",
		 "Have the machine that stores it sign ('oclcache key "
		 "generate')."},
	[OCC_REASON_REFUSED_UNTRUSTED] =
		{"An entry from the remote storage is signed by a key that "
		 "you don't trust.",
		 "Trust the key with 'oclcache key trust' if you know whose "
		 "it is."},
	[OCC_REASON_REFUSED_SIGNATURE] =
		{"An entry from the remote storage has a wrong signature.",
		 "Find out who writes to the server."},
	[OCC_REASON_SIGNING_KEY] =
		{"The signing key can't be used, so that nothing is given to "
		 "the remote storage.",
		 "Check the file with 'oclcache key public'."},
	/* Lookups. */
	[OCC_REASON_RECACHE] =
		{"OCLCACHE_MODE=recache (run --recache) compiles everything "
		 "anew.",
		 "Leave OCLCACHE_MODE=recache out in the next run."},
	[OCC_REASON_IN_CALLBACK] =
		{"The program builds in a callback, in which this driver "
		 "can't load anything else.",
		 "Build outside callbacks."},
	[OCC_REASON_BINARY_GONE] =
		{"The entry went away while it was read.",
		 "Run the program again; raise OCLCACHE_MAX_SIZE if this "
		 "happens often."},
	[OCC_REASON_BINARY_REFUSED] =
		{"The driver refused the stored binary, and the entry was "
		 "removed.",
		 "Nothing is needed: the next run stores the build again."},
	[OCC_REASON_OTHER_KERNELS] =
		{"The stored binary gave other kernels than it should, and "
		 "the entry was removed.",
		 "Nothing is needed: the next run stores the build again."},
	/* What is compiled and not stored. */
	[OCC_REASON_STORE_NEVER] = {"OCLCACHE_STORE=never stores nothing.",
				    "Set OCLCACHE_STORE=auto."},
	[OCC_REASON_BUILT_AGAIN] =
		{"The program built the same handle again before the first "
		 "build could be stored.",
		 "Make a new program object for each build."},
	[OCC_REASON_INPUT_COMPILED] =
		{"An object that was linked was compiled again during the "
		 "link.",
		 "Don't compile a program object while it is linked."},
	[OCC_REASON_CHANGED_DURING_BUILD] =
		{"An included file or the environment changed while the "
		 "driver compiled.",
		 "Run the program again."},
	[OCC_REASON_CHANGED_SINCE_BUILD] =
		{"The environment changed after the build, before its binary "
		 "could be fetched.",
		 "Don't change variables that the driver reads while the "
		 "program runs."},
	[OCC_REASON_BUILD_FAILED] =
		{"The build failed, or the driver didn't describe its result.",
		 "Read the build log; failed builds are never cached."},
	[OCC_REASON_NO_BINARY] =
		{"The driver gave no binary.",
		 "Nothing in oclcache: the driver compiles the build each "
		 "time."},
	[OCC_REASON_BINARIES_DEAR] =
		{"Fetching a binary from this driver takes long, so that a "
		 "build is stored only when it is compiled a second time.",
		 "Run the program again, or set OCLCACHE_STORE=eager to store "
		 "builds at the first use. If the next run stores nothing "
		 "either, the program is killed or ends by _exit(): let it "
		 "release its OpenCL objects and return from main()."},
	[OCC_REASON_BINARIES_SLOW] =
		{"Fetching the binary from this driver is expected to take "
		 "too long.",
		 "Set OCLCACHE_STORE=eager to store it all the same."},
	[OCC_REASON_EXIT_RELEASED] =
		{"The program released this object only while the process was "
		 "exiting, when the driver can't be asked any more.",
		 "Release programs before the process exits, or set "
		 "OCLCACHE_STORE=eager."},
	[OCC_REASON_EXIT_EXPENSIVE] =
		{"The process ended before the binary could be fetched, and "
		 "fetching it then would have taken too long.",
		 "Release programs before the process exits, or set "
		 "OCLCACHE_STORE=eager."},
};
