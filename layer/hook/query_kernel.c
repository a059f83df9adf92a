/* SPDX-License-Identifier: MIT */
/*
 * Queries of kernels. Of one that was made from a shadow program, what binaries
 * lose is answered from the entry, or else by materialising.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/description.h"
#include "cache/driver/driver.h"
#include "cache/entry.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/driver/device.h"
#include "layer/hook/hooks.h"
#include "layer/hook/reply.h"
#include "layer/key/build_key.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/callback.h"
#include "layer/serve/describe.h"
#include "layer/serve/sync_driver.h"

/* A kernel that the layer made from a shadow program. */
struct served_kernel {
	cl_kernel handle;
	char *name;
	struct occ_program *program; /* pinned */
	struct occ_shadow *shadow;   /* retained */
};

/* False: the kernel is the driver's own program's, or isn't known. */
static bool take_kernel(cl_kernel handle, struct served_kernel *ret_served)
{
	struct occ_kernel *kernel;

	memset(ret_served, 0, sizeof(*ret_served));
	ret_served->handle = handle;
	occ_lock();
	kernel = occ_kernel_find_locked(handle);
	if (kernel && kernel->shadow) {
		ret_served->shadow = occ_shadow_retain(kernel->shadow);
		ret_served->program = occ_program_pin(kernel->program);
	}
	occ_unlock();
	return ret_served->shadow;
}

static void release_kernel(struct served_kernel *served)
{
	free(served->name);
	occ_shadow_release(served->shadow);
	occ_program_unpin(served->program);
}

/* The kernel of the same name in a program that was really built, or NULL. */
static cl_kernel materialise(const struct served_kernel *served,
			     const char *what)
{
	cl_program program =
		served->name ? occ_sync_materialise(served->shadow, what)
			     : NULL;
	cl_kernel kernel = NULL;

	if (program)
		kernel = occ_target.clCreateKernel(program, served->name, NULL);
	if (kernel)
		occ_describe_materialised(kernel, served->program,
					  served->shadow);
	return kernel;
}

/*
 * How a driver refuses a buffer that is too small, is its own; for arguments
 * as for attributes.
 */
static cl_int answer_described(cl_kernel kernel, const struct occ_reply *reply,
			       const struct occ_answer *found)
{
	size_t size = SIZE_MAX;
	char nowhere;
	cl_int error;

	if (found->code)
		return found->code;
	if (occ_reply_give(reply, found->bytes))
		return CL_SUCCESS;
	error = occ_target.clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, 0,
					   &nowhere, &size);
	if (error && size != SIZE_MAX && reply->size_ret)
		*reply->size_ret = found->bytes.size;
	return error ? error : CL_INVALID_VALUE;
}

static cl_int ask_driver(cl_kernel kernel,
			 const struct occ_kernel_question *question,
			 const struct occ_reply *reply)
{
	return occ_describe_ask(kernel, question, reply->capacity, reply->value,
				reply->size_ret);
}

/*
 * What the standard says of a question that no described kernel answers: to be
 * said where the driver can't be asked.
 */
static cl_int refusal_of(const struct occ_kernel_question *question)
{
	return question->name >= CL_KERNEL_ARG_ADDRESS_QUALIFIER &&
			       question->name <= CL_KERNEL_ARG_NAME
		       ? CL_INVALID_ARG_INDEX
		       : CL_INVALID_VALUE;
}

/* Answers attributes or an argument from the entry; false: it has neither. */
static bool answer_from_entry(const struct served_kernel *served,
			      const struct occ_kernel_question *question,
			      const struct occ_reply *reply, cl_int *ret_error)
{
	struct occ_answer found;
	struct occ_span kernel;
	unsigned char *memory = NULL;
	bool described = served->name &&
			 occ_describe_find(served->program, served->shadow,
					   served->name, &kernel, &memory);
	bool has = described;

	if (has && question->argument)
		has = occ_description_argument(kernel, question->index,
					       question->name, &found);
	else if (has)
		has = occ_description_attributes(kernel, &found);
	if (has)
		*ret_error = answer_described(served->handle, reply, &found);
	free(memory);
	if (has || !described || !question->argument ||
	    !occ_callback_blocks(
		    occ_build_key_driver(served->shadow->build_key)))
		return has;
	*ret_error = refusal_of(question);
	return true;
}

/*
 * Attributes, and arguments of which the driver has no info: PoCL's and Intel's
 * binaries lose them. Empty attributes may be the truth; only the compiler's
 * kernel can tell.
 */
static cl_int answer_served(struct served_kernel *served,
			    const struct occ_kernel_question *question,
			    const struct occ_reply *reply)
{
	cl_kernel real = NULL;
	size_t size = 0;
	cl_int error;

	served->name = occ_kernel_name(served->handle);
	if (answer_from_entry(served, question, reply, &error))
		return error;
	if (question->argument)
		real = materialise(served, "argument info");
	else if (!occ_target.clGetKernelInfo(served->handle,
					     CL_KERNEL_ATTRIBUTES, 0, NULL,
					     &size) &&
		 size <= 1 &&
		 !occ_build_key_driver(served->shadow->build_key)
			  ->binary_keeps_kernels)
		real = materialise(served, "kernel attributes");
	if (!real && question->argument)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	error = ask_driver(real ? real : served->handle, question, reply);
	if (real)
		occ_target.clReleaseKernel(real);
	return error;
}

cl_int CL_API_CALL occ_get_kernel_info(cl_kernel kernel,
				       cl_kernel_info param_name,
				       size_t param_value_size,
				       void *param_value,
				       size_t *param_value_size_ret)
{
	const struct occ_kernel_question question = {.name = param_name};
	const struct occ_reply reply = {param_value_size, param_value,
					param_value_size_ret};
	struct served_kernel served;
	cl_int error;

	if ((param_name != CL_KERNEL_PROGRAM &&
	     param_name != CL_KERNEL_ATTRIBUTES) ||
	    !take_kernel(kernel, &served))
		return ask_driver(kernel, &question, &reply);
	if (param_name == CL_KERNEL_ATTRIBUTES) {
		error = answer_served(&served, &question, &reply);
	} else {
		error = ask_driver(kernel, &question, &reply);
		if (!error && param_value)
			*(cl_program *)param_value = served.program->handle;
	}
	release_kernel(&served);
	return error;
}

cl_int CL_API_CALL occ_get_kernel_arg_info(cl_kernel kernel, cl_uint arg_index,
					   cl_kernel_arg_info param_name,
					   size_t param_value_size,
					   void *param_value,
					   size_t *param_value_size_ret)
{
	const struct occ_kernel_question question = {true, arg_index,
						     param_name};
	const struct occ_reply reply = {param_value_size, param_value,
					param_value_size_ret};
	struct served_kernel served;
	cl_int error = ask_driver(kernel, &question, &reply);

	if (error != CL_KERNEL_ARG_INFO_NOT_AVAILABLE ||
	    !take_kernel(kernel, &served))
		return error;
	error = answer_served(&served, &question, &reply);
	release_kernel(&served);
	return error;
}

/* What the driver would say of a compiled kernel, where it said 0. */
static void mend_multiple(const struct served_kernel *served,
			  cl_device_id device, size_t *multiple)
{
	const struct occ_build_key *build_key = served->shadow->build_key;
	size_t answer;

	if (occ_build_key_driver(build_key)->binary_loses_multiple &&
	    !occ_target.clGetDeviceInfo(
		    device ? device : build_key->devices[0],
		    CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
		    sizeof(answer), &answer, NULL))
		*multiple = answer;
}

cl_int CL_API_CALL occ_get_kernel_work_group_info(
	cl_kernel kernel, cl_device_id device,
	cl_kernel_work_group_info param_name, size_t param_value_size,
	void *param_value, size_t *param_value_size_ret)
{
	cl_int error =
		occ_target.clGetKernelWorkGroupInfo(kernel, device, param_name,
						    param_value_size,
						    param_value,
						    param_value_size_ret);
	struct served_kernel served;
	size_t multiple;

	if (error ||
	    param_name != CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE ||
	    !param_value)
		return error;
	memcpy(&multiple, param_value, sizeof(multiple));
	if (!multiple && take_kernel(kernel, &served)) {
		mend_multiple(&served, device, &multiple);
		memcpy(param_value, &multiple, sizeof(multiple));
		release_kernel(&served);
	}
	return error;
}
