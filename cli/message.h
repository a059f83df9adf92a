/* SPDX-License-Identifier: MIT */
/*
 * What the command says to people, on standard error: a line each, "oclcache:"
 * in front. An error names the thing, why, and what to do. A progress bar that
 * is shown is taken away first.
 *
 * Any thread.
 */
#ifndef OCC_CLI_MESSAGE_H
#define OCC_CLI_MESSAGE_H

void occ_message_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void occ_message_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Without a word of how bad it is. */
void occ_message_note(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * The pointer; where it is NULL, the command ends with OCC_EXIT_FAILED, because
 * there is no memory: it has nothing to lose, all that it writes is written
 * whole or not at all.
 */
void *occ_message_must(void *memory);

/* The command ends with OCC_EXIT_FAILED: out of memory. */
_Noreturn void occ_message_no_memory(void);

#endif
