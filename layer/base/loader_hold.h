/* SPDX-License-Identifier: MIT */
/*
 * Keeps what is below the layer in memory while a thread of ours calls it: the
 * application, which knows of no such thread, may close the OpenCL loader at
 * any moment. (Its own calls need no hold.)
 */
#ifndef OCC_LAYER_BASE_LOADER_HOLD_H
#define OCC_LAYER_BASE_LOADER_HOLD_H

#include <stdbool.h>

/* At initialisation, when occ_target is filled in. */
void occ_loader_hold_start(void);

struct occ_loader_hold {
	void *library; /* NULL: nothing that could be closed */
};

/*
 * False: it was closed, and nothing of occ_target can be called. To be called
 * without locks: the dynamic linker's own is taken.
 */
bool occ_loader_hold_take(struct occ_loader_hold *ret_hold);

/* If it was closed meanwhile it is unloaded now, and may call clDeinitLayer. */
void occ_loader_hold_give(struct occ_loader_hold *hold);

#endif
