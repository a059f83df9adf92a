/* SPDX-License-Identifier: MIT */
/*
 * In a callback on a driver's builder (callback.h) nothing can be materialised
 * to answer for a kernel. So before the driver gets a build that may call back
 * there, the kernels that the application has are described.
 */
#ifndef OCC_LAYER_SERVE_DESCRIBE_LIVE_H
#define OCC_LAYER_SERVE_DESCRIBE_LIVE_H

/*
 * Describes all live kernels of shadow programs on drivers with such builders,
 * whose entries don't: their programs are built for it. Nothing where that may
 * wait for ever. Without the lock.
 */
void occ_describe_live_kernels(void);

#endif
