/* SPDX-License-Identifier: MIT */
/*
 * When the layer begins and ends: initialisation, fork(), the end of the main
 * thread, exit() and deinitialisation. What each module does then, and in which
 * order, is in lifecycle.c alone.
 */
#ifndef OCC_LAYER_LIFECYCLE_H
#define OCC_LAYER_LIFECYCLE_H

#include <stdbool.h>

/* Forgets what an earlier life of the loader left behind. */
void occ_lifecycle_forget(void);

/*
 * With occ_target set: reads the settings and starts. False: the layer is to
 * stay out of the way, by the user's wish or for want of resources.
 */
bool occ_lifecycle_start(void);

/*
 * At clDeinitLayer: writes what is to be kept. File I/O only, as the
 * specification of layers allows (cl_loader_layers): no OpenCL.
 */
void occ_lifecycle_end(void);

#endif
