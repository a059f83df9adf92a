/* SPDX-License-Identifier: MIT */
/*
 * Reads what a remote storage helper says (cache/remote_protocol.h), and takes
 * nothing else for an answer: of each function the fault is the stream's, and
 * OCC_REMOTE_FAULT_PROTOCOL or _VERSION for what can't be.
 *
 * Threads: those of the stream.
 */
#ifndef OCC_CACHE_REMOTE_ANSWER_H
#define OCC_CACHE_REMOTE_ANSWER_H

#include "cache/remote_stream.h"

/* The version, and what the helper can: it must store. */
bool occ_remote_answer_greeting(struct occ_remote_stream *stream,
				struct occ_remote_answer *ret_answer);

/*
 * True: *ret_result is OCC_REMOTE_OK or OCC_REMOTE_NOOP. An error, with its
 * message, is OCC_REMOTE_FAULT_SERVER.
 */
bool occ_remote_answer_result(struct occ_remote_stream *stream,
			      struct occ_remote_answer *ret_answer,
			      unsigned char *ret_result);

/*
 * Appends the bytes of a value. Memory is taken as they come, not as their
 * number is announced. OCC_OK (also with a fault), or OCC_E_MEMORY.
 */
int occ_remote_answer_value(struct occ_remote_stream *stream,
			    struct occ_buffer *value);

/* Appends an identity and messages, a line each. The same. */
int occ_remote_answer_info(struct occ_remote_stream *stream,
			   struct occ_buffer *lines);

/* Nothing more is to come: what is there already is a fault. */
void occ_remote_answer_end(struct occ_remote_stream *stream);

#endif
