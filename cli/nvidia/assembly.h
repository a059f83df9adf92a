/* SPDX-License-Identifier: MIT */
/*
 * Device code for programs of NVIDIA's driver, made by the driver itself: in a
 * process of its own, with an own cache that is empty
 * (cli/nvidia/computecache.h), it loads the binary, and what it makes of that
 * is in this cache then. Another process loads the code, and both must say the
 * same of the program.
 */
#ifndef OCC_CLI_NVIDIA_ASSEMBLY_H
#define OCC_CLI_NVIDIA_ASSEMBLY_H

#include "cache/entry.h"
#include "cli/nvidia/driver.h"

/* Why there is no code. */
enum occ_assembly_fault {
	OCC_ASSEMBLY_ABSENT,  /* its device or driver isn't here */
	OCC_ASSEMBLY_PASSING, /* the next time it may be otherwise */
	OCC_ASSEMBLY_FINAL,
};

struct occ_assembly {
	struct occ_driver_device device;
	struct occ_span binary;	   /* PTX */
	const char *options;	   /* that it was built with */
	struct occ_span variables; /* of the environment, as its key has them */
	const char *scratch;	   /* a directory; what is put there stays */
	const char *kernel;	   /* to be run, too; NULL: none */
	unsigned limit;		   /* s, to compile; 0: as builds have it */
	/* Of it: */
	struct occ_buffer section; /* as cache/entry.h has it */
	struct occ_buffer said;	   /* of the program, by both processes */
	char *reason;		   /* why not, to be freed */
	enum occ_assembly_fault fault;
};

/* True: `section` is good. To be released, whatever came of it. */
bool occ_assembly_make(struct occ_assembly *assembly);
void occ_assembly_release(struct occ_assembly *assembly);

/*
 * Is what such a device's driver makes good? A program with known results is
 * compiled, made code of, loaded and run. NULL: it is; else why not, to be
 * freed, and *ret_fault.
 */
char *occ_assembly_probe(const struct occ_driver_device *device,
			 const char *scratch,
			 enum occ_assembly_fault *ret_fault);

#endif
