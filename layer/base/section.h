/* SPDX-License-Identifier: MIT */
/*
 * Sections of the layer's code that a thread must run to their end. In a
 * section the thread can't be cancelled, because it may hold locks, or
 * something that others wait for. And if a signal handler calls exit() there,
 * the exit handlers know that the thread may hold any of the layer's locks.
 * Leaving a section restores errno, as the application had it.
 *
 *	occ_section_enter(&section);
 *		...
 *		occ_section_pause(&pause);	around what is the application's
 *		its callback, or the driver's call that it asked for
 *		occ_section_resume(&pause);
 *		...
 *	occ_section_leave(&section);
 *
 * Sections nest. In a pause the thread is as cancellable as it was outside. Any
 * thread; calls no driver, takes no lock.
 */
#ifndef OCC_LAYER_BASE_SECTION_H
#define OCC_LAYER_BASE_SECTION_H

#include <stdbool.h>

struct occ_section {
	int saved_errno;
	int cancel;  /* cancel state before this section */
	int outside; /* cancel state outside of the outermost one */
	bool inside;
};

void occ_section_enter(struct occ_section *section);
void occ_section_leave(const struct occ_section *section);

/* Without a section they do nothing. */
void occ_section_pause(struct occ_section *pause);
void occ_section_resume(const struct occ_section *pause);

/* Is this thread in one? May be called in a signal handler. */
bool occ_section_inside(void);

#endif
