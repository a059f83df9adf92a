/* SPDX-License-Identifier: MIT */
#include "layer/key/build_key_entry.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "layer/key/build_key_make.h"
#include "layer/key/environment.h"

/* The first field with this id, as it is stored; and where it begins. */
static bool find_field(struct occ_span key, uint16_t id,
		       struct occ_field *ret_field, size_t *ret_start)
{
	size_t offset = 0;

	do {
		*ret_start = offset;
		if (occ_field_next(key.data, key.size, &offset, ret_field) != 1)
			return false;
	} while (ret_field->id != id);
	return true;
}

static bool is_named(const struct occ_field *field, const char *name)
{
	return field->kind == OCC_FIELD_BYTES &&
	       field->length == strlen(name) &&
	       !memcmp(field->payload, name, strlen(name));
}

/* False: it makes nothing that runs. */
static bool take_operation(struct occ_build_key *build_key, struct occ_span key)
{
	struct occ_field field;
	size_t start;

	if (!find_field(key, OCC_KEY_OPERATION, &field, &start))
		return false;
	build_key->operation = is_named(&field, "link") ? OCC_LINK : OCC_BUILD;
	return build_key->operation == OCC_LINK || is_named(&field, "build");
}

/* Are the identity's fields among the key's, one behind the other? */
static bool is_of(struct occ_span key, const struct occ_identity *identity)
{
	struct occ_field first;
	struct occ_key own;
	size_t start;
	bool same;

	occ_key_init(&own);
	occ_identity_add(identity, &own);
	same = !occ_key_finish(&own) && own.stored.size &&
	       find_field(key, occ_get_u16(own.stored.data), &first, &start) &&
	       key.size - start >= own.stored.size &&
	       !memcmp(key.data + start, own.stored.data, own.stored.size);
	occ_key_release(&own);
	return same;
}

/* Is the driver's environment the one in the key? */
static bool has_environment(struct occ_span key,
			    const struct occ_driver *driver)
{
	struct occ_environment environment;
	struct occ_field field;
	size_t start;

	return !occ_environment_take_seen(driver, &environment) &&
	       find_field(key, OCC_KEY_ENVIRONMENT, &field, &start) &&
	       field.kind == OCC_FIELD_BYTES &&
	       occ_span_equal(occ_field_span(&field),
			      occ_buffer_span(environment.variables));
}

/* Without them a key has none; longer ones only their digest. */
static bool take_options(struct occ_build_key *build_key, struct occ_span key)
{
	struct occ_field field;
	size_t start;

	build_key->none_given =
		!find_field(key, OCC_KEY_OPTIONS, &field, &start);
	if (build_key->none_given)
		build_key->given = strdup("");
	else if (field.kind == OCC_FIELD_BYTES)
		build_key->given =
			strndup((const char *)field.payload, field.length);
	return build_key->given;
}

static bool take_device(struct occ_build_key *build_key, cl_uint i,
			cl_device_id device, const struct occ_entry *entry)
{
	const struct occ_identity *identity = occ_identity_foresee(device);

	build_key->device_count = i + 1;
	build_key->devices[i] = device;
	build_key->identities[i] = identity;
	occ_key_init(&build_key->keys[i]);
	/* Of a driver without a record the first load is a trial. */
	if (!identity || identity->traits || identity->unread ||
	    identity->driver != build_key->identities[0]->driver ||
	    !take_operation(build_key, entry->key) ||
	    !is_of(entry->key, identity))
		return false;
	occ_buffer_append(&build_key->keys[i].stored, entry->key.data,
			  entry->key.size);
	build_key->keys[i].hash = entry->hash;
	return !build_key->keys[i].stored.failed;
}

static bool fill(struct occ_build_key *build_key, cl_uint count,
		 const cl_device_id *devices, struct occ_kept *const *entries)
{
	build_key->devices = calloc(count, sizeof(*build_key->devices));
	build_key->identities = calloc(count, sizeof(*build_key->identities));
	build_key->keys = calloc(count, sizeof(*build_key->keys));
	if (!build_key->devices || !build_key->identities || !build_key->keys)
		return false;
	for (cl_uint i = 0; i < count; i++)
		if (!take_device(build_key, i, devices[i], &entries[i]->entry))
			return false;
	return has_environment(entries[0]->entry.key,
			       build_key->identities[0]->driver) &&
	       !occ_build_key_refusal(build_key) &&
	       take_options(build_key, entries[0]->entry.key);
}

struct occ_build_key *occ_build_key_of_entries(cl_context context,
					       cl_uint device_count,
					       const cl_device_id *devices,
					       struct occ_kept *const *entries)
{
	struct occ_build_key *build_key = calloc(1, sizeof(*build_key));

	if (!build_key)
		return NULL;
	build_key->references = 1;
	build_key->context = context;
	if (fill(build_key, device_count, devices, entries))
		return build_key;
	occ_build_key_release(build_key);
	return NULL;
}
