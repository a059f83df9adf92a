/* SPDX-License-Identifier: MIT */
#include "layer/serve/describe.h"

#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/error.h"
#include "cache/memory.h"
#include "cache/store.h"
#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/driver/device.h"
#include "layer/key/build_key.h"
#include "layer/object/program_pool.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/remote_offer.h"
#include "layer/serve/stats.h"

cl_int occ_describe_ask(cl_kernel kernel,
			const struct occ_kernel_question *question,
			size_t capacity, void *value, size_t *ret_size)
{
	if (question->argument)
		return occ_target.clGetKernelArgInfo(kernel, question->index,
						     question->name, capacity,
						     value, ret_size);
	return occ_target.clGetKernelInfo(kernel, question->name, capacity,
					  value, ret_size);
}

/* Adds the answer, whatever it is. */
static void add_answer(struct occ_buffer *descriptions, cl_kernel kernel,
		       const struct occ_kernel_question *question)
{
	size_t size = 0;
	cl_int code = occ_describe_ask(kernel, question, 0, NULL, &size);
	unsigned char *value = calloc(1, size + 1);
	struct occ_answer answer;

	if (!value)
		return;
	if (!code)
		code = occ_describe_ask(kernel, question, size, value, NULL);
	answer = (struct occ_answer){code, {value, code ? 0 : size}};
	if (question->argument)
		occ_description_add_argument(descriptions, question->index,
					     question->name, answer);
	else
		occ_description_add_attributes(descriptions, answer);
	free(value);
}

static void add_arguments(struct occ_buffer *descriptions, cl_kernel kernel)
{
	static const cl_kernel_arg_info names[] = {
		CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER,
		CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER,
		CL_KERNEL_ARG_NAME};
	cl_uint count = 0;

	if (!occ_target.clGetKernelArgInfo ||
	    occ_target.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS,
				       sizeof(count), &count, NULL))
		return;
	occ_description_add_argument_count(descriptions, count);
	for (cl_uint i = 0; i < count; i++)
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			add_answer(descriptions, kernel,
				   &(struct occ_kernel_question){true, i,
								 names[n]});
}

/*
 * Is a kernel of this name to be described for the program in the state that
 * `made` made? Lock held.
 */
static bool is_new_locked(const struct occ_program *program,
			  const struct occ_build_key *made, const char *name)
{
	struct occ_span known = occ_buffer_span(&program->state.described);
	struct occ_span kernel;

	return made && program->state.made == made &&
	       !occ_description_find_kernel(known, name, strlen(name), &kernel);
}

/* Describes the kernel for that state, unless it has been. */
static void record_description(cl_kernel kernel, struct occ_program *program,
			       const struct occ_build_key *made)
{
	struct occ_buffer descriptions = OCC_BUFFER_INIT;
	char *name = occ_kernel_name(kernel);
	size_t start;
	bool wanted;

	if (!name)
		return;
	occ_lock();
	wanted = is_new_locked(program, made, name);
	occ_unlock();
	if (wanted) {
		start = occ_description_begin(&descriptions, name,
					      strlen(name));
		add_answer(&descriptions, kernel,
			   &(struct occ_kernel_question){
				   .name = CL_KERNEL_ATTRIBUTES});
		add_arguments(&descriptions, kernel);
		occ_description_end(&descriptions, start);
	}
	occ_lock();
	if (wanted && !descriptions.failed &&
	    is_new_locked(program, made, name))
		occ_buffer_append(&program->state.described, descriptions.data,
				  descriptions.size);
	occ_unlock();
	occ_buffer_release(&descriptions);
	free(name);
	occ_exit_watch();
}

void occ_describe_kernel(cl_kernel kernel, struct occ_program *program)
{
	struct occ_build_key *made = NULL;

	if (occ_settings.store_policy == OCC_STORE_NEVER)
		return;
	occ_lock();
	if (program->state.made && !program->state.shadow)
		made = occ_build_key_retain(program->state.made);
	occ_unlock();
	if (made && !occ_build_key_driver(made)->binary_keeps_kernels)
		record_description(kernel, program, made);
	occ_build_key_release(made);
}

void occ_describe_materialised(cl_kernel real, struct occ_program *program,
			       const struct occ_shadow *shadow)
{
	if (occ_settings.store_policy != OCC_STORE_NEVER)
		record_description(real, program, shadow->build_key);
}

bool occ_describe_find(struct occ_program *program,
		       const struct occ_shadow *shadow, const char *name,
		       struct occ_span *ret_kernel, unsigned char **ret_memory)
{
	struct occ_span found;

	*ret_memory = NULL;
	if (occ_description_find_kernel(shadow->kernel_descriptions, name,
					strlen(name), ret_kernel))
		return true;
	occ_lock();
	if (program->state.made == shadow->build_key &&
	    occ_description_find_kernel(occ_buffer_span(
						&program->state.described),
					name, strlen(name), &found))
		*ret_memory = malloc(found.size ? found.size : 1);
	if (*ret_memory)
		memcpy(*ret_memory, found.data, found.size);
	occ_unlock();
	if (*ret_memory)
		*ret_kernel = (struct occ_span){*ret_memory, found.size};
	return *ret_memory != NULL;
}

static bool merge_descriptions(struct occ_span old_metadata,
			       struct occ_buffer *new_metadata, void *data)
{
	static const struct occ_span none = {NULL, 0};

	return occ_description_complete(old_metadata, occ_buffer_span(data),
					none, new_metadata);
}

/* What an entry is to be completed with. */
struct completion {
	struct occ_task task; /* first: tasks are these */
	struct occ_build_key *build_key;
	cl_uint device;
	struct occ_buffer descriptions;
};

static void run_completion(struct occ_task *task)
{
	struct completion *completion = (struct completion *)task;
	const struct occ_build_key *build_key = completion->build_key;
	const struct occ_key *key = &build_key->keys[completion->device];
	uint64_t start = occ_log_now();
	int error;

	if (!completion->descriptions.failed) {
		error = occ_store_complete(occ_stores(), key,
					   merge_descriptions,
					   &completion->descriptions);
		occ_stats_completed(error);
		occ_log_trace(&(struct occ_trace){
			.event = "store",
			.hash = &key->hash,
			.device =
				build_key->identities[completion->device]->name,
			.result = error ? "not completed" : "completed",
			.reason = error ? occ_error_string(error)
					: "kernels described",
			.bytes = completion->descriptions.size,
			.since = start,
		});
		if (!error)
			occ_remote_offer_changed(completion->build_key,
						 completion->device);
	}
	occ_buffer_release(&completion->descriptions);
	occ_build_key_release(completion->build_key);
	free(completion);
}

void occ_describe_complete(struct occ_build_key *build_key,
			   const struct occ_buffer *descriptions)
{
	struct occ_buffer borrowed = *descriptions;

	if (!descriptions->size || descriptions->failed)
		return;
	for (cl_uint i = 0; i < build_key->device_count; i++)
		occ_memory_complete(&build_key->keys[i], merge_descriptions,
				    &borrowed);
	/* It has the old ones. */
	occ_pool_forget(build_key);
	for (cl_uint i = 0;
	     occ_stores_is_written() && i < build_key->device_count; i++) {
		struct completion *completion = calloc(1, sizeof(*completion));

		if (!completion)
			return;
		completion->task.run = run_completion;
		completion->task.hash = build_key->keys[i].hash;
		completion->task.bytes = descriptions->size;
		completion->build_key = occ_build_key_retain(build_key);
		completion->device = i;
		occ_buffer_append(&completion->descriptions, descriptions->data,
				  descriptions->size);
		occ_writer_add(&completion->task);
	}
}
