/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL loaders of a machine: each libOpenCL.so.1 that the dynamic linker
 * would find, for 32-bit programs, too, and what its bytes say of layers.
 * Nothing of them is run.
 *
 * Calling sequence: occ_loader_find(), occ_loader_release(). One thread.
 */
#ifndef OCC_CLI_LOADER_H
#define OCC_CLI_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OCC_LOADER_NAME "libOpenCL.so.1"

enum occ_loader_kind {
	OCC_LOADER_OTHER, /* a vendor's own */
	OCC_LOADER_OCL_ICD,
	OCC_LOADER_KHRONOS,
};

struct occ_loader {
	char *path;	      /* as it is found; links not followed */
	char *file;	      /* the file itself */
	unsigned bits;	      /* 32 or 64 */
	uint16_t machine;     /* ELF's number */
	bool is_ours;	      /* programs like this one can load it */
	bool takes_layers;    /* from OPENCL_LAYERS */
	bool reads_directory; /* .lay files in /etc/OpenCL/layers */
	enum occ_loader_kind kind;
};

struct occ_loaders {
	struct occ_loader *items; /* in the order of the search */
	size_t count;
};

/*
 * Looks in the directories of LD_LIBRARY_PATH, of /etc/ld.so.conf and those
 * that are searched always. `root`, "" as a rule, is put in front of all but
 * the variable's. Each file comes once. What isn't a shared library of ELF's is
 * left out.
 */
void occ_loader_find(const char *root, struct occ_loaders *ret_loaders);
void occ_loader_release(struct occ_loaders *loaders);

/* "ocl-icd", "Khronos' loader", "a vendor's loader". */
const char *occ_loader_kind_name(enum occ_loader_kind kind);

/* "x86-64", "i386" ...; "another machine's" for those that aren't known. */
const char *occ_loader_machine(const struct occ_loader *loader);

#endif
