/* SPDX-License-Identifier: MIT */
/*
 * OCLCACHE_RECORD: what the process builds is added to a database
 * (cache/database.h), to be compiled again elsewhere.
 *
 * Each build, compile or link that was served, or that the driver did, is
 * recorded once in a process; so is what the application had asked its devices
 * before, and which kernels it created. The application's thread only makes a
 * note, for the writer's thread (layer/base/writer.h) does the rest: it adds
 * all that has come meanwhile at once. At its end the process waits for that.
 *
 * Nothing here ever fails a build, or changes it. What can't be recorded is
 * told once, as a debug message. A file that is no database isn't touched, and
 * nothing more is recorded then, nor in one that has got too large.
 *
 * Any thread, without the layer's lock, where it isn't said otherwise.
 */
#ifndef OCC_LAYER_SERVE_RECORD_H
#define OCC_LAYER_SERVE_RECORD_H

#include "hash/reason.h"
#include "layer/base/settings.h"
#include "layer/key/build_key.h"

static inline bool occ_record_is_on(void)
{
	return occ_settings_record_file;
}

/* It was made, by the driver in that many ns, or served (0). */
void occ_record_build(struct occ_build_key *build_key, uint64_t compile_time);

/* The driver has made something that has no key, or not a certain one. */
void occ_record_refusal(enum occ_reason reason);

/* The application has created a kernel of that. */
void occ_record_kernel(const struct occ_build_key *build_key, const char *name);

/* A program of that is gone, with its kernels. */
void occ_record_release(const struct occ_build_key *build_key);

/*
 * At the end of the process or of the layer, before the last occ_writer_end():
 * adds what isn't yet.
 */
void occ_record_end(void);

/* In a child of fork(), lock held. */
void occ_record_forked(void);

/* At initialisation, when no other call is under way. */
void occ_record_forget(void);

#endif
