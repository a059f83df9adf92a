/* SPDX-License-Identifier: MIT */
/* The functions of layer/oclcache.h, which applications fetch by name. */
#ifndef OCC_LAYER_HOOK_CONTROL_H
#define OCC_LAYER_HOOK_CONTROL_H

/* The function of that name; NULL: it isn't one of ours. */
void *occ_control_function(const char *name);

#endif
