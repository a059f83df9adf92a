/* SPDX-License-Identifier: MIT */
#include "layer/serve/callback.h"

#include "cache/mutex.h"
#include "cache/traits.h"

/* Is the thread in a callback on a builder? */
OCC_FINDS_THREAD_LOCAL static bool *on_builder_here(void)
{
	static _Thread_local bool here;

	return &here;
}

void occ_callback_enter(struct occ_callback *callback, bool on_builder)
{
	callback->outer = *on_builder_here();
	*on_builder_here() |= on_builder;
}

void occ_callback_leave(const struct occ_callback *callback)
{
	*on_builder_here() = callback->outer;
}

bool occ_callback_blocks(const struct occ_driver *driver)
{
	return driver && driver->notify == OCC_NOTIFY_OTHER &&
	       *on_builder_here();
}
