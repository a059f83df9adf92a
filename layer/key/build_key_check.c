/* SPDX-License-Identifier: MIT */
#include "layer/key/build_key_check.h"

#include <string.h>

#include "hash/closure.h"
#include "hash/digest.h"
#include "layer/driver/identity.h"
#include "layer/key/environment.h"
#include "layer/key/include_search.h"

/* *ret_stamp: when what is included was so. */
static bool is_current(const struct occ_build_key *build_key,
		       struct occ_digest *ret_stamp)
{
	struct occ_include_search now;
	bool same;

	if (!occ_environment_stable(occ_build_key_driver(build_key)))
		return false;
	*ret_stamp = build_key->closure_stamp;
	/* Nothing was looked for: nothing can be found. */
	if (!build_key->closure.fields.size && !build_key->closure.absent.size)
		return true;
	same = !occ_include_search_make(build_key, true, &now) &&
	       occ_closure_equal(&now.closure, &build_key->closure);
	*ret_stamp = now.stamp;
	occ_include_search_release(&now);
	if (!same && build_key->recalled)
		occ_include_search_forget(build_key);
	return same;
}

bool occ_build_key_current(const struct occ_build_key *build_key)
{
	struct occ_digest stamp;

	return is_current(build_key, &stamp);
}

bool occ_build_key_undisturbed(const struct occ_build_key *build_key)
{
	static const struct occ_digest unknown;
	struct occ_digest stamp;

	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (!occ_identity_current(build_key->identities[i]))
			return false;
	if (!is_current(build_key, &stamp) ||
	    memcmp(&stamp, &build_key->closure_stamp, sizeof(stamp)) != 0)
		return false;
	/* Nothing was included, or out of memory. */
	return (!build_key->closure.fields.size &&
		!build_key->closure.absent.size) ||
	       memcmp(&stamp, &unknown, sizeof(stamp)) != 0;
}
