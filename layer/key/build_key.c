/* SPDX-License-Identifier: MIT */
#include "layer/key/build_key.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"

bool occ_build_key_is_unread(const struct occ_build_key *build_key)
{
	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (build_key->identities[i]->unread)
			return true;
	return false;
}

struct occ_build_key *occ_build_key_retain(struct occ_build_key *build_key)
{
	__atomic_add_fetch(&build_key->references, 1, __ATOMIC_RELAXED);
	return build_key;
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX */
static void release_lists(struct occ_build_key *build_key)
{
	for (cl_uint i = 0; i < build_key->device_count; i++)
		occ_key_release(&build_key->keys[i]);
	for (cl_uint i = 0; i < build_key->header_count; i++) {
		free(build_key->headers[i].name);
		occ_input_release(build_key->headers[i].input);
	}
	for (cl_uint i = 0; i < build_key->link_input_count; i++) {
		occ_build_key_release(build_key->link_inputs[i].build_key);
		occ_binaries_release(build_key->link_inputs[i].binaries);
	}
	free(build_key->headers);
	free(build_key->link_inputs);
	free(build_key->keys);
	free(build_key->identities);
	free(build_key->devices);
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX */
void occ_build_key_release(struct occ_build_key *build_key)
{
	if (!build_key ||
	    __atomic_sub_fetch(&build_key->references, 1, __ATOMIC_ACQ_REL))
		return;
	release_lists(build_key);
	occ_closure_release(&build_key->closure);
	occ_buffer_release(&build_key->looks);
	occ_buffer_release(&build_key->directories);
	occ_buffer_release(&build_key->environment);
	occ_spec_constants_release(&build_key->constants);
	free(build_key->given);
	free(build_key->options);
	free(build_key->bypass);
	occ_input_release(build_key->input);
	free(build_key);
}

bool occ_build_key_equal(const struct occ_build_key *a,
			 const struct occ_build_key *b)
{
	if (a == b)
		return true;
	if (a->context != b->context || a->operation != b->operation ||
	    a->device_count != b->device_count)
		return false;
	for (cl_uint i = 0; i < a->device_count; i++) {
		if (a->devices[i] != b->devices[i] ||
		    memcmp(&a->keys[i].hash, &b->keys[i].hash,
			   sizeof(a->keys[i].hash)) != 0 ||
		    !occ_span_equal(occ_buffer_span(&a->keys[i].stored),
				    occ_buffer_span(&b->keys[i].stored)))
			return false;
	}
	return true;
}

const char *occ_build_key_given_options(const struct occ_build_key *build_key)
{
	return build_key->none_given &&
			       occ_build_key_driver(build_key)->tells_no_options
		       ? NULL
		       : build_key->given;
}

const char *occ_build_key_driver_options(const struct occ_build_key *build_key)
{
	return build_key->bypass ? build_key->bypass
				 : occ_build_key_given_options(build_key);
}

const struct occ_driver *occ_build_key_driver(
	const struct occ_build_key *build_key)
{
	return build_key->identities[0]->driver;
}
