/* SPDX-License-Identifier: MIT */
/*
 * Words that people know from other caches, ccache above all, and what to type
 * instead. None of them does anything here: where one means "remove
 * everything" there, a slip of the finger mustn't do so.
 */
#ifndef OCC_CLI_HABIT_H
#define OCC_CLI_HABIT_H

/*
 * `word` is a command or an option ("-s", "--max-size=5G") that isn't known.
 * `command`: the one that it was given to; NULL: it stands in a command's
 * place. What to do, for the end of a message ("run 'oclcache stats'");
 * static. NULL: it is nobody's habit.
 */
const char *occ_habit_advice(const char *command, const char *word);

#endif
