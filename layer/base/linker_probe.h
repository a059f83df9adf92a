/* SPDX-License-Identifier: MIT */
/*
 * Can other threads use the dynamic linker now? Not while the calling thread
 * runs a constructor of a library that is being loaded: whoever it waits for
 * mustn't need the linker then, or both would wait for ever.
 */
#ifndef OCC_LAYER_BASE_LINKER_PROBE_H
#define OCC_LAYER_BASE_LINKER_PROBE_H

#include <stdbool.h>

/*
 * False: a thread that tried hasn't come through within 50 ms. Takes a thread's
 * start, some 0.05 ms, otherwise. Any thread, without locks.
 */
bool occ_linker_probe(void);

#endif
