/* SPDX-License-Identifier: MIT */
/*
 * What makes native code for this machine's CPU valid on another one: family,
 * model, stepping, feature bits and the register state that the operating
 * system saves (XCR0). Needed in the key of CPU devices, because their names
 * may be the same on different generations (Intel's is "Intel(R) Xeon(R)
 * Processor") while their binaries are native code.
 *
 * Nothing that differs between the cores of one machine is part of it.
 */
#ifndef OCC_LAYER_DRIVER_CPU_H
#define OCC_LAYER_DRIVER_CPU_H

#include "hash/buffer.h"

/* Appends the identity's bytes; the same on every call and every core. */
void occ_cpu_identity(struct occ_buffer *identity);

/* Asks the CPU what the other will want to know, which is slow in a guest. */
void occ_cpu_ask(void);

#endif
