/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application: the next thread that is made begins only when
 * this one looks where a link leads to, and ends before it knows. Then
 * `meanwhile` is called, once.
 *
 *	late_arm(meanwhile)
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*hook)(void); /* the armed thread's; NULL: not armed */
static pthread_t armed;
static bool made, looking, ended;

struct start {
	void *(*run)(void *data);
	void *data;
};

void late_arm(void (*meanwhile)(void));

EXPORT void late_arm(void (*meanwhile)(void))
{
	armed = pthread_self();
	hook = meanwhile;
}

static void set(bool *flag)
{
	pthread_mutex_lock(&mutex);
	*flag = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void await(const bool *flag)
{
	pthread_mutex_lock(&mutex);
	while (!*flag)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void *run_late(void *data)
{
	struct start start = *(struct start *)data;
	void *result;

	free(data);
	await(&looking);
	result = start.run(start.data);
	set(&ended);
	return result;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*run)(void *), void *data)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			 void *))dlsym(RTLD_NEXT, "pthread_create");
	struct start *start;

	if (!hook || made || !pthread_equal(pthread_self(), armed))
		return next(thread, attributes, run, data);
	start = malloc(sizeof(*start));
	if (!start)
		abort();
	*start = (struct start){run, data};
	made = true;
	return next(thread, attributes, run_late, start);
}

EXPORT ssize_t readlink(const char *path, char *buffer, size_t size)
{
	ssize_t (*next)(const char *, char *, size_t) =
		(ssize_t(*)(const char *, char *, size_t))dlsym(RTLD_NEXT,
								"readlink");

	if (hook && made && pthread_equal(pthread_self(), armed)) {
		void (*meanwhile)(void) = hook;

		hook = NULL;
		set(&looking);
		await(&ended);
		meanwhile();
	}
	return next(path, buffer, size);
}
