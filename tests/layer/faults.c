/* SPDX-License-Identifier: MIT */
/*
 * Does what valgrind must report, for tests/layer/82-valgrind: `faults WHICH`.
 * Ends with 0, whatever was reported.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static char *volatile block;
static volatile int shared;

static void leak(void)
{
	block = malloc(64);
	block = NULL;
}

static void use_what_was_never_set(void)
{
	block = malloc(1);
	if (*block)
		puts("set");
	free(block);
}

/* In a child, which loses the block, too: that doesn't count. */
static void fail_in_child(void)
{
	pid_t child = fork();

	if (!child) {
		use_what_was_never_set();
		leak();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void leak_in_child(void)
{
	pid_t child = fork();

	if (!child) {
		leak();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void take_both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static void change_order(void)
{
	take_both(&first, &second);
	take_both(&second, &first);
}

static void unlock_what_is_not_held(void)
{
	pthread_mutex_unlock(&first);
}

static void destroy_while_held(void)
{
	pthread_mutex_lock(&first);
	pthread_mutex_destroy(&first);
}

static void *write_shared(void *data)
{
	(void)data;
	shared++;
	return NULL;
}

static void race(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_shared, NULL))
		return;
	shared++;
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*make)(void);
} faults[] = {
	{"nothing", NULL},
	{"leak", leak},
	{"unset", use_what_was_never_set},
	{"child", fail_in_child},
	{"child-leak", leak_in_child},
	{"order", change_order},
	{"unlock", unlock_what_is_not_held},
	{"destroy", destroy_while_held},
	{"race", race},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		if (argc != 2 || strcmp(argv[1], faults[i].name) != 0)
			continue;
		if (faults[i].make)
			faults[i].make();
		return 0;
	}
	fprintf(stderr, "usage: faults WHICH\n");
	return 2;
}
