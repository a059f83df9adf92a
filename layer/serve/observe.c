/* SPDX-License-Identifier: MIT */
#include "layer/serve/observe.h"

#include "cache/driver/driver.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/driver/driver_traits.h"

/*
 * The driver, and the count that it should answer; NULL when that isn't wanted,
 * or the layer can't know all references.
 */
static const struct occ_driver *expected_count(
	const struct occ_program *program, cl_uint *ret_count)
{
	const struct occ_driver *driver;
	bool known;

	occ_lock();
	driver = program->driver;
	known = driver && driver->learnt && program->driver_built &&
		!program->state.shadow && !program->kernel_holds &&
		!program->building &&
		occ_driver_traits_wants_counts_locked(driver);
	*ret_count = program->references + program->holds;
	if (known && driver->counts_kernels)
		*ret_count += program->kernels;
	occ_unlock();
	return known ? driver : NULL;
}

void occ_observe_kernel(struct occ_program *program)
{
	cl_uint before, after, count = 0;
	const struct occ_driver *driver = expected_count(program, &before);
	cl_device_id contradicted_by = NULL;

	/* Another thread may be in between two steps. */
	if (!driver ||
	    occ_target.clGetProgramInfo(program->handle,
					CL_PROGRAM_REFERENCE_COUNT,
					sizeof(count), &count, NULL) ||
	    !expected_count(program, &after) || before != after)
		return;
	occ_lock();
	if (count != before && program->state.made)
		contradicted_by = program->state.made->identities[0]->device;
	occ_unlock();
	occ_driver_traits_note_count(driver, contradicted_by);
}
