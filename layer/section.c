/* SPDX-License-Identifier: MIT */
#include "layer/section.h"

#include <pthread.h>

/* A signal may come at any moment. */
static _Thread_local volatile bool inside;
static _Thread_local int outside = PTHREAD_CANCEL_ENABLE;

void occ_section_enter(struct occ_section *section)
{
	section->outside = outside;
	section->inside = inside;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &section->cancel);
	if (!inside)
		outside = section->cancel;
	inside = true;
}

void occ_section_leave(const struct occ_section *section)
{
	inside = section->inside;
	outside = section->outside;
	pthread_setcancelstate(section->cancel, NULL);
}

void occ_section_pause(struct occ_section *pause)
{
	pause->outside = outside;
	pause->inside = inside;
	if (!inside)
		return;
	inside = false;
	pthread_setcancelstate(outside, &pause->cancel);
}

void occ_section_resume(const struct occ_section *pause)
{
	if (!pause->inside)
		return;
	pthread_setcancelstate(pause->cancel, NULL);
	outside = pause->outside;
	inside = true;
}

bool occ_section_inside(void)
{
	return inside;
}
