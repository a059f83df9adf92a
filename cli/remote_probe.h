/* SPDX-License-Identifier: MIT */
/*
 * A value of the command's own, to try a remote storage with: random bytes,
 * which can't be compressed, under a key that nothing else has. How long each
 * step took is in nanoseconds.
 *
 * The steps return what cache/remote.h's calls do, with why in the answer, of
 * which the value is released. One thread.
 */
#ifndef OCC_CLI_REMOTE_PROBE_H
#define OCC_CLI_REMOTE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/remote.h"

#define OCC_REMOTE_PROBE_KEY_SIZE 32

/* ms: more than a server may take that is only far away. */
#define OCC_REMOTE_PROBE_PATIENCE 10000

struct occ_remote_probe {
	unsigned char key[OCC_REMOTE_PROBE_KEY_SIZE];
	size_t size;
	unsigned char *bytes;
	uint64_t write_ns, read_ns, remove_ns;
};

/* False: there are no random numbers. To be released in any case. */
bool occ_remote_probe_make(struct occ_remote_probe *ret_probe, size_t size);
void occ_remote_probe_release(struct occ_remote_probe *probe);

/* `flushes`: the helper can say when it is with the server. */
int occ_remote_probe_write(struct occ_remote_probe *probe,
			   struct occ_remote *remote, bool flushes,
			   struct occ_remote_answer *ret_answer);

/* OCC_E_CORRUPT: there is another value. */
int occ_remote_probe_read(struct occ_remote_probe *probe,
			  struct occ_remote *remote,
			  struct occ_remote_answer *ret_answer);

int occ_remote_probe_remove(struct occ_remote_probe *probe,
			    struct occ_remote *remote,
			    struct occ_remote_answer *ret_answer);

#endif
