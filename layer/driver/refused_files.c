/* SPDX-License-Identifier: MIT */
#include "layer/driver/refused_files.h"

#include <stdatomic.h>
#include <sys/stat.h>

#include "layer/base/log.h"

static atomic_bool seen;

/* Also a link that leads nowhere: it may in a moment. */
bool occ_refused_files_seen(const struct occ_component *components)
{
	const struct occ_component *component = components;
	struct stat status;

	for (; component && component->pattern; component++) {
		if (component->kind != OCC_COMPONENT_REFUSED)
			continue;
		if (atomic_load(&seen))
			return true;
		if (!lstat(component->pattern, &status)) {
			occ_log_debug("%s may say how things are compiled",
				      component->pattern);
			atomic_store(&seen, true);
			return true;
		}
	}
	return false;
}

void occ_refused_files_start(void)
{
	const struct occ_driver *driver;

	atomic_store(&seen, false);
	for (size_t i = 0; (driver = occ_driver_at(i)); i++)
		occ_refused_files_seen(driver->components);
}
