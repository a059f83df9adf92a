/* SPDX-License-Identifier: MIT */
#include "layer/base/section.h"

#include <errno.h>
#include <pthread.h>

#include "cache/mutex.h"

/* A signal may come at any moment. */
struct here {
	volatile bool inside;
	int outside; /* 0: PTHREAD_CANCEL_ENABLE */
};

OCC_FINDS_THREAD_LOCAL static struct here *find(void)
{
	static _Thread_local struct here here;

	return &here;
}

void occ_section_enter(struct occ_section *section)
{
	struct here *here = find();

	section->saved_errno = errno;
	section->outside = here->outside;
	section->inside = here->inside;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &section->cancel);
	if (!here->inside)
		here->outside = section->cancel;
	here->inside = true;
}

void occ_section_leave(const struct occ_section *section)
{
	struct here *here = find();

	here->inside = section->inside;
	here->outside = section->outside;
	pthread_setcancelstate(section->cancel, NULL);
	errno = section->saved_errno;
}

void occ_section_pause(struct occ_section *pause)
{
	struct here *here = find();

	pause->outside = here->outside;
	pause->inside = here->inside;
	if (!here->inside)
		return;
	here->inside = false;
	pthread_setcancelstate(here->outside, &pause->cancel);
}

void occ_section_resume(const struct occ_section *pause)
{
	struct here *here = find();

	if (!pause->inside)
		return;
	pthread_setcancelstate(pause->cancel, NULL);
	here->outside = pause->outside;
	here->inside = true;
}

bool occ_section_inside(void)
{
	return find()->inside;
}
