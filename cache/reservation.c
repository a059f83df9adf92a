/* SPDX-License-Identifier: MIT */
#include "cache/reservation.h"

#include <errno.h>

#include "cache/file.h"
#include "cache/temp.h"

int occ_reservation_make(struct occ_size_ledger *ledger, uint64_t size,
			 struct occ_reservation *ret_reservation)
{
	struct occ_reservation reservation = {
		.directory = ledger->directory,
		.size = size,
		.ledger = ledger->status,
	};
	int error = occ_size_ledger_add(ledger, size); /* (S7): first */

	if (error)
		return error;
	error = occ_temp_create(ledger->directory, reservation.name,
				&reservation.file);
	if (error) {
		occ_size_ledger_subtract(ledger, size);
		return error;
	}
	reservation.ledger_file = occ_file_duplicate(ledger->file);
	if (reservation.ledger_file < 0) {
		occ_reservation_cancel(&reservation, ledger);
		return OCC_E_IO;
	}
	if (occ_file_resize(reservation.file, size) < 0) {
		occ_reservation_cancel(&reservation, ledger);
		return OCC_E_IO;
	}
	*ret_reservation = reservation;
	return OCC_OK;
}

int occ_reservation_write(struct occ_reservation *reservation, const void *data)
{
	/*
	 * No fsync: it costs more than many a build, and a file that a power
	 * failure emptied or tore is known by its checksum.
	 */
	if (occ_file_write(reservation->file, 0, data,
			   (size_t)reservation->size) < 0)
		return OCC_E_IO;
	return OCC_OK;
}

/* Whether the temp file is where it was, and not another's by that name. */
static bool is_there(const struct occ_reservation *reservation)
{
	struct stat named, open;

	return !occ_file_status_at(reservation->directory, reservation->name,
				   &named) &&
	       !occ_file_status(reservation->file, &open) &&
	       occ_file_same(&named, &open);
}

/* (S8) */
static void end(struct occ_reservation *reservation)
{
	occ_file_unlock(reservation->file);
	occ_file_close(reservation->file);
	occ_file_close(reservation->ledger_file);
	reservation->file = -1;
	reservation->ledger_file = -1;
}

/*
 * Whether config.file still has our bytes in its total. When it was deleted in
 * between and made anew, or the temp file was deleted and perhaps a recount
 * has seen that, only another recount tells.
 */
static bool is_counted(const struct occ_reservation *reservation,
		       const struct occ_size_ledger *ledger)
{
	return occ_file_same(&reservation->ledger, &ledger->status) &&
	       !ledger->rebuilt;
}

int occ_reservation_commit(struct occ_reservation *reservation,
			   struct occ_size_ledger *ledger, const char *name)
{
	struct stat old;
	uint64_t old_size = 0;

	if (!is_there(reservation)) {
		end(reservation);
		occ_size_ledger_recount(ledger);
		errno = ENOENT;
		return OCC_E_IO;
	}
	if (!occ_file_status_at(reservation->directory, name, &old) &&
	    S_ISREG(old.st_mode))
		old_size = (uint64_t)old.st_size;
	/* (S1), (S3) */
	if (occ_file_rename(reservation->directory, reservation->name, name) <
	    0) {
		int saved = errno;

		occ_reservation_cancel(reservation, ledger);
		errno = saved;
		return OCC_E_IO;
	}
	/* (S7) A total that can't be lowered does no harm. */
	if (!is_counted(reservation, ledger) || old_size > ledger->size)
		occ_size_ledger_recount(ledger);
	else if (old_size)
		occ_size_ledger_subtract(ledger, old_size);
	end(reservation);
	return OCC_OK;
}

void occ_reservation_cancel(struct occ_reservation *reservation,
			    struct occ_size_ledger *ledger)
{
	int saved = errno;
	/* Once: a file that stays, for a look that failed, must count. */
	bool there = is_there(reservation);
	bool sure = there && is_counted(reservation, ledger);

	if (there &&
	    occ_file_remove(reservation->directory, reservation->name) < 0)
		sure = false;
	if (sure)
		occ_size_ledger_subtract(ledger, reservation->size);
	else
		occ_size_ledger_recount(ledger);
	end(reservation);
	errno = saved;
}

void occ_reservation_drop(struct occ_reservation *reservation)
{
	int saved = errno;

	if (is_there(reservation))
		occ_file_remove(reservation->directory, reservation->name);
	end(reservation);
	errno = saved;
}
