/* SPDX-License-Identifier: MIT */
/*
 * One call of clBuildProgram, clCompileProgram or clLinkProgram, from its
 * beginning to after its callback. Its life is in call.c: looked up, served,
 * waited for or left to the driver, recorded, called back. What is particular
 * to builds and compiles (build.c) and to links (link.c) is in a struct
 * occ_call_kind.
 *
 *	call = occ_call_new(&kind, &arguments);
 *	call->program = ...		of a build, pinned and held
 *	error = occ_call_perform(call);
 *	occ_call_release(call);
 *
 * A call is shared by the application's thread and the driver's callback, which
 * may come on another thread and after the driver has returned. The last of
 * them frees it.
 */
#ifndef OCC_LAYER_HOOK_CALL_H
#define OCC_LAYER_HOOK_CALL_H

#include "hash/reason.h"
#include "layer/hook/link_input.h"
#include "layer/hook/notify.h"
#include "layer/object/program.h"
#include "layer/serve/single_flight.h"

/* As the application gave them. Pointers hold until its call returns. */
struct occ_arguments {
	enum occ_operation operation;
	cl_program program; /* not of a link */
	cl_context context; /* of a link */
	cl_uint device_count;
	const cl_device_id *devices;
	const char *options;
	cl_uint other_count; /* headers of a compile, inputs of a link */
	const cl_program *others;
	const char **names; /* of the headers */
	occ_notify notify;
	void *user_data;
};

struct occ_call {
	unsigned references; /* atomic: the call's and the callback's */
	const struct occ_call_kind *kind;
	struct occ_arguments arguments;
	/* Pinned. Of a link: atomic, NULL until the new program is known. */
	struct occ_program *program;
	struct occ_build_key *build_key;  /* NULL: not cacheable */
	struct occ_single_flight *flight; /* NULL: nobody waits for it */
	enum occ_reason missed;	     /* why, if it was looked for in vain */
	enum occ_reason uncacheable; /* why it has no build key */
	uint64_t generation;
	uint64_t start;
	uint64_t driver_start;	    /* 0: the driver doesn't compile */
	unsigned long long objects; /* occ_libraries_changes() before it did */
	bool held;	  /* a reference of ours on the program's handle */
	bool shown;	  /* and counted as the driver's */
	bool ended;	  /* atomic: and it was given back */
	bool called_back; /* atomic */
	struct occ_caller caller;
	enum occ_notify_thread thread; /* where the driver calls back */

	/* Of a build or compile. */
	struct occ_shadow *shadow; /* serving when the call began, retained */
	bool first;    /* the driver hasn't built the handle before */
	bool alone;    /* no other thread changes it */
	bool attached; /* kernels of hidden programs are alive */

	/* Of a link. */
	struct occ_link_inputs inputs;
	cl_program linked; /* what it returns */
	bool known;	   /* atomic: somebody made it known, or tried to */
};

/* What differs between the operations. */
struct occ_call_kind {
	const char *noun;	  /* for messages: what isn't made */
	enum occ_reason unserved; /* why what was loaded wasn't taken */
	bool makes_program;	  /* of which only its end tells */
	/* Those that it is for, to be freed; NULL: they aren't known. */
	cl_device_id *(*list_devices)(const struct occ_call *call,
				      cl_uint *ret_count);
	/* Sets the build key, or returns why there is none. */
	enum occ_reason (*make_key)(struct occ_call *call);
	/*
	 * The program answers by `state`, which is taken over, from now on. Of
	 * a link that is a new program, `handle`, to be made known. False: it
	 * can't, and a served link's handle was released.
	 */
	bool (*set_state)(struct occ_call *call, cl_program handle,
			  const struct occ_state *state);
	/* The driver is about to do it: sees to what it must find. */
	void (*prepare)(struct occ_call *call);
	/* The driver does it, and calls back this `notify`, if it isn't NULL.
	 */
	cl_int (*forward)(struct occ_call *call, occ_notify notify,
			  void *user_data);
};

/* NULL: out of memory. */
struct occ_call *occ_call_new(const struct occ_call_kind *kind,
			      const struct occ_arguments *arguments);
void occ_call_release(struct occ_call *call);

/* Does the whole call. */
cl_int occ_call_perform(struct occ_call *call);

/* Without looking it up: another may be making the same, or the driver is to.
 */
cl_int occ_call_drive(struct occ_call *call);

/* The driver does it, and calls back through us. Nothing is recorded. */
cl_int occ_call_forward(struct occ_call *call);

/*
 * OCLCACHE_MODE=require: what isn't there fails, and nothing has happened to
 * the driver's handle.
 */
cl_int occ_call_fail_uncached(struct occ_call *call, enum occ_reason reason);

#endif
