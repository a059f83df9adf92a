/* SPDX-License-Identifier: MIT */
#include "cache/build_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cache/mutex.h"
#include "cache/name.h"
#include "cache/process_watch.h"
#include "hash/buffer.h"

#define NS_PER_MS   UINT64_C(1000000)

/* A key's range; see the header. */
#define RANGE_SIZE  32
#define RANGE_WAIT  16
#define MAKINGS_MAX 16

/*
 * Between two looks: a tenth of what was waited so far, so that no more than
 * that is lost of a wait of 20 ms or longer. A look costs about 10 us, most of
 * it for waking up, and in a crowd everybody but one looks.
 */
#define PAUSE_MIN   (2 * NS_PER_MS)
#define PAUSE_MAX   (10 * NS_PER_MS)
#define PAUSE_PART  10

struct occ_build_lock {
	char *directory;
	enum occ_directory_create create;
	struct occ_mutex lock; /* of the rest; for a few system calls */
	int file;	       /* -1: none */
	struct stat status;    /* of the file */
	unsigned users;
	unsigned makings;
};

struct occ_build_lock *occ_build_lock_new(const char *directory,
					  bool create_parent)
{
	struct occ_build_lock *gate = calloc(1, sizeof(*gate));

	if (!gate)
		return NULL;
	gate->directory = strdup(directory);
	if (!gate->directory) {
		free(gate);
		return NULL;
	}
	gate->create = create_parent ? OCC_DIRECTORY_CREATE_PARENT
				     : OCC_DIRECTORY_CREATE;
	occ_mutex_init(&gate->lock);
	gate->file = -1;
	return gate;
}

enum ownership {
	NOTHING,
	OURS,
	UNKNOWN, /* the file system doesn't say */
};

/* Applications close descriptors that aren't theirs, and get the same again. */
static enum ownership whose(const struct occ_build_lock *gate)
{
	struct stat status;

	if (gate->file < 0)
		return NOTHING;
	if (occ_file_status(gate->file, &status) < 0)
		return errno == EBADF ? NOTHING : UNKNOWN;
	return occ_file_same(&status, &gate->status) ? OURS : NOTHING;
}

/* What may be another's stays open, and is looked at again by the next user. */
static void close_file(struct occ_build_lock *gate)
{
	enum ownership ownership = whose(gate);

	if (ownership == UNKNOWN)
		return;
	if (ownership == OURS)
		occ_file_close(gate->file);
	gate->file = -1;
}

void occ_build_lock_free(struct occ_build_lock *gate)
{
	if (!gate)
		return;
	close_file(gate);
	occ_mutex_destroy(&gate->lock);
	free(gate->directory);
	free(gate);
}

static bool open_file(struct occ_build_lock *gate)
{
	int directory;

	if (occ_directory_open(gate->directory, gate->create, &directory))
		return false;
	gate->file = occ_file_open(directory, OCC_NAME_LOCK, O_RDWR);
	/* (S14) */
	if (gate->file < 0 && errno == ENOENT && !occ_listing_judge(directory))
		gate->file = occ_file_open(directory, OCC_NAME_LOCK,
					   O_RDWR | O_CREAT);
	occ_file_close(directory);
	if (gate->file < 0)
		return false;
	occ_file_permit(gate->file);
	if (!occ_file_status(gate->file, &gate->status) &&
	    S_ISREG(gate->status.st_mode) && occ_file_is_mine(&gate->status))
		return true;
	occ_file_close(gate->file);
	gate->file = -1;
	return false;
}

static bool need_file(struct occ_build_lock *gate)
{
	enum ownership ownership = whose(gate);

	return ownership == OURS || (ownership == NOTHING && open_file(gate));
}

/* Another's locks, if it is another's file, aren't where ours are. */
static void unlock(struct occ_build_lock *gate, uint64_t start, uint64_t length)
{
	if (whose(gate) != NOTHING)
		occ_file_unlock_range(gate->file, start, length);
}

/* One user of the descriptor less. The gate's lock is held. */
static void detach(struct occ_build_lock *gate)
{
	if (gate->users && !--gate->users)
		close_file(gate);
}

static uint64_t range_of(const struct occ_digest *hash)
{
	/* The far half of what a file can have, so that nothing is there. */
	const uint64_t half = UINT64_C(1) << 62;

	return half | (occ_get_u64(hash->bytes) * RANGE_SIZE & (half - 1));
}

/* One who makes an entry, as those who wait see him. */
struct maker {
	struct occ_file_owner owner;
	struct occ_process_watch watch;
};

static void pause_for(uint64_t waited)
{
	uint64_t length = waited / PAUSE_PART;

	if (length < PAUSE_MIN)
		length = PAUSE_MIN;
	if (length > PAUSE_MAX)
		length = PAUSE_MAX;
	occ_file_pause(length);
}

/* Who has the range, but for this process. False: not known. */
static bool look(struct occ_build_lock *gate, uint64_t range,
		 struct occ_file_owner *ret_owner)
{
	bool known;

	occ_mutex_lock_undisturbed(&gate->lock);
	known = need_file(gate) &&
		!occ_file_range_owner(gate->file, range, 1, ret_owner);
	occ_mutex_unlock_undisturbed(&gate->lock);
	return known;
}

static enum occ_build_lock_result watch(struct occ_build_lock *gate,
					uint64_t range, struct maker *maker,
					uint64_t deadline)
{
	struct occ_file_owner owner;
	uint64_t start = occ_file_clock(), time;

	while ((time = occ_file_clock()) < deadline &&
	       occ_process_watch_is_busy(&maker->watch)) {
		pause_for(time - start);
		if (!look(gate, range, &owner))
			return OCC_BUILD_LOCK_NO_LOCK;
		if (!owner.any || owner.pid != maker->owner.pid ||
		    owner.length != maker->owner.length)
			return occ_process_watch_is_alive(&maker->watch)
				       ? OCC_BUILD_LOCK_DONE
				       : OCC_BUILD_LOCK_DIED;
	}
	return OCC_BUILD_LOCK_IDLE;
}

static enum occ_build_lock_result wait_for(struct occ_build_lock *gate,
					   uint64_t range, uint64_t deadline)
{
	enum occ_build_lock_result result = OCC_BUILD_LOCK_NO_LOCK;
	struct occ_file_owner owner;
	struct maker maker;

	if (look(gate, range, &owner))
		result = OCC_BUILD_LOCK_DONE;
	if (result == OCC_BUILD_LOCK_DONE && owner.any) {
		/* Before he can know: how he ends is to be seen. */
		maker.owner = owner;
		occ_process_watch_begin(&maker.watch, owner.pid);
		occ_mutex_lock_undisturbed(&gate->lock);
		if (whose(gate) == OURS)
			occ_file_lock_range(gate->file, range + RANGE_WAIT, 1,
					    true);
		occ_mutex_unlock_undisturbed(&gate->lock);
		result = watch(gate, range, &maker, deadline);
	}
	occ_mutex_lock_undisturbed(&gate->lock);
	unlock(gate, range + RANGE_WAIT, 1);
	detach(gate);
	occ_mutex_unlock_undisturbed(&gate->lock);
	return result;
}

/* OCC_BUILD_LOCK_DONE: somebody has it, and we are a user of the file. */
static enum occ_build_lock_result take(struct occ_build_lock *gate,
				       uint64_t range)
{
	enum occ_build_lock_result result = OCC_BUILD_LOCK_MINE;

	occ_mutex_lock_undisturbed(&gate->lock);
	if (!need_file(gate))
		result = OCC_BUILD_LOCK_NO_LOCK;
	else if (occ_file_lock_range(gate->file, range,
				     1 + gate->makings++ % MAKINGS_MAX, false))
		result = errno == EWOULDBLOCK ? OCC_BUILD_LOCK_DONE
					      : OCC_BUILD_LOCK_NO_LOCK;
	if (result != OCC_BUILD_LOCK_NO_LOCK)
		gate->users++;
	else if (!gate->users)
		close_file(gate);
	occ_mutex_unlock_undisturbed(&gate->lock);
	return result;
}

enum occ_build_lock_result occ_build_lock_enter(struct occ_build_lock *gate,
						const struct occ_digest *hash,
						uint64_t deadline)
{
	uint64_t range = range_of(hash);
	enum occ_build_lock_result result = take(gate, range);

	return result == OCC_BUILD_LOCK_DONE ? wait_for(gate, range, deadline)
					     : result;
}

bool occ_build_lock_wanted(struct occ_build_lock *gate,
			   const struct occ_digest *hash)
{
	struct occ_file_owner owner;
	bool wanted;

	occ_mutex_lock_undisturbed(&gate->lock);
	wanted = whose(gate) == OURS &&
		 !occ_file_range_owner(gate->file, range_of(hash) + RANGE_WAIT,
				       1, &owner) &&
		 owner.any;
	occ_mutex_unlock_undisturbed(&gate->lock);
	return wanted;
}

void occ_build_lock_leave(struct occ_build_lock *gate,
			  const struct occ_digest *hash)
{
	occ_mutex_lock_undisturbed(&gate->lock);
	/* Explicitly: other threads may keep the descriptor. */
	unlock(gate, range_of(hash), MAKINGS_MAX);
	detach(gate);
	occ_mutex_unlock_undisturbed(&gate->lock);
}

void occ_build_lock_forked(struct occ_build_lock *gate)
{
	occ_mutex_forked(&gate->lock);
	gate->users = 0;
	close_file(gate);
}
