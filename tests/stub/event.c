/* SPDX-License-Identifier: MIT */
/* Events of commands that are done already. */
#include "tests/stub/answer.h"
#include "tests/stub/calls.h"
#include "tests/stub/queue.h"

struct _cl_event {
	struct stub_object object;
	cl_command_queue queue;
	cl_context context;
	cl_command_type type;
};

void stub_event_make(cl_command_queue queue, cl_command_type type,
		     cl_event *ret_event)
{
	cl_event event;

	if (!ret_event)
		return;
	event = stub_object_new(STUB_EVENT, sizeof(*event), &queue->object);
	event->queue = queue;
	event->context = queue->context;
	event->type = type;
	stub_context_hold(event->context);
	*ret_event = event;
}

cl_int stub_events_check(cl_uint count, const cl_event *events)
{
	if (!count != !events)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < count; i++)
		if (!stub_is(events[i], STUB_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
	return CL_SUCCESS;
}

cl_int CL_API_CALL stub_wait_for_events(cl_uint count, const cl_event *events)
{
	cl_int code;

	if (!count || !events)
		return CL_INVALID_VALUE;
	stub_lock();
	code = stub_events_check(count, events);
	stub_unlock();
	return code == CL_SUCCESS ? code : CL_INVALID_EVENT;
}

cl_int CL_API_CALL stub_retain_event(cl_event event)
{
	cl_int code = CL_INVALID_EVENT;

	stub_lock();
	if (stub_is(event, STUB_EVENT)) {
		event->object.references++;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_release_event(cl_event event)
{
	cl_int code = CL_INVALID_EVENT;

	stub_lock();
	if (stub_is(event, STUB_EVENT)) {
		code = CL_SUCCESS;
		if (!--event->object.references) {
			stub_object_end(&event->object);
			stub_context_drop(event->context);
		}
	}
	stub_unlock();
	return code;
}

static cl_int answer_event(const struct stub_answer *answer, cl_event event,
			   cl_event_info name)
{
	switch (name) {
	case CL_EVENT_COMMAND_QUEUE:
		return stub_answer_handle(answer, event->queue);
	case CL_EVENT_CONTEXT:
		return stub_answer_handle(answer, event->context);
	case CL_EVENT_COMMAND_TYPE:
		return stub_answer_uint(answer, event->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		return stub_answer_uint(answer, CL_COMPLETE);
	case CL_EVENT_REFERENCE_COUNT:
		return stub_answer_uint(answer, event->object.references);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_event_info(cl_event event, cl_event_info name,
				       size_t room, void *value,
				       size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_EVENT;

	stub_lock();
	if (stub_is(event, STUB_EVENT))
		code = answer_event(&answer, event, name);
	stub_unlock();
	return code;
}

/* Time stands still. */
cl_int CL_API_CALL stub_get_event_profiling_info(cl_event event,
						 cl_profiling_info name,
						 size_t room, void *value,
						 size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_EVENT;

	(void)name;
	stub_lock();
	if (stub_is(event, STUB_EVENT))
		code = stub_answer_ulong(&answer, 1);
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_set_event_callback(
	cl_event event, cl_int type,
	void(CL_CALLBACK *notify)(cl_event event, cl_int status, void *data),
	void *user_data)
{
	bool good;

	stub_lock();
	good = stub_is(event, STUB_EVENT);
	stub_unlock();
	if (!good)
		return CL_INVALID_EVENT;
	if (!notify)
		return CL_INVALID_VALUE;
	notify(event, type, user_data);
	return CL_SUCCESS;
}
