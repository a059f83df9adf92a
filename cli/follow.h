/* SPDX-License-Identifier: MIT */
/*
 * Runs a program as if it had been started in our place: it has our standard
 * streams and signals, and we end as it does. What is sent to us is sent on to
 * it; what comes from the terminal it gets by itself. When it stops, so do we.
 *
 * From one thread, once.
 */
#ifndef OCC_CLI_FOLLOW_H
#define OCC_CLI_FOLLOW_H

/* The exit status for a program that can't be run, as shells have it. */
#define OCC_FOLLOW_NOT_RUN 126

/*
 * Takes our place for good. Returns, after an error was shown, only when it
 * can't be started: 127, there is no such program; 126, it can't be run.
 */
int occ_follow_replace(char *const *command);

/*
 * Starts it, and returns when it has ended, with the status of waitpid(); or -1
 * after an error was shown, and *ret_failed is as above. From then on SIGPIPE
 * is ignored.
 */
int occ_follow_run(char *const *command, int *ret_failed);

/*
 * Ends as it did: the exit status to be returned; of one that was killed by a
 * signal it doesn't return, as a rule.
 */
int occ_follow_end(int status);

#endif
