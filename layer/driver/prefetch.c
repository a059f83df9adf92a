/* SPDX-License-Identifier: MIT */
#include "layer/driver/prefetch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/driver/driver.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/base/stores.h"
#include "layer/base/thread.h"
#include "layer/driver/cpu.h"
#include "layer/driver/device.h"
#include "layer/driver/device_fields.h"
#include "layer/driver/driver_components.h"
#include "layer/driver/late_libraries.h"
#include "layer/driver/library.h"

/* Platforms of version 2 of cl_khr_icd mark their tables with this. */
#define ICD2_TAG  ((intptr_t)0x4F50454E434C3331)

/* To look up from waiting; the thread wakes who waits. */
#define WAIT_MS	  1000

/* Who makes a context, and perhaps builds nothing, waits no longer. */
#define FINISH_MS 5

enum stage {
	STARTING,
	LOOKING,
	SEEN, /* there is something to be taken */
	OVER, /* there is nothing, or nothing more */
};

struct ahead {
	const void *address;
	char *platform_name;
	char *search_path; /* PATH; NULL: none */
	struct stat root;
	struct ahead *next;
	/* Under the lock; what was found once it is SEEN. */
	struct occ_driver_files *installation;
	struct occ_driver_components components;
	enum stage stage;
	bool threaded; /* the thread will come, or is here */
	const struct occ_prefetch_guest *guest;
};

/* One for every driver that a context was made of. */
static struct ahead *list;

/* With version 2 most slots of the table mean nothing: it itself lies there. */
const void *occ_prefetch_address(const void *object)
{
	const cl_icd_dispatch *table = *(cl_icd_dispatch *const *)object;
	const void *inside = table;
	intptr_t first;

	memcpy(&first, &table->clGetPlatformIDs, sizeof(first));
	if (first != ICD2_TAG)
		memcpy(&inside, &table->clBuildProgram, sizeof(inside));
	return inside;
}

static void release(struct ahead *ahead)
{
	occ_driver_files_release(ahead->installation);
	occ_driver_components_release(&ahead->components);
	free(ahead->platform_name);
	free(ahead->search_path);
	free(ahead);
}

/* What a look finds. */
struct finding {
	struct occ_driver_files *installation;
	struct occ_driver_components components;
	bool whole; /* it is all that can be told */
};

static void look(const struct ahead *ahead, struct finding *ret_finding)
{
	struct occ_libraries *libraries = occ_libraries_take(ahead->address);
	struct occ_driver_components *components = &ret_finding->components;

	*ret_finding =
		(struct finding){.components = OCC_DRIVER_COMPONENTS_INIT};
	if (libraries)
		ret_finding->installation =
			occ_driver_files_ask(ahead->platform_name, libraries,
					     ahead->search_path);
	if (!ret_finding->installation)
		return;
	occ_libraries_add(libraries, components);
	occ_cpu_ask();
	ret_finding->whole = occ_driver_files_recall(ret_finding->installation,
						     components) &&
			     occ_driver_components_finish(components);
}

/* False: somebody else has begun, or nobody needs it any more. */
static bool begin(struct ahead *ahead)
{
	bool mine;

	occ_lock();
	mine = ahead->stage == STARTING;
	if (mine)
		ahead->stage = LOOKING;
	occ_unlock();
	return mine;
}

/* Gives away what is whole, unless this is a child of fork() by now. */
static void end(struct ahead *ahead, struct finding *finding)
{
	occ_lock();
	if (ahead->stage == LOOKING && finding->whole) {
		ahead->installation = finding->installation;
		ahead->components = finding->components;
		*finding = (struct finding){.components =
						    OCC_DRIVER_COMPONENTS_INIT};
		ahead->stage = SEEN;
	} else if (ahead->stage == LOOKING) {
		ahead->stage = OVER;
	}
	occ_lock_wake();
	occ_unlock();
}

static void release_finding(struct finding *finding)
{
	occ_driver_files_release(finding->installation);
	occ_driver_components_release(&finding->components);
}

/*
 * For the next process: what is remembered may be of what is loaded after the
 * driver made a context. Where nothing is stored there is no hurry.
 */
static void read_all(struct finding *finding)
{
	if (finding->installation && occ_stores_has_entries())
		occ_driver_files_read(finding->installation,
				      &finding->components);
}

static void *work(void *data)
{
	struct ahead *ahead = data;

	ahead->guest->begin();
	occ_thread_own_descriptors();
	if (begin(ahead)) {
		struct finding finding;

		/* Before the driver can have compiled anything. */
		occ_late_libraries_watch();
		look(ahead, &finding);
		end(ahead, &finding);
		ahead->guest->then(ahead->platform_name);
		read_all(&finding);
		release_finding(&finding);
	} else {
		ahead->guest->then(ahead->platform_name);
	}
	occ_lock();
	ahead->threaded = false;
	occ_lock_wake();
	occ_unlock();
	return NULL;
}

/* Are its traits, or those of some of its versions and devices? */
static bool is_known(const char *platform_name)
{
	const struct occ_driver *driver = occ_driver_of_platform(platform_name);

	return driver && !driver->learnt;
}

/* Without a thread it stands for what needn't be looked at once more. */
static struct ahead *make(cl_device_id device)
{
	const char *search_path = getenv("PATH");
	struct ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->address = occ_prefetch_address(device);
	ahead->components =
		(struct occ_driver_components)OCC_DRIVER_COMPONENTS_INIT;
	ahead->stage = OVER;
	ahead->platform_name = occ_device_fields_platform(device);
	if (search_path)
		ahead->search_path = strdup(search_path);
	if (ahead->platform_name && !search_path == !ahead->search_path &&
	    !stat("/", &ahead->root) && occ_stores_any() &&
	    !occ_device_is_skipped(device) && is_known(ahead->platform_name))
		ahead->stage = STARTING;
	return ahead;
}

static struct ahead *find(const void *address)
{
	struct ahead *ahead = list;

	while (ahead && ahead->address != address)
		ahead = ahead->next;
	return ahead;
}

/* False: somebody else did meanwhile. */
static bool add(struct ahead *ahead)
{
	bool first;

	occ_lock();
	first = !find(ahead->address);
	if (first) {
		ahead->next = list;
		list = ahead;
		ahead->threaded = ahead->stage == STARTING;
	}
	occ_unlock();
	return first;
}

/* Without the lock. They live as long as the layer. */
static struct ahead *look_up(const void *address)
{
	struct ahead *ahead;

	occ_lock();
	ahead = find(address);
	occ_unlock();
	return ahead;
}

void occ_prefetch_start(cl_device_id device,
			const struct occ_prefetch_guest *guest)
{
	struct ahead *ahead;

	if (look_up(occ_prefetch_address(device)))
		return;
	ahead = make(device);
	if (ahead)
		ahead->guest = guest;
	if (ahead && !add(ahead)) {
		release(ahead);
	} else if (ahead && ahead->threaded &&
		   !occ_thread_start(work, ahead, OCC_THREAD_SMALL_STACK,
				     NULL)) {
		occ_lock();
		ahead->stage = OVER;
		ahead->threaded = false;
		occ_unlock();
	}
}

/* Is there something to be taken? Waits a little. */
static bool is_seen(struct ahead *ahead)
{
	bool seen;

	occ_lock();
	for (int i = 0; i < FINISH_MS && ahead->stage == LOOKING; i++)
		occ_lock_wait(1);
	seen = ahead->stage == SEEN;
	occ_unlock();
	return seen;
}

bool occ_prefetch_finish(cl_device_id device)
{
	struct ahead *ahead = look_up(occ_prefetch_address(device));
	struct finding finding;

	if (!ahead)
		return false;
	/* What isn't remembered the first build needn't have at once. */
	if (begin(ahead)) {
		look(ahead, &finding);
		end(ahead, &finding);
		release_finding(&finding);
	}
	return is_seen(ahead);
}

/* Is what it follows from, besides files and loaded objects, as it was? */
static bool holds(const struct ahead *ahead)
{
	const char *search_path = getenv("PATH");
	struct stat root;

	return !search_path == !ahead->search_path &&
	       (!search_path || !strcmp(search_path, ahead->search_path)) &&
	       !stat("/", &root) && root.st_dev == ahead->root.st_dev &&
	       root.st_ino == ahead->root.st_ino;
}

const char *occ_prefetch_search_path(const void *address)
{
	const struct ahead *ahead = look_up(address);

	return ahead ? ahead->search_path : NULL;
}

bool occ_prefetch_holds(const void *address)
{
	const struct ahead *ahead = look_up(address);

	return ahead && holds(ahead);
}

/* NULL: there is nothing. Otherwise nobody else takes it. */
static struct ahead *claim(const void *address, const char *platform_name)
{
	struct ahead *ahead;
	bool seen = false;

	occ_lock();
	ahead = find(address);
	while (ahead && ahead->stage == LOOKING)
		occ_lock_wait(WAIT_MS);
	if (ahead) {
		seen = ahead->stage == SEEN &&
		       !strcmp(ahead->platform_name, platform_name);
		/* Who doesn't wait for a thread that is late looks himself. */
		ahead->stage = OVER;
	}
	occ_unlock();
	return seen ? ahead : NULL;
}

bool occ_prefetch_take(const void *address, const char *platform_name,
		       struct occ_driver_files **ret_installation,
		       struct occ_driver_components *ret_inventory)
{
	struct ahead *ahead = claim(address, platform_name);

	if (!ahead || !holds(ahead) ||
	    !occ_driver_files_is_current(ahead->installation,
					 &ahead->components))
		return false;
	*ret_installation = ahead->installation;
	*ret_inventory = ahead->components;
	ahead->installation = NULL;
	ahead->components =
		(struct occ_driver_components)OCC_DRIVER_COMPONENTS_INIT;
	return true;
}

void occ_prefetch_forked(void)
{
	for (struct ahead *ahead = list; ahead; ahead = ahead->next) {
		/* Who was looking isn't here. */
		if (ahead->stage != SEEN)
			ahead->stage = OVER;
		ahead->threaded = false;
	}
}

static void await(const struct ahead *ahead)
{
	occ_lock();
	while (ahead->threaded)
		occ_lock_wait(WAIT_MS);
	occ_unlock();
}

void occ_prefetch_forget_all(void)
{
	while (list) {
		struct ahead *next = list->next;

		await(list);
		release(list);
		list = next;
	}
}
