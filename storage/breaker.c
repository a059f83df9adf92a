/* SPDX-License-Identifier: MIT */
#include "storage/breaker.h"

void occ_breaker_init(struct occ_breaker *breaker, unsigned threshold)
{
	*breaker = (struct occ_breaker){.threshold = threshold};
	pthread_mutex_init(&breaker->lock, NULL);
}

static bool is_open_locked(const struct occ_breaker *breaker, uint64_t now,
			   uint64_t *ret_wait)
{
	*ret_wait = 0;
	if (!breaker->open_ms)
		return false;
	if (breaker->is_probed)
		return true;
	if (now >= breaker->until)
		return false;
	*ret_wait = breaker->until - now;
	return true;
}

bool occ_breaker_is_open(struct occ_breaker *breaker, uint64_t now,
			 uint64_t *ret_wait)
{
	bool is_open;

	pthread_mutex_lock(&breaker->lock);
	is_open = is_open_locked(breaker, now, ret_wait);
	pthread_mutex_unlock(&breaker->lock);
	return is_open;
}

bool occ_breaker_allows(struct occ_breaker *breaker, uint64_t now,
			uint64_t *ret_wait)
{
	bool is_open;

	pthread_mutex_lock(&breaker->lock);
	is_open = is_open_locked(breaker, now, ret_wait);
	if (!is_open && breaker->open_ms)
		breaker->is_probed = true;
	pthread_mutex_unlock(&breaker->lock);
	return !is_open;
}

void occ_breaker_succeeded(struct occ_breaker *breaker)
{
	pthread_mutex_lock(&breaker->lock);
	breaker->failures = 0;
	breaker->open_ms = 0;
	breaker->is_probed = false;
	pthread_mutex_unlock(&breaker->lock);
}

void occ_breaker_failed(struct occ_breaker *breaker, bool is_expensive,
			uint64_t now)
{
	pthread_mutex_lock(&breaker->lock);
	breaker->failures += is_expensive ? breaker->threshold : 1;
	/* What was under way when it opened says nothing new. */
	if (breaker->open_ms ? breaker->is_probed
			     : breaker->failures >= breaker->threshold) {
		breaker->open_ms = breaker->open_ms ? breaker->open_ms * 2
						    : OCC_BREAKER_FIRST_MS;
		if (breaker->open_ms > OCC_BREAKER_MOST_MS)
			breaker->open_ms = OCC_BREAKER_MOST_MS;
		breaker->until = now + breaker->open_ms;
		breaker->is_probed = false;
		breaker->opened++;
	}
	pthread_mutex_unlock(&breaker->lock);
}

void occ_breaker_untried(struct occ_breaker *breaker)
{
	pthread_mutex_lock(&breaker->lock);
	breaker->is_probed = false;
	pthread_mutex_unlock(&breaker->lock);
}

uint64_t occ_breaker_openings(struct occ_breaker *breaker)
{
	uint64_t opened;

	pthread_mutex_lock(&breaker->lock);
	opened = breaker->opened;
	pthread_mutex_unlock(&breaker->lock);
	return opened;
}
