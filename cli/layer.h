/* SPDX-License-Identifier: MIT */
/*
 * Where the layer is, and how a program is started under it.
 */
#ifndef OCC_CLI_LAYER_H
#define OCC_CLI_LAYER_H

#include <stdbool.h>

#define OCC_LAYER_NAME "liboclcache.so"

/*
 * The absolute path of the layer, for the caller to free(): $OCLCACHE_LAYER;
 * else beside this command (where it was built), or in the "lib/oclcache" of
 * what it is installed in, also below the architecture's name. NULL: there is
 * none; `occ_layer_complain` says so, with where it was looked for.
 */
char *occ_layer_path(void);
void occ_layer_complain(void);

/*
 * Puts the layer into OPENCL_LAYERS of this process, for those that it starts:
 * first, since it must see what the application does, with what is there
 * behind it and a former mention of it taken out. False after an error was
 * shown: there is no layer, or there is a colon in its path.
 */
bool occ_layer_switch_on(void);

#endif
