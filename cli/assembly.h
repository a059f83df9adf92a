/* SPDX-License-Identifier: MIT */
/*
 * Device code for programs of NVIDIA's driver, made by the driver itself: in a
 * process of its own, with an own cache that is empty (cli/computecache.h), it
 * loads the binary, and what it makes of that is in this cache then. Another
 * process loads the code, and both must say the same of the program.
 */
#ifndef OCC_CLI_ASSEMBLY_H
#define OCC_CLI_ASSEMBLY_H

#include "cache/entry.h"
#include "cli/nvidia.h"

struct occ_assembly {
	struct occ_nvidia_device device;
	struct occ_span binary; /* PTX */
	const char *options;	/* that it was built with */
	const char *scratch;	/* a folder; what is put there stays */
	const char *kernel;	/* to be run, too; NULL: none */
	unsigned limit;		/* s, of a process; 0: as builds have it */
	/* Of it: */
	struct occ_buffer section; /* as cache/code.h has it */
	struct occ_buffer said;	   /* of the program, by both processes */
	char *reason;		   /* why not, to be freed */
	bool is_final;		   /* the next time it would be the same */
};

/* True: `section` is good. To be released, whatever came of it. */
bool occ_assembly_make(struct occ_assembly *assembly);
void occ_assembly_release(struct occ_assembly *assembly);

/*
 * Is what such a device's driver makes good? A program with known results is
 * compiled, made code of, loaded and run. NULL: it is; else why not, to be
 * freed, and *ret_is_final as above.
 */
char *occ_assembly_probe(const struct occ_nvidia_device *device,
			 const char *scratch, bool *ret_is_final);

#endif
