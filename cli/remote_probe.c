/* SPDX-License-Identifier: MIT */
#include "cli/remote_probe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cache/error.h"
#include "cache/file.h"
#include "cli/message.h"

static struct occ_span key_of(const struct occ_remote_probe *probe)
{
	return (struct occ_span){probe->key, sizeof(probe->key)};
}

bool occ_remote_probe_make(struct occ_remote_probe *ret_probe, size_t size)
{
	uint64_t state = 0;

	*ret_probe = (struct occ_remote_probe){.size = size};
	ret_probe->bytes = occ_message_must(malloc(size));
	if (getrandom(ret_probe->key, sizeof(ret_probe->key), 0) !=
		    (ssize_t)sizeof(ret_probe->key) ||
	    getrandom(&state, sizeof(state), 0) != (ssize_t)sizeof(state))
		return false;
	state |= 1;
	for (size_t i = 0; i < size; i++) {
		/* xorshift64 */
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		ret_probe->bytes[i] = (unsigned char)(state >> 32);
	}
	return true;
}

void occ_remote_probe_release(struct occ_remote_probe *probe)
{
	free(probe->bytes);
	probe->bytes = NULL;
}

int occ_remote_probe_write(struct occ_remote_probe *probe,
			   struct occ_remote *remote, bool flushes,
			   struct occ_remote_answer *ret_answer)
{
	const struct occ_span value = {probe->bytes, probe->size};
	uint64_t start = occ_file_clock();
	int error =
		occ_remote_put(remote, key_of(probe), false, value, ret_answer);

	if (!error && flushes) {
		error = occ_remote_flush(remote, OCC_REMOTE_PROBE_PATIENCE,
					 ret_answer);
		/* Reading shows that it isn't there, and info says why. */
		if (error == OCC_E_REMOTE &&
		    ret_answer->fault == OCC_REMOTE_FAULT_SERVER)
			error = OCC_OK;
	}
	probe->write_ns = occ_file_clock() - start;
	occ_buffer_release(&ret_answer->value);
	return error;
}

int occ_remote_probe_read(struct occ_remote_probe *probe,
			  struct occ_remote *remote,
			  struct occ_remote_answer *ret_answer)
{
	uint64_t start = occ_file_clock();
	int error = occ_remote_get(remote, key_of(probe), ret_answer);

	probe->read_ns = occ_file_clock() - start;
	if (!error &&
	    (ret_answer->value.size != probe->size ||
	     memcmp(ret_answer->value.data, probe->bytes, probe->size) != 0))
		error = OCC_E_CORRUPT;
	occ_buffer_release(&ret_answer->value);
	return error;
}

int occ_remote_probe_remove(struct occ_remote_probe *probe,
			    struct occ_remote *remote,
			    struct occ_remote_answer *ret_answer)
{
	uint64_t start = occ_file_clock();
	int error = occ_remote_remove(remote, key_of(probe), ret_answer);

	probe->remove_ns = occ_file_clock() - start;
	occ_buffer_release(&ret_answer->value);
	return error;
}
