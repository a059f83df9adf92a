/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a value, which several clients may be given, also while they
 * still come: one thread adds them, the server's sends what is there.
 *
 * All but `there` is the server's thread's once the value is published.
 */
#ifndef OCC_STORAGE_VALUE_H
#define OCC_STORAGE_VALUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hash/buffer.h"

struct occ_value {
	unsigned char *data;
	size_t size;
	/*
	 * So many bytes can be sent. The last one only when all of it is known
	 * to be good, so that who has it all has what the server has.
	 */
	_Atomic size_t there;
	unsigned users;
	bool is_failed; /* no more will come */
	bool was_left;	/* by one who hadn't got all of it */
};

/*
 * With one user. The first has nothing yet; the second takes *bytes over, and
 * has all. NULL: out of memory.
 */
struct occ_value *occ_value_begin(size_t size);
struct occ_value *occ_value_new(struct occ_buffer *bytes);
void occ_value_release(struct occ_value *value); /* NULL: nothing */

#endif
