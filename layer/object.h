/* SPDX-License-Identifier: MIT */
/*
 * The identity of a loaded shared object: its GNU build-id where it has one,
 * else a digest of its file's content, remembered in the store.
 */
#ifndef OCC_LAYER_OBJECT_H
#define OCC_LAYER_OBJECT_H

#include <stdbool.h>

#include "hash/buffer.h"

/*
 * Appends the identity of the object that `address` lies in, with a tag in
 * front ("build-id:", "content:"). Returns false when it can't be told.
 */
bool occ_object_identity(const void *address, struct occ_buffer *identity);

#endif
