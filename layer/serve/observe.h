/* SPDX-License-Identifier: MIT */
/* Compares what a driver does with what was learnt of it. */
#ifndef OCC_LAYER_SERVE_OBSERVE_H
#define OCC_LAYER_SERVE_OBSERVE_H

#include "layer/object/program.h"

/*
 * The application has made a kernel of a program that the driver built:
 * compares the program's reference count with the one that the driver's traits
 * lead to expect. `program` is pinned and its handle alive. Without the lock.
 */
void occ_observe_kernel(struct occ_program *program);

#endif
