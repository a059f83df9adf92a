/* SPDX-License-Identifier: MIT */
#include "layer/identity.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/ahead.h"
#include "layer/config.h"
#include "layer/cpu.h"
#include "layer/device.h"
#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/fingerprint.h"
#include "layer/habit.h"
#include "layer/installation.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/reading.h"

/* A driver's parts, as far as they are collected. */
struct collection {
	struct occ_installation *installation; /* NULL: it is read later */
	struct occ_inventory inventory;
	unsigned long long changes; /* of what is loaded, before it was */
	bool recalled;		    /* all but what the current folder has */
};

struct known {
	struct occ_identity identity; /* the first member */
	/* What the device says, when the identity is prepared or made. */
	char *platform_name;
	cl_device_type type;
	struct collection collection; /* while it is prepared */
	bool made;		      /* as prepared ones are */
	/* Of one that is unread; under the lock. Neither: nobody will. */
	struct occ_installation *to_read; /* until the driver compiles */
	struct occ_reading *reading;
	struct known *next;
};

static struct known *list;

/* Those that nobody has asked for; taken out by who is first. */
static struct known *prepared;

/* As long as most answers are: drivers take their time for each. */
#define ANSWER_SIZE 4096

/* A string or other bytes that the platform or device answers; "" if not. */
static char *device_answer(cl_device_id device, cl_device_info name)
{
	char answer[ANSWER_SIZE + 1];
	size_t size = 0;
	char *value;

	if (!occ_target.clGetDeviceInfo(device, name, ANSWER_SIZE, answer,
					&size) &&
	    size <= ANSWER_SIZE) {
		answer[size] = '\0';
		return strdup(answer);
	}
	if (occ_target.clGetDeviceInfo(device, name, 0, NULL, &size))
		size = 0;
	value = calloc(1, size + 1);
	if (value && size &&
	    occ_target.clGetDeviceInfo(device, name, size, value, NULL))
		*value = '\0';
	return value;
}

static char *platform_answer(cl_platform_id platform, cl_platform_info name)
{
	char answer[ANSWER_SIZE + 1];
	size_t size = 0;

	if (occ_target.clGetPlatformInfo(platform, name, ANSWER_SIZE, answer,
					 &size) ||
	    size > ANSWER_SIZE)
		size = 0;
	answer[size] = '\0';
	return strdup(answer);
}

static void add_string(struct occ_buffer *fields, enum occ_key_field id,
		       char *value)
{
	if (value)
		occ_field_append(fields, (uint16_t)id, value, strlen(value));
	else
		fields->failed = true;
	free(value);
}

static void add_platform(struct occ_buffer *fields, cl_platform_id platform)
{
	add_string(fields, OCC_KEY_PLATFORM_NAME,
		   platform_answer(platform, CL_PLATFORM_NAME));
	add_string(fields, OCC_KEY_PLATFORM_VENDOR,
		   platform_answer(platform, CL_PLATFORM_VENDOR));
	add_string(fields, OCC_KEY_PLATFORM_VERSION,
		   platform_answer(platform, CL_PLATFORM_VERSION));
}

static void add_device(struct occ_buffer *fields, cl_device_id device,
		       cl_device_type type)
{
	unsigned char numbers[24];
	cl_uint vendor = 0, bits = 0;

	add_string(fields, OCC_KEY_DEVICE_NAME,
		   device_answer(device, CL_DEVICE_NAME));
	add_string(fields, OCC_KEY_DEVICE_VENDOR,
		   device_answer(device, CL_DEVICE_VENDOR));
	add_string(fields, OCC_KEY_DEVICE_VERSION,
		   device_answer(device, CL_DEVICE_VERSION));
	add_string(fields, OCC_KEY_DRIVER_VERSION,
		   device_answer(device, CL_DRIVER_VERSION));
	add_string(fields, OCC_KEY_OPENCL_C_VERSION,
		   device_answer(device, CL_DEVICE_OPENCL_C_VERSION));
	add_string(fields, OCC_KEY_DEVICE_EXTENSIONS,
		   device_answer(device, CL_DEVICE_EXTENSIONS));
	occ_target.clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof(vendor),
				   &vendor, NULL);
	occ_target.clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(bits),
				   &bits, NULL);
	occ_put_u64(numbers, type);
	occ_put_u64(numbers + 8, vendor);
	occ_put_u64(numbers + 16, bits);
	occ_field_append(fields, OCC_KEY_DEVICE_NUMBERS, numbers,
			 sizeof(numbers));
}

/*
 * No entry can be found while there is none, whatever the driver's files are.
 * What isn't in the table is known by its files, and must be known at once. And
 * where nothing is compiled there is nothing to read them behind.
 */
static bool may_be_late(const struct known *known)
{
	return known->identity.driver && occ_disk() &&
	       occ_config.mode != OCC_MODE_REQUIRE && !occ_disk_has_entries();
}

static void add_files(struct occ_identity *identity,
		      struct occ_inventory *inventory)
{
	struct occ_buffer *files = &inventory->files;

	if (identity->files.data) {
		occ_buffer_append(&identity->files, files->data, files->size);
		return;
	}
	identity->files = *files;
	*files = (struct occ_buffer)OCC_BUFFER_INIT;
}

static bool add_inventory(struct occ_identity *identity,
			  struct occ_inventory *inventory)
{
	const struct occ_buffer *parts = occ_inventory_finish(inventory);

	if (parts)
		occ_field_append(&identity->fields, OCC_KEY_DRIVER_IDENTITY,
				 parts->data, parts->size);
	add_files(identity, inventory);
	identity->fields.failed |= identity->files.failed;
	return parts;
}

/* Takes the installation over. */
static void read_later(struct known *known,
		       struct occ_installation **installation,
		       struct occ_inventory *inventory)
{
	occ_inventory_add_unread(inventory,
				 occ_installation_premises(*installation));
	known->to_read = *installation;
	*installation = NULL;
	known->identity.unread = true;
}

static void release_collection(struct collection *collection)
{
	occ_inventory_release(&collection->inventory);
	occ_installation_release(collection->installation);
	collection->installation = NULL;
}

static void recall(struct collection *collection)
{
	occ_libraries_add(occ_installation_libraries(collection->installation),
			  &collection->inventory);
	collection->recalled = occ_installation_recall(collection->installation,
						       &collection->inventory);
}

/* What can be told without the driver's having compiled anything. */
static bool add_installed(struct known *known, bool wait)
{
	struct collection *collection = &known->collection;
	struct occ_inventory *inventory = &collection->inventory;

	occ_installation_add_here(collection->installation, inventory);
	if (!collection->recalled && !wait && may_be_late(known))
		read_later(known, &collection->installation, inventory);
	else if (!collection->recalled)
		occ_installation_read(collection->installation, inventory);
	return add_inventory(&known->identity, inventory);
}

/* The objects that an unlisted driver was seen to load for compiling. */
static bool add_learnt(struct occ_identity *identity,
		       const struct occ_installation *installation)
{
	struct occ_inventory inventory = OCC_INVENTORY_INIT;
	struct occ_buffer paths = OCC_BUFFER_INIT;
	bool told = true;

	identity->whole = occ_habit_libraries(identity->habit, &paths);
	if (identity->whole) {
		occ_installation_add_paths((const char *)paths.data, paths.size,
					   occ_installation_libraries(
						   installation),
					   &inventory);
		inventory.failed |= paths.failed;
		told = add_inventory(identity, &inventory);
	}
	occ_inventory_release(&inventory);
	occ_buffer_release(&paths);
	return told;
}

static void add_cpu(struct occ_buffer *fields)
{
	struct occ_buffer cpu = OCC_BUFFER_INIT;

	occ_cpu_identity(&cpu);
	occ_field_append(fields, OCC_KEY_HOST_CPU, cpu.data, cpu.size);
	fields->failed |= cpu.failed;
	occ_buffer_release(&cpu);
}

/* A driver that isn't in the table is told from others by the same fields. */
static bool add_habit(struct occ_identity *identity)
{
	struct occ_digest digest;

	if (identity->fields.failed)
		return false;
	occ_digest(identity->fields.data, identity->fields.size,
		   OCC_SEED_DRIVER, &digest);
	identity->habit = occ_habit_of(&digest);
	if (identity->habit)
		identity->driver = occ_habit_driver(identity->habit);
	return identity->habit;
}

/* Intel's driver for GPUs changes sources by the name of the program. */
static bool add_executable(struct occ_buffer *fields)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	if (size < 0)
		return false;
	path[size] = '\0';
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	occ_field_append(fields, OCC_KEY_EXECUTABLE, slash, strlen(slash));
	return true;
}

/* What was seen ahead, if anything. */
static bool take_seen(struct known *known)
{
	struct collection *collection = &known->collection;

	collection->changes = occ_libraries_changes();
	collection->recalled =
		occ_ahead_take(occ_ahead_address(known->identity.device),
			       known->platform_name, &collection->installation,
			       &collection->inventory);
	return collection->recalled;
}

/* False when the driver isn't to be found, or out of memory. */
static bool collect(struct known *known)
{
	struct collection *collection = &known->collection;
	struct occ_libraries *libraries;

	if (collection->installation || take_seen(known))
		return true;
	libraries =
		occ_libraries_take(occ_ahead_address(known->identity.device));
	if (libraries)
		collection->installation =
			occ_installation_ask(known->platform_name, libraries,
					     getenv("PATH"));
	if (collection->installation)
		recall(collection);
	return collection->installation;
}

/* NULL, or the reason why the driver can't be told from others. */
static const char *identify_driver(struct known *known, bool wait)
{
	const char *reason = "driver identity not known";
	struct occ_identity *identity = &known->identity;

	if (!collect(known) || !add_installed(known, wait))
		return reason;
	identity->whole = identity->driver;
	if (!identity->driver && !add_habit(identity))
		reason = "out of memory";
	else if (!identity->habit ||
		 add_learnt(identity, known->collection.installation))
		reason = NULL;
	return reason;
}

/* What the platform's name decides. */
static const char *identify(struct known *known, bool wait)
{
	struct occ_identity *identity = &known->identity;
	uint64_t start = occ_log_now();
	const char *reason;

	identity->driver = occ_driver_find(known->platform_name, known->type);
	reason = identify_driver(known, wait);
	if (!reason &&
	    !strcmp(known->platform_name, "Intel(R) OpenCL Graphics") &&
	    !add_executable(&identity->fields))
		reason = "the program's name can't be told";
	occ_log_debug("identity of %s, %s: %llu us%s", known->platform_name,
		      identity->name,
		      (unsigned long long)(occ_log_now() - start) / 1000,
		      identity->unread ? ", not read yet" : "");
	return reason;
}

/* What the device and its platform say. NULL, or the reason why not. */
static const char *ask(struct known *known)
{
	struct occ_identity *identity = &known->identity;
	cl_device_id device = identity->device;
	cl_platform_id platform;

	if (occ_target.clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
				       sizeof(platform), &platform, NULL) ||
	    occ_target.clGetDeviceInfo(device, CL_DEVICE_TYPE,
				       sizeof(known->type), &known->type, NULL))
		return "device can't be queried";
	identity->name = device_answer(device, CL_DEVICE_NAME);
	add_platform(&identity->fields, platform);
	add_device(&identity->fields, device, known->type);
	known->platform_name = platform_answer(platform, CL_PLATFORM_NAME);
	return identity->name && known->platform_name &&
			       !identity->fields.failed
		       ? NULL
		       : "out of memory";
}

/* The store's state was read for the driver's parts: once is enough. */
static void take_hits(struct known *known)
{
	struct occ_identity *identity = &known->identity;
	struct occ_buffer *state = &known->collection.inventory.memory.state;

	occ_digest(identity->fields.data, identity->fields.size,
		   OCC_SEED_DRIVER, &identity->digest);
	identity->has_hits = state->size;
	if (state->size)
		occ_cost_find_hits(state, &identity->digest, &identity->hits);
	occ_buffer_release(state);
}

/* Fills what is zero but for `device`; NULL, or the reason why not. */
static const char *make(struct known *known, bool wait)
{
	struct occ_identity *identity = &known->identity;
	const char *reason = known->platform_name ? NULL : ask(known);

	if (!reason)
		reason = identify(known, wait);
	if (reason)
		return reason;
	if (known->type & CL_DEVICE_TYPE_CPU)
		add_cpu(&identity->fields);
	if (identity->fields.failed)
		return "out of memory";
	take_hits(known);
	known->made = true;
	return NULL;
}

static void release(struct known *known)
{
	if (known->reading)
		occ_reading_wait(known->reading);
	occ_reading_release(known->reading);
	occ_installation_release(known->to_read);
	release_collection(&known->collection);
	free(known->platform_name);
	free(known->identity.name);
	occ_buffer_release(&known->identity.fields);
	occ_buffer_release(&known->identity.files);
	free(known);
}

cl_device_id occ_identity_root(cl_device_id device)
{
	cl_device_id parent = NULL;

	/* OpenCL 1.1 drivers answer CL_INVALID_VALUE. */
	while (!occ_target.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE,
					   sizeof(parent), &parent, NULL) &&
	       parent)
		device = parent;
	return device;
}

/* Could it be whole by now? Under the lock. */
static bool is_obsolete(const struct known *known)
{
	if (known->reading)
		return occ_reading_done(known->reading);
	if (known->identity.unread)
		return !known->to_read;
	return !known->identity.whole &&
	       occ_habit_knows_libraries(known->identity.habit);
}

/* The first of the device's from there on, or NULL. Under the lock. */
static struct known *next_of(struct known *known, cl_device_id device)
{
	while (known && known->identity.device != device)
		known = known->next;
	return known;
}

static const struct known *find(cl_device_id device)
{
	const struct known *known;

	occ_lock();
	known = next_of(list, device);
	if (known && is_obsolete(known))
		known = NULL;
	occ_unlock();
	return known;
}

static struct known *new_known(cl_device_id device)
{
	struct known *known = calloc(1, sizeof(*known));

	if (!known)
		return NULL;
	known->identity.device = device;
	known->collection.inventory = (struct occ_inventory)OCC_INVENTORY_INIT;
	return known;
}

/* Would it be made in the same way now? */
static bool holds(const struct known *known)
{
	const struct collection *collection = &known->collection;

	return occ_ahead_holds(occ_ahead_address(known->identity.device)) &&
	       !occ_installation_is_here(collection->installation) &&
	       (occ_libraries_changes() == collection->changes ||
		occ_installation_is_current(collection->installation,
					    &collection->inventory));
}

/* NULL: it isn't prepared, or no more. */
static struct known *take_prepared(cl_device_id device)
{
	struct known **at = &prepared, *known;

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

/* False: somebody else did. */
static bool put_prepared(struct known *made)
{
	bool first;

	occ_lock();
	first = !next_of(prepared, made->identity.device);
	if (first) {
		made->next = prepared;
		prepared = made;
	}
	occ_unlock();
	return first;
}

/*
 * Keeps good identities. What stands in the way of one may pass (no
 * descriptors, a full disk).
 */
static const struct known *add(cl_device_id device, bool wait,
			       const char **ret_reason)
{
	struct known *known = take_prepared(device);

	if (known && !holds(known)) {
		release(known);
		known = NULL;
	}
	*ret_reason = "out of memory";
	if (!known)
		known = new_known(device);
	if (!known)
		return NULL;
	*ret_reason = known->made ? NULL : make(known, wait);
	if (*ret_reason) {
		release(known);
		return NULL;
	}
	release_collection(&known->collection);
	/*
	 * Two threads may both have made one: then both are kept, as are those
	 * that aren't whole, for recipes have them.
	 */
	occ_lock();
	known->next = list;
	list = known;
	occ_unlock();
	return known;
}

/* Is there one already, of whatever kind? */
static bool is_known(cl_device_id device)
{
	bool known;

	occ_lock();
	known = next_of(list, device) || next_of(prepared, device);
	occ_unlock();
	return known;
}

/* False: let the first build make it. */
static bool make_early(struct known *known)
{
	return !ask(known) && take_seen(known) &&
	       !occ_installation_is_here(known->collection.installation) &&
	       !make(known, false);
}

void occ_identity_prepare(cl_device_id device)
{
	struct known *known;

	device = occ_identity_root(device);
	if (occ_device_is_skipped(device) || is_known(device))
		return;
	known = new_known(device);
	if (known && !(make_early(known) && put_prepared(known)))
		release(known);
}

/* Were the device's files left for later? */
static bool was_unread(cl_device_id device)
{
	const struct known *known;

	occ_lock();
	for (known = list; known; known = known->next)
		if (known->identity.device == device && known->identity.unread)
			break;
	occ_unlock();
	return known;
}

const struct occ_identity *occ_identity_of(cl_device_id device,
					   const char **ret_reason)
{
	const struct known *known;

	device = occ_identity_root(device);
	*ret_reason = occ_device_is_skipped(device) ? occ_config_skipped : NULL;
	if (*ret_reason)
		return NULL;
	known = find(device);
	/* Once is late enough: a second reading would be as slow. */
	if (!known)
		known = add(device, was_unread(device), ret_reason);
	return known ? &known->identity : NULL;
}

void occ_identity_start_reading(const struct occ_identity *identity)
{
	struct known *known = (struct known *)identity;
	bool started;

	if (!identity->unread)
		return;
	occ_lock();
	/* Without a thread: who needs it reads it himself. */
	if (known->to_read)
		known->reading = occ_reading_start(known->to_read);
	started = known->to_read && known->reading;
	if (started)
		known->to_read = NULL;
	occ_unlock();
	if (started)
		occ_log_debug("reading what the driver of %s consists of",
			      identity->name);
}

/* What nobody has begun to read another process may have read meanwhile. */
static void await_reading(struct known *known)
{
	struct occ_installation *given_up;
	struct occ_reading *reading;

	occ_lock();
	given_up = known->to_read;
	reading = known->reading;
	known->to_read = NULL;
	occ_unlock();
	occ_installation_release(given_up);
	if (reading)
		occ_reading_wait(reading);
}

const struct occ_identity *occ_identity_read(
	const struct occ_identity *identity)
{
	const char *reason;

	/* Another thread's, of the same time, may be unread, too. */
	while (identity && identity->unread) {
		await_reading((struct known *)identity);
		identity = occ_identity_of(identity->device, &reason);
	}
	return identity;
}

void occ_identity_forked(void)
{
	for (struct known *known = list; known; known = known->next)
		if (known->reading)
			occ_reading_forked(known->reading);
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

static void release_list(struct known **all)
{
	while (*all) {
		struct known *next = (*all)->next;

		release(*all);
		*all = next;
	}
}

void occ_identity_release_all(void)
{
	release_list(&list);
	release_list(&prepared);
}
