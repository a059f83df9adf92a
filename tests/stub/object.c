/* SPDX-License-Identifier: MIT */
#include "tests/stub/object.h"

#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/stub/switches.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *registry; /* tsearch() of all handles ever made */
static struct stub_object *released[STUB_KINDS];
static size_t alive[STUB_KINDS];

void stub_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void stub_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

void stub_die(const char *format, ...)
{
	char line[512];
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	if (length > (int)sizeof(line) - 1)
		length = (int)sizeof(line) - 1;
	if (write(2, "oclcache stub: ", 15) < 0 ||
	    write(2, line, (size_t)length) < 0 || write(2, "\n", 1) < 0)
		abort();
	abort();
}

void *stub_allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		stub_die("out of memory");
	return memory;
}

char *stub_copy(const void *bytes, size_t size)
{
	char *copy = stub_allocate(size + 1, 1);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

static int compare(const void *one, const void *two)
{
	uintptr_t a = (uintptr_t)one, b = (uintptr_t)two;

	return (a > b) - (a < b);
}

/* A released object's memory, or new one. */
static struct stub_object *place(enum stub_kind kind, size_t size)
{
	struct stub_object *object = released[kind];

	if (object && stub.reuse) {
		released[kind] = object->next_free;
		memset((void *)object, 0, size);
		return object;
	}
	object = stub_allocate(1, size);
	if (!tsearch(object, &registry, compare))
		stub_die("out of memory");
	return object;
}

void *stub_object_new(enum stub_kind kind, size_t size,
		      const struct stub_object *like)
{
	struct stub_object *object = place(kind, size);

	if (like) {
		object->dispatch = like->dispatch;
		object->dispatch_data = like->dispatch_data;
	}
	object->kind = kind;
	object->alive = true;
	object->references = 1;
	alive[kind]++;
	return object;
}

void stub_object_end(struct stub_object *object)
{
	object->alive = false;
	object->next_free = released[object->kind];
	released[object->kind] = object;
	alive[object->kind]--;
}

bool stub_is(const void *handle, enum stub_kind kind)
{
	void *const *found = tfind(handle, &registry, compare);
	const struct stub_object *object = found ? *found : NULL;

	if (!object || object->kind != kind)
		return false;
	if (!object->alive && stub.strict)
		stub_die("a released handle of kind %d is used", (int)kind);
	return object->alive;
}

size_t stub_objects_alive(enum stub_kind kind)
{
	return alive[kind];
}

struct visitor {
	enum stub_kind kind;
	void (*visit)(struct stub_object *object, void *data);
	void *data;
};

static void visit_node(const void *node, VISIT order, void *closure)
{
	struct stub_object *object = *(struct stub_object *const *)node;
	const struct visitor *visitor = closure;

	if ((order == postorder || order == leaf) && object->alive &&
	    object->kind == visitor->kind)
		visitor->visit(object, visitor->data);
}

void stub_objects_visit(enum stub_kind kind,
			void (*visit)(struct stub_object *object, void *data),
			void *data)
{
	struct visitor visitor = {kind, visit, data};

	twalk_r(registry, visit_node, &visitor);
}
