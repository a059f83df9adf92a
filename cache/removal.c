/* SPDX-License-Identifier: MIT */
#include "cache/removal.h"

#include <errno.h>

#include "cache/size_ledger.h"
#include "cache/file.h"
#include "cache/temp.h"

/* As evictions have it: 10 to 40 ms under the lock. */
#define BATCH	  2048
#define PAUSE_NS  UINT64_C(3000000)

/* (S11) Batches for which the lock may be another's for too long. */
#define TRIES_MAX 10
#define BUSY_NS	  UINT64_C(500000000)

static bool is_unused(int directory, const struct occ_listing_file *file)
{
	struct occ_listing_file now;

	return !occ_listing_look(directory, file->name, &now) &&
	       now.size == file->size && now.used.tv_sec == file->used.tv_sec &&
	       now.used.tv_nsec == file->used.tv_nsec;
}

/* Gives the bytes that went. */
static uint64_t remove_one(struct occ_removal *removal,
			   const struct occ_listing_file *file)
{
	struct stat status;
	uint64_t size;

	if (occ_file_status_at(removal->directory, file->name, &status) < 0)
		return 0;
	size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	if (file->kind == OCC_NAME_TEMP) {
		if (!occ_temp_remove_orphan(removal->directory, file->name))
			return 0;
	} else if (removal->may_go ? !removal->may_go(removal->directory, file,
						      removal->data)
				   : !is_unused(removal->directory, file)) {
		return 0;
	} else if (occ_file_remove(removal->directory, file->name) < 0) {
		if (errno == ENOENT)
			return 0;
		removal->failure = errno;
		removal->failed++;
		return 0;
	}
	removal->count++;
	removal->entries += file->kind == OCC_NAME_ENTRY;
	removal->bytes += size;
	return size;
}

static int remove_batch(struct occ_removal *removal,
			struct occ_listing_file *const *files, size_t count,
			bool first)
{
	struct occ_size_ledger ledger;
	uint64_t gone = 0;
	int error = occ_size_ledger_lock(removal->directory, &ledger);

	if (error)
		return error;
	/* (S7) What goes must have been counted before it can be taken off. */
	if (first)
		error = occ_size_ledger_recount(&ledger);
	for (size_t i = 0; !error && i < count; i++)
		gone += remove_one(removal, files[i]);
	/* A total that can't be lowered does no harm. */
	if (gone)
		occ_size_ledger_subtract(&ledger, gone);
	occ_size_ledger_unlock(&ledger);
	return error;
}

int occ_removal_run(struct occ_removal *removal,
		    struct occ_listing_file *const *files, size_t count)
{
	size_t done = 0;
	int error = OCC_OK, tries = 0;

	while (done < count) {
		size_t batch = count - done < BATCH ? count - done : BATCH;

		error = remove_batch(removal, files + done, batch, !done);
		/* Who has waited in vain doesn't wait again for a while. */
		if (error == OCC_E_BUSY && ++tries < TRIES_MAX) {
			occ_file_pause(BUSY_NS);
			continue;
		}
		if (error)
			break;
		done += batch;
		if (removal->step)
			removal->step(batch, removal->data);
		if (done < count)
			occ_file_pause(PAUSE_NS);
	}
	return error;
}
