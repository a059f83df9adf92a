/* SPDX-License-Identifier: MIT */
/*
 * Callbacks that call: what each does is drawn when it is registered, and what
 * it was answered is written down at the end. Whatever it uses it has a
 * reference on.
 */
#ifndef TESTS_LAYER_SEQUENCE_CALLBACKS_H
#define TESTS_LAYER_SEQUENCE_CALLBACKS_H

#include <stdatomic.h>
#include <time.h>

#include "tests/layer/sequence.h"

enum action {
	ACT_NOTHING,
	ACT_STATUS,   /* ask what it is called for */
	ACT_COMPLETE, /* a user event */
	ACT_COMPLETE_TWICE,
	ACT_ASK,   /* a kernel's arguments */
	ACT_BUILD, /* another program, and a kernel of it */
	ACT_MEMORY,
	ACT_REFERENCE, /* on what it is called for, and back */
	ACT_RELEASE,   /* what it is called for */
	ACT_END
};

/* What it is called for. */
enum cause {
	FOR_BUILD,
	FOR_LINK,
	FOR_EVENT,
	FOR_RELEASE,
	FOR_MEMORY,
	FOR_CONTEXT
};

struct callback {
	const struct world *world;
	int number;
	enum cause cause;
	enum action actions[ACTIONS];
	cl_event event;	  /* a user event to complete */
	cl_kernel kernel; /* to ask about */
	cl_program program;
	int extra; /* references to release, of what it is called for */
	FILE *out;
	char *text;
	size_t text_size;
	atomic_int called;
};

static inline void act_on_program(struct callback *callback, cl_program handle,
				  enum action action)
{
	if (action == ACT_STATUS)
		fprintf(callback->out, " status %d",
			build_status(callback->world, handle));
	else if (action == ACT_REFERENCE && !clRetainProgram(handle))
		fprintf(callback->out, " retained, released %d",
			clReleaseProgram(handle));
	else if (action == ACT_RELEASE && callback->extra-- > 0)
		fprintf(callback->out, " gone %d", clReleaseProgram(handle));
}

static inline void act_build(struct callback *callback)
{
	const char *source = sources[1];
	cl_int codes[3] = {0, 0, 0};
	cl_kernel kernel = NULL;
	cl_program program;

	program = clCreateProgramWithSource(callback->world->context, 1,
					    &source, NULL, &codes[0]);
	if (program)
		codes[1] = clBuildProgram(program, 1, &callback->world->device,
					  "-DN=77", NULL, NULL);
	if (program && !codes[1])
		kernel = clCreateKernel(program, "scale", &codes[2]);
	if (kernel)
		clReleaseKernel(kernel);
	if (program)
		clReleaseProgram(program);
	fprintf(callback->out, " made %d built %d kernel %d", codes[0],
		codes[1], codes[2]);
}

static inline void act(struct callback *callback, cl_program handle,
		       enum action action)
{
	cl_int code;
	cl_mem buffer;

	switch (action) {
	case ACT_COMPLETE_TWICE:
		if (callback->event)
			fprintf(callback->out, " first %d",
				clSetUserEventStatus(callback->event,
						     CL_COMPLETE));
		/* fall through */
	case ACT_COMPLETE:
		if (callback->event)
			fprintf(callback->out, " completed %d",
				clSetUserEventStatus(callback->event,
						     CL_COMPLETE));
		break;
	case ACT_ASK:
		if (callback->kernel)
			show_kernel(callback->out, callback->world,
				    callback->kernel, callback->program);
		break;
	case ACT_BUILD:
		act_build(callback);
		break;
	case ACT_MEMORY:
		buffer = clCreateBuffer(callback->world->context, 0, 64, NULL,
					&code);
		fprintf(callback->out, " buffer %d", code);
		if (buffer)
			clReleaseMemObject(buffer);
		break;
	default:
		if (handle)
			act_on_program(callback, handle, action);
	}
}

static inline void be_called(struct callback *callback, cl_program handle)
{
	fprintf(callback->out, "callback %d:", callback->number);
	for (int i = 0; i < ACTIONS; i++)
		act(callback, handle, callback->actions[i]);
	fputc('\n', callback->out);
	fflush(callback->out);
	atomic_fetch_add(&callback->called, 1);
}

static void CL_CALLBACK on_built(cl_program handle, void *data)
{
	be_called(data, handle);
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	be_called(data, NULL);
}

static void CL_CALLBACK on_release(cl_program handle, void *data)
{
	(void)handle;
	be_called(data, NULL);
}

static void CL_CALLBACK on_memory(cl_mem handle, void *data)
{
	(void)handle;
	be_called(data, NULL);
}

static void CL_CALLBACK on_context(cl_context handle, void *data)
{
	(void)handle;
	be_called(data, NULL);
}

/* Is the action one for this cause? */
static inline bool fits(enum cause cause, enum action action)
{
	/* Nobody has the program yet. */
	if (cause == FOR_LINK && action == ACT_RELEASE)
		return false;
	/* The context is gone, or as good as gone. */
	if (cause == FOR_CONTEXT)
		return action == ACT_ASK || action == ACT_COMPLETE;
	return true;
}

/* Draws one; NULL: there have been enough. Its kernel and event are retained.
 */
static inline struct callback *draw_callback(struct player *player,
					     enum cause cause, cl_event event)
{
	struct kernel_slot *slot = &player->kernels[roll(player, KERNELS)];
	struct callback *callback;

	if (player->callback_count == CALLBACKS)
		return NULL;
	callback = calloc(1, sizeof(*callback));
	if (!callback)
		die("out of memory");
	callback->world = player->world;
	callback->number = player->callback_count;
	callback->cause = cause;
	for (int i = 0; i < ACTIONS; i++) {
		enum action action = roll(player, ACT_END);

		if (fits(cause, action))
			callback->actions[i] = action;
	}
	if (event && !clRetainEvent(event))
		callback->event = event;
	if (slot->handle && !clRetainKernel(slot->handle)) {
		callback->kernel = slot->handle;
		callback->program = slot->program;
	}
	callback->out = open_memstream(&callback->text, &callback->text_size);
	player->made[player->callback_count++] = callback;
	return callback;
}

/* A driver may call later, or elsewhere. */
static inline void await(const struct callback *callback)
{
	const struct timespec moment = {0, 1000000};

	for (int i = 0; i < 3000 && !atomic_load(&callback->called); i++)
		nanosleep(&moment, NULL);
}

static inline void let_go(struct callback *callback)
{
	if (callback->kernel)
		clReleaseKernel(callback->kernel);
	if (callback->event)
		clReleaseEvent(callback->event);
	callback->kernel = NULL;
	callback->event = NULL;
}

#endif
