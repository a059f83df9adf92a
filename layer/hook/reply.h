/* SPDX-License-Identifier: MIT */
/*
 * Answers to queries of programs: where they go, as in every clGet...Info, and
 * what the driver would say.
 */
#ifndef OCC_LAYER_HOOK_REPLY_H
#define OCC_LAYER_HOOK_REPLY_H

#include "cache/description.h"
#include "cache/entry.h"
#include "layer/object/shadow_program.h"

struct occ_reply {
	size_t capacity;
	void *value;	  /* NULL: only the size is asked for */
	size_t *size_ret; /* may be NULL */
};

bool occ_reply_fits(const struct occ_reply *reply, struct occ_span bytes);

/* Gives the bytes and their size. False when they don't fit: gives nothing. */
bool occ_reply_give(const struct occ_reply *reply, struct occ_span bytes);

/* What a driver can be asked about a program. */
struct occ_question {
	cl_program program;
	bool build; /* clGetProgramBuildInfo */
	cl_device_id device;
	cl_uint name;
};

/* The driver answers. */
cl_int occ_reply_ask(const struct occ_reply *reply,
		     const struct occ_question *question);

/*
 * We do, with these bytes. When they don't fit, as the driver refuses a buffer
 * that is too small: they differ in whether they say the size then.
 */
cl_int occ_reply_answer(const struct occ_reply *reply, struct occ_span bytes,
			const struct occ_question *question);

/* An answer that was an error; some drivers say a size with it. */
cl_int occ_reply_repeat_error(const struct occ_reply *reply,
			      const struct occ_answer *error);

#endif
