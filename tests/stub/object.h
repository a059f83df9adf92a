/* SPDX-License-Identifier: MIT */
/*
 * What every handle of the stub has in common: the two words that loaders
 * want, a kind, references, and a place in the registry of all handles.
 *
 * One lock guards everything. Calls take it themselves; whatever compiles,
 * sleeps or calls the application back lets go of it meanwhile.
 *
 * Memory of handles is never given back: a released handle is known as such
 * for good. With STUB_REUSE=1 the next handle of that kind gets its address.
 */
#ifndef TESTS_STUB_OBJECT_H
#define TESTS_STUB_OBJECT_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum stub_kind {
	STUB_PLATFORM,
	STUB_DEVICE,
	STUB_CONTEXT,
	STUB_QUEUE,
	STUB_MEMORY,
	STUB_PROGRAM,
	STUB_KERNEL,
	STUB_EVENT,
	STUB_KINDS,
};

struct stub_object {
	const void *dispatch;
	void *dispatch_data; /* of loaders that know cl_khr_icd 2 */
	enum stub_kind kind;
	bool alive;
	/* The application's references; what holds an object else is in it. */
	cl_uint references;
	struct stub_object *next_free;
};

void stub_lock(void);
void stub_unlock(void);

/*
 * A new object of `size` bytes, zeroed but for its head, with one reference
 * and the dispatch words of `like`. Never NULL.
 */
void *stub_object_new(enum stub_kind kind, size_t size,
		      const struct stub_object *like);

/* The handle is invalid from now on. */
void stub_object_end(struct stub_object *object);

/*
 * Is this a live handle of that kind? Doesn't look into what isn't one of
 * ours. With STUB_STRICT=1 a released handle ends the process.
 */
bool stub_is(const void *handle, enum stub_kind kind);

/* How many objects of the kind are alive. */
size_t stub_objects_alive(enum stub_kind kind);

/* Calls `visit` for each live object of the kind. */
void stub_objects_visit(enum stub_kind kind,
			void (*visit)(struct stub_object *object, void *data),
			void *data);

/* A line on standard error, and abort(). */
__attribute__((noreturn, format(printf, 1, 2))) void stub_die(
	const char *format, ...);

/* Memory or the end of the process. */
void *stub_allocate(size_t count, size_t size);
char *stub_copy(const void *bytes, size_t size); /* NUL-terminated */

#endif
