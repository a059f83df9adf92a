/* SPDX-License-Identifier: MIT */
/*
 * A thread that brings what waits in the queue to the server.
 *
 * An upload that fails is tried again, OCC_UPLOAD_ATTEMPTS times in all, after
 * some 100 ms, each time more. While a breaker is open none is tried and none
 * given up. What the server denies is given up at once, and puts are refused
 * until its breaker lets another one through: a credential may be for reading
 * alone, and that says nothing about gets.
 */
#ifndef OCC_STORAGE_UPLOADER_H
#define OCC_STORAGE_UPLOADER_H

#include <stdatomic.h>

#include "storage/backend.h"
#include "storage/breaker.h"
#include "storage/upload_queue.h"

#define OCC_UPLOAD_ATTEMPTS 3

struct occ_leases;

struct occ_uploader {
	const struct occ_storage_options *options;
	const struct occ_backend *backend;
	struct occ_upload_queue *queue;
	struct occ_breaker *breaker, *put_breaker;
	struct occ_leases *leases;   /* NULL: none */
	void (*done)(void *context); /* an upload left the queue */
	void *context;
	atomic_bool is_denied; /* the last one was, whatever its key */
};

/* A thread's function: `uploader` is a struct occ_uploader, which may be
 * shared. */
void *occ_uploader_run(void *uploader);

#endif
