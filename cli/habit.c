/* SPDX-License-Identifier: MIT */
#include "cli/habit.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SET_SIZE                                                               \
	"to limit the size, add OCLCACHE_MAX_SIZE=SIZE to "                    \
	"~/.config/oclcache.conf"
#define SET_ANY "to change a setting, add NAME=VALUE to ~/.config/oclcache.conf"

/* ccache(1) has the options. */
static const struct {
	const char *command; /* NULL: in a command's place */
	const char *words;   /* with blanks between them, and around all */
	const char *advice;
} habits[] = {
	{NULL, " -s --show-stats --print-stats -sv -vs -svv -vvs ",
	 "run 'oclcache stats'"},
	{NULL, " -z --zero-stats zero reset ", "run 'oclcache stats --zero'"},
	{NULL, " -C --clear clean purge rm wipe ", "run 'oclcache clear'"},
	{NULL, " -c --cleanup cleanup prune trim ",
	 "run 'oclcache evict --to SIZE'"},
	{NULL, " --evict-older-than ", "run 'oclcache clear --older-than AGE'"},
	{NULL, " -M --max-size ", SET_SIZE},
	{NULL, " -F --max-files ",
	 "the size of all files is limited instead, by OCLCACHE_MAX_SIZE"},
	{NULL, " -o --set-config --set set ", SET_ANY},
	{NULL, " -p --show-config -k --get-config ", "run 'oclcache config'"},
	{NULL, " -d --dir --directory ",
	 "it comes after the command: 'oclcache list --dir DIR'"},
	{NULL, " statistics ", "run 'oclcache stats'"},
	{NULL, " why reason reasons ", "run 'oclcache explain PROGRAM'"},
	{NULL, " ls show ", "run 'oclcache list'"},
	{NULL, " on activate ", "run 'oclcache enable'"},
	{NULL, " off deactivate uninstall ", "run 'oclcache disable'"},
	{NULL, " version -v ", "run 'oclcache --version'"},
	{"config", " -o --set --set-config -s ", SET_ANY},
	{"config", " -M --max-size ", SET_SIZE},
	{"stats", " --reset ", "run 'oclcache stats --zero'"},
};

/* Is it one of them, as a whole? */
static bool is_among(const char *words, const char *word, size_t length)
{
	for (const char *at = words; (at = strstr(at, word)); at++)
		if (at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}

const char *occ_habit_advice(const char *command, const char *word)
{
	char name[32];
	size_t length = strcspn(word, "=");

	if (!length || length >= sizeof(name) || strchr(word, ' '))
		return NULL;
	memcpy(name, word, length);
	name[length] = '\0';
	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++) {
		if (command ? !habits[i].command ||
				      strcmp(habits[i].command, command) != 0
			    : habits[i].command != NULL)
			continue;
		if (is_among(habits[i].words, name, length))
			return habits[i].advice;
	}
	return NULL;
}
