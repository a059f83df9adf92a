/* SPDX-License-Identifier: MIT */
/*
 * Frames of a database (cache/database_record.h) from what the layer knows of
 * builds. All are called between occ_database_begin() and _commit(), give the
 * name of the frame, and return OCC_OK or as occ_database_add(). Included files
 * are read.
 *
 * Threads: any, without the lock. Calls no driver.
 */
#ifndef OCC_LAYER_SERVE_RECORD_FRAMES_H
#define OCC_LAYER_SERVE_RECORD_FRAMES_H

#include "cache/database_record.h"
#include "layer/key/build_key.h"

/*
 * The build, and its contents. `directory` is what paths are relative to; NULL:
 * not known. `inputs` are the names of the frames of its link inputs; unused of
 * those that are binaries. Contents of included files that are no more as they
 * were are left out.
 */
int occ_record_frames_build(struct occ_database *database,
			    const struct occ_build_key *build_key,
			    const char *directory,
			    const struct occ_digest *inputs,
			    struct occ_digest *ret_name);

/*
 * A device of a build, with so many bytes of what the application had asked it
 * (layer/object/device_answers.h).
 */
int occ_record_frames_device(struct occ_database *database,
			     const struct occ_build_key *build_key,
			     cl_uint device, size_t answers,
			     struct occ_digest *ret_name);

struct occ_record_use {
	struct occ_digest build;
	const struct occ_digest *devices;
	cl_uint device_count;
	const char *application;
	struct occ_span kernels; /* names, each with its NUL */
	uint64_t compile_time;	 /* ns; 0: it wasn't compiled */
};

/* Of today. */
int occ_record_frames_use(struct occ_database *database,
			  const struct occ_record_use *use);

/* Likewise: it has built something that can't be recorded. */
int occ_record_frames_refusal(struct occ_database *database,
			      const char *application, enum occ_reason reason);

#endif
