/* SPDX-License-Identifier: MIT */
#include "layer/driver/identity.h"

#include <stdlib.h>
#include <string.h>

#include "cache/traits.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/driver/background_read.h"
#include "layer/driver/device.h"
#include "layer/driver/driver_files.h"
#include "layer/driver/driver_traits.h"
#include "layer/driver/fingerprint.h"
#include "layer/driver/identity_make.h"

static struct occ_known_identity *list;

/* Those that nobody has asked for; taken out by who is first. */
static struct occ_known_identity *prepared;

/*
 * Those that are of programs loaded ahead alone: made for these, or prepared
 * and out of date when the first build came.
 */
static struct occ_known_identity *foreseen;

/* Could it be whole by now? Under the lock. */
static bool is_obsolete_locked(const struct occ_known_identity *known)
{
	if (known->reading)
		return occ_background_read_done_locked(known->reading);
	if (known->identity.unread)
		return !known->to_read;
	return !known->identity.whole &&
	       occ_driver_traits_knows_libraries(known->identity.traits);
}

/* The first of the device's from there on, or NULL. Under the lock. */
static struct occ_known_identity *next_of_locked(
	struct occ_known_identity *known, cl_device_id device)
{
	while (known && known->identity.device != device)
		known = known->next;
	return known;
}

/* NULL: it isn't prepared, or no more. */
static struct occ_known_identity *take_prepared(cl_device_id device)
{
	struct occ_known_identity **at = &prepared, *known;

	occ_lock();
	known = prepared;
	while (known && known->identity.device != device) {
		at = &known->next;
		known = known->next;
	}
	if (known)
		*at = known->next;
	occ_unlock();
	return known;
}

/*
 * Keeps good identities. What stands in the way of one may pass (no
 * descriptors, a full disk).
 */
static const struct occ_known_identity *add(cl_device_id device, bool wait,
					    enum occ_reason *ret_reason)
{
	struct occ_known_identity *known = take_prepared(device);

	if (known && !occ_identity_make_holds(known)) {
		occ_lock();
		known->next = foreseen;
		foreseen = known;
		occ_unlock();
		known = NULL;
	}
	*ret_reason = OCC_REASON_OUT_OF_MEMORY;
	if (!known)
		known = occ_identity_make_new(device);
	if (!known)
		return NULL;
	*ret_reason = known->made ? OCC_REASON_NONE
				  : occ_identity_make_fill(known, wait);
	if (*ret_reason) {
		occ_identity_make_release(known);
		return NULL;
	}
	occ_identity_make_settle(known);
	/*
	 * Two threads may both have made one: then both are kept, as are those
	 * that aren't whole, for build keys have them.
	 */
	occ_lock();
	known->next = list;
	list = known;
	occ_unlock();
	return known;
}

void occ_identity_prepare(cl_device_id device)
{
	struct occ_known_identity *known;
	bool is_known;

	device = occ_device_root(device);
	if (occ_device_is_skipped(device))
		return;
	occ_lock();
	is_known = next_of_locked(list, device) ||
		   next_of_locked(prepared, device);
	occ_unlock();
	known = is_known ? NULL : occ_identity_make_new(device);
	if (!known)
		return;
	/* What can't be made from what was seen the first build makes. */
	if (!occ_identity_make_see(known) ||
	    occ_identity_make_fill(known, false)) {
		occ_identity_make_release(known);
		return;
	}
	occ_lock();
	if (!next_of_locked(prepared, device)) {
		known->next = prepared;
		prepared = known;
		known = NULL;
	}
	occ_unlock();
	if (known)
		occ_identity_make_release(known);
}

static struct occ_known_identity *find_foreseen_locked(cl_device_id device)
{
	struct occ_known_identity *known = next_of_locked(list, device);

	if (!known)
		known = next_of_locked(prepared, device);
	return known ? known : next_of_locked(foreseen, device);
}

const struct occ_identity *occ_identity_foresee(cl_device_id device)
{
	struct occ_known_identity *known, *made;

	device = occ_device_root(device);
	occ_lock();
	known = find_foreseen_locked(device);
	occ_unlock();
	if (known || occ_device_is_skipped(device))
		return known ? &known->identity : NULL;
	made = occ_identity_make_foreseen(device);
	if (!made)
		return NULL;
	occ_lock();
	made->next = foreseen;
	foreseen = made;
	occ_unlock();
	return &made->identity;
}

/*
 * Of a driver without a record nothing is known, not even from earlier
 * processes, before its files are read.
 */
static bool is_unknown(const struct occ_identity *identity)
{
	return identity->unread && !identity->driver;
}

const struct occ_identity *occ_identity_of(cl_device_id device,
					   enum occ_reason *ret_reason)
{
	const struct occ_known_identity *known;
	bool was_unread = false;

	device = occ_device_root(device);
	*ret_reason = occ_device_is_skipped(device) ? OCC_REASON_SKIPPED
						    : OCC_REASON_NONE;
	if (*ret_reason)
		return NULL;
	occ_lock();
	known = next_of_locked(list, device);
	if (known && is_obsolete_locked(known))
		known = NULL;
	for (const struct occ_known_identity *one = list; one && !known;
	     one = one->next)
		was_unread |=
			one->identity.device == device && one->identity.unread;
	occ_unlock();
	/* Once is late enough: a second reading would be as slow. */
	if (!known)
		known = add(device, was_unread, ret_reason);
	if (known && is_unknown(&known->identity)) {
		occ_identity_start_reading(&known->identity);
		*ret_reason = OCC_REASON_HABITS_UNKNOWN;
		return NULL;
	}
	return known ? &known->identity : NULL;
}

void occ_identity_start_reading(const struct occ_identity *identity)
{
	struct occ_known_identity *known =
		(struct occ_known_identity *)identity;
	bool started;

	if (!identity->unread)
		return;
	occ_lock();
	/* Without a thread: who needs it reads it himself. */
	if (known->to_read)
		known->reading = occ_background_read_start(known->to_read);
	started = known->to_read && known->reading;
	if (started)
		known->to_read = NULL;
	occ_unlock();
	if (started)
		occ_log_debug("reading what the driver of %s consists of",
			      identity->name);
}

const struct occ_identity *occ_identity_read(
	const struct occ_identity *identity)
{
	enum occ_reason reason;

	/* Another thread's, of the same time, may be unread, too. */
	while (identity && identity->unread) {
		struct occ_known_identity *known =
			(struct occ_known_identity *)identity;
		struct occ_driver_files *given_up;
		struct occ_background_read *reading;

		/* What nobody has begun another process may have read. */
		occ_lock();
		given_up = known->to_read;
		reading = known->reading;
		known->to_read = NULL;
		occ_unlock();
		occ_driver_files_release(given_up);
		if (reading)
			occ_background_read_wait(reading);
		identity = occ_identity_of(identity->device, &reason);
	}
	return identity;
}

void occ_identity_forked(void)
{
	for (struct occ_known_identity *known = list; known;
	     known = known->next)
		if (known->reading)
			occ_background_read_forked(known->reading);
}

bool occ_identity_current(const struct occ_identity *identity)
{
	const char *path = (const char *)identity->files.data;
	const char *end = path + identity->files.size;

	for (; path < end; path += strlen(path) + 1)
		if (occ_fingerprint_is_new(path))
			return false;
	return true;
}

void occ_identity_add(const struct occ_identity *identity, struct occ_key *key)
{
	occ_key_add_fields(key, &identity->fields);
}

void occ_identity_release_all(void)
{
	struct occ_known_identity **const lists[] = {&list, &prepared,
						     &foreseen};

	for (int i = 0; i < 3; i++)
		while (*lists[i]) {
			struct occ_known_identity *next = (*lists[i])->next;

			occ_identity_make_release(*lists[i]);
			*lists[i] = next;
		}
}

enum occ_reason occ_identity_not_ready(const struct occ_identity *identity,
				       bool notify)
{
	if (!identity->traits)
		return OCC_REASON_NONE;
	return occ_driver_traits_not_ready(identity->traits, identity->whole,
					   notify);
}

bool occ_identity_learn(const struct occ_identity *identity)
{
	return identity->traits &&
	       occ_driver_traits_learn(identity->traits, identity->device) &&
	       !identity->whole;
}

bool occ_identity_begin_trial(const struct occ_identity *identity)
{
	return identity->traits &&
	       occ_driver_traits_begin_trial(identity->traits);
}

void occ_identity_end_trial(const struct occ_identity *identity, bool loaded)
{
	occ_driver_traits_end_trial(identity->traits, loaded);
}

bool occ_identity_loads_as_known(const struct occ_identity *identity)
{
	return !identity->traits ||
	       !occ_driver_traits_knows_libraries(identity->traits) ||
	       occ_driver_traits_look_at_libraries(identity->traits);
}

void occ_identity_learn_notify(const struct occ_identity *identity,
			       enum occ_notify_thread thread)
{
	if (identity->traits)
		occ_driver_traits_learn_notify(identity->traits, thread);
}
