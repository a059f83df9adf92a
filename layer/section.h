/* SPDX-License-Identifier: MIT */
/*
 * Sections of a thread's way through the layer that it must not leave by the
 * way. In a section it can't be cancelled: it would keep locks, or what others
 * wait for. And exit(), when a signal's handler calls it there, finds out that
 * the thread may have any of the layer's locks.
 *
 *	occ_section_enter(&section);
 *		...
 *		occ_section_pause(&pause);	around what is the application's
 *		its callback, or the driver's call that it asked for
 *		occ_section_resume(&pause);
 *		...
 *	occ_section_leave(&section);
 *
 * Sections nest. A pause has the state that the thread had outside. Any thread;
 * calls no driver, takes no lock.
 */
#ifndef OCC_LAYER_SECTION_H
#define OCC_LAYER_SECTION_H

#include <stdbool.h>

struct occ_section {
	int cancel;  /* whether it could be cancelled before */
	int outside; /* and outside of the section around it */
	bool inside;
};

void occ_section_enter(struct occ_section *section);
void occ_section_leave(const struct occ_section *section);

/* Without a section they do nothing. */
void occ_section_pause(struct occ_section *pause);
void occ_section_resume(const struct occ_section *pause);

/* Is this thread in one? Also for handlers of signals. */
bool occ_section_inside(void);

#endif
