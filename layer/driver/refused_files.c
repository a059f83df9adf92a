/* SPDX-License-Identifier: MIT */
#include "layer/driver/refused_files.h"

#include <stdatomic.h>
#include <sys/stat.h>

#include "layer/base/log.h"

/* Of which drivers: a bit for each record. */
static atomic_uint seen;

_Static_assert(OCC_DRIVERS <= 32, "a bit for each record");

/* Several records may have the same components: the first one's. */
static unsigned bit_of(const struct occ_component *components)
{
	size_t i = 0;

	while (i < OCC_DRIVERS && occ_driver_at(i)->components != components)
		i++;
	return i < OCC_DRIVERS ? 1U << i : 0;
}

/* Also a link that leads nowhere: it may in a moment. */
bool occ_refused_files_seen(const struct occ_component *components)
{
	const struct occ_component *component = components;
	struct stat status;

	for (; component && component->pattern; component++) {
		if (component->kind != OCC_COMPONENT_REFUSED)
			continue;
		if (atomic_load(&seen) & bit_of(components))
			return true;
		if (!lstat(component->pattern, &status)) {
			occ_log_debug("%s may say how things are compiled",
				      component->pattern);
			atomic_fetch_or(&seen, bit_of(components));
			return true;
		}
	}
	return false;
}

void occ_refused_files_start(void)
{
	atomic_store(&seen, 0);
	for (size_t i = 0; occ_driver_at(i); i++)
		occ_refused_files_seen(occ_driver_components_at(i));
}
