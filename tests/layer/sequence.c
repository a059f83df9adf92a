/* SPDX-License-Identifier: MIT */
/*
 * Plays random calls with programs and kernels, and writes down all that an
 * application can see of them:
 *
 *	sequence NUMBER [plain|callbacks|crowd]
 *	sequence fill
 *
 * The latter builds and compiles all that sequences do first. All else follows
 * from the number. With callbacks, builds, links, events, memory, programs and
 * the context have some that call the API themselves; a crowd is eight threads
 * of these in one context. What a bare driver dies of or hangs in is left out:
 * doc/drivers.md says what that is.
 */
#include <unistd.h>

#include "tests/layer/sequence_callbacks.h"

#define STEPS	70
#define THREADS 8

static struct slot *free_slot(struct player *player)
{
	for (int i = 0; i < PROGRAMS; i++)
		if (!player->programs[i].handle)
			return &player->programs[i];
	return NULL;
}

static struct slot *any_program(struct player *player)
{
	unsigned at = roll(player, PROGRAMS);

	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct slot *slot = &player->programs[(at + i) % PROGRAMS];

		if (slot->handle)
			return slot;
	}
	return NULL;
}

static struct kernel_slot *any_kernel(struct player *player)
{
	unsigned at = roll(player, KERNELS);

	for (unsigned i = 0; i < KERNELS; i++) {
		struct kernel_slot *slot = &player->kernels[(at + i) % KERNELS];

		if (slot->handle)
			return slot;
	}
	return NULL;
}

static void add_program(struct player *player, cl_program handle, int source,
			enum made made)
{
	struct slot *slot = free_slot(player);

	*slot = (struct slot){
		.handle = handle,
		.number = player->numbers++,
		.references = 1,
		.source = source,
		.made = made,
		.built = made == MADE_LINK,
	};
	fprintf(player->out, " -> P%d", slot->number);
}

static bool add_kernel(struct player *player, cl_kernel handle, int of,
		       cl_program program)
{
	for (int i = 0; i < KERNELS; i++) {
		struct kernel_slot *slot = &player->kernels[i];

		if (slot->handle)
			continue;
		*slot = (struct kernel_slot){
			.handle = handle,
			.number = player->numbers++,
			.references = 1,
			.of = of,
			.program = program,
		};
		fprintf(player->out, " -> K%d", slot->number);
		return true;
	}
	clReleaseKernel(handle);
	return false;
}

static void create(struct player *player)
{
	int source = (int)roll(player, LENGTH(sources));
	const char *text;
	cl_program program;
	cl_int code;

	if (!free_slot(player))
		return;
	/* Most of what there is to see needs kernels. */
	if (source >= 2 && roll(player, 2))
		source = 0;
	text = sources[source];
	program = clCreateProgramWithSource(player->world->context, 1, &text,
					    NULL, &code);
	fprintf(player->out, "create source %d: %d", source, code);
	if (program)
		add_program(player, program, source, MADE_NOTHING);
	fputc('\n', player->out);
}

/* Kernels of a program that was built in vain can't be launched any more. */
static void note_made(struct player *player, struct slot *slot, cl_int code,
		      enum made made)
{
	if (code == CL_INVALID_OPERATION || code == CL_INVALID_VALUE)
		return;
	slot->made = code ? MADE_FAILURE : made;
	slot->built |= slot->made == MADE_BUILD;
	for (int i = 0; i < KERNELS; i++)
		if (player->kernels[i].of == slot->number)
			player->kernels[i].doomed |= code != CL_SUCCESS;
}

/* Some drivers die of failures, or of what follows them. */
static const char *any_options(struct player *player)
{
	unsigned count = LENGTH(options);

	if (player->world->oclgrind)
		count--;
	return options[roll(player, count)];
}

static bool has_kernels(const struct player *player, const struct slot *slot)
{
	for (int i = 0; i < KERNELS; i++)
		if (player->kernels[i].handle &&
		    player->kernels[i].of == slot->number)
			return true;
	return false;
}

/*
 * Oclgrind dies of kernels of a program that is built anew, PoCL of a program
 * that was linked and is built.
 */
static bool may_build(const struct player *player, const struct slot *slot)
{
	const struct world *world = player->world;

	return slot && !(world->oclgrind && has_kernels(player, slot)) &&
	       !(world->pocl && slot->made == MADE_LINK);
}

/* A callback for a build, perhaps, which may release the last reference. */
static struct callback *callback_for(struct player *player, struct slot *slot)
{
	struct callback *callback;

	if (!player->callbacks || !roll(player, 3))
		return NULL;
	callback = draw_callback(player, FOR_BUILD, player->gate);
	for (int i = 0; callback && i < ACTIONS; i++)
		if (callback->actions[i] == ACT_RELEASE &&
		    !clRetainProgram(slot->handle))
			callback->extra++;
	return callback;
}

static void end_callback(struct player *player, struct callback *callback,
			 cl_int code, cl_program handle)
{
	if (callback && !code)
		await(callback);
	/* What it was to release, if it wasn't called. */
	if (callback && !atomic_load(&callback->called))
		for (; callback->extra > 0; callback->extra--)
			clReleaseProgram(handle);
	(void)player;
}

static void build(struct player *player)
{
	struct slot *slot = any_program(player);
	struct callback *callback;
	const char *option;
	cl_int code;

	if (!may_build(player, slot))
		return;
	option = any_options(player);
	callback = callback_for(player, slot);
	code = clBuildProgram(slot->handle, 1, &player->world->device, option,
			      callback ? on_built : NULL, callback);
	fprintf(player->out, "build P%d %s", slot->number, option);
	if (callback)
		fprintf(player->out, " callback %d", callback->number);
	fprintf(player->out, ": %d\n", code);
	if (slot->made != MADE_LINK)
		note_made(player, slot, code, MADE_BUILD);
	end_callback(player, callback, code, slot->handle);
	show_program(player, slot);
}

static void compile(struct player *player)
{
	struct slot *slot = any_program(player);
	struct callback *callback;
	const char *option;
	cl_int code;

	if (!may_build(player, slot))
		return;
	option = any_options(player);
	callback = callback_for(player, slot);
	code = clCompileProgram(slot->handle, 1, &player->world->device, option,
				0, NULL, NULL, callback ? on_built : NULL,
				callback);
	fprintf(player->out, "compile P%d %s", slot->number, option);
	if (callback)
		fprintf(player->out, " callback %d", callback->number);
	fprintf(player->out, ": %d\n", code);
	if (slot->made != MADE_LINK)
		note_made(player, slot, code, MADE_OBJECT);
	end_callback(player, callback, code, slot->handle);
	show_program(player, slot);
}

/*
 * Objects for a link. Oclgrind ends the process for two kernels of one name,
 * and for a function that is nowhere.
 */
static cl_uint gather_objects(struct player *player, cl_program inputs[2])
{
	bool one = player->world->oclgrind;
	cl_uint count = 0;

	for (int i = 0; i < PROGRAMS && count < (one ? 1 : 2); i++) {
		struct slot *slot = &player->programs[i];

		if (slot->handle && slot->made == MADE_OBJECT &&
		    !(one && slot->source == 2))
			inputs[count++] = slot->handle;
	}
	return count;
}

static void link_some(struct player *player)
{
	cl_program inputs[2], program;
	cl_uint count = gather_objects(player, inputs);
	struct callback *callback = NULL;
	cl_int code;

	if (!count || !free_slot(player))
		return;
	if (player->callbacks && roll(player, 2))
		callback = draw_callback(player, FOR_LINK, player->gate);
	program = clLinkProgram(player->world->context, 1,
				&player->world->device, "", count, inputs,
				callback ? on_built : NULL, callback, &code);
	fprintf(player->out, "link %u: %d", count, code);
	if (callback && program && !code)
		await(callback);
	if (program && !code)
		add_program(player, program, -1, MADE_LINK);
	else if (program)
		clReleaseProgram(program);
	fputc('\n', player->out);
}

static bool may_have_kernels(const struct slot *slot)
{
	return slot && (slot->made == MADE_BUILD || slot->made == MADE_LINK);
}

static void create_kernel(struct player *player)
{
	static const char *const names[] = {"scale", "other", "scale", "none"};
	struct slot *slot = any_program(player);
	const char *name;
	cl_kernel kernel;
	cl_int code;

	if (!may_have_kernels(slot))
		return;
	name = names[roll(player, LENGTH(names))];
	kernel = clCreateKernel(slot->handle, name, &code);
	fprintf(player->out, "kernel %s of P%d: %d", name, slot->number, code);
	if (kernel)
		add_kernel(player, kernel, slot->number, slot->handle);
	fputc('\n', player->out);
}

static void create_kernels(struct player *player)
{
	struct slot *slot = any_program(player);
	cl_kernel list[4] = {NULL};
	cl_uint count = 0;
	cl_int code;

	if (!may_have_kernels(slot))
		return;
	code = clCreateKernelsInProgram(slot->handle, LENGTH(list), list,
					&count);
	fprintf(player->out, "kernels of P%d: %d %u\n", slot->number, code,
		count);
	/* They are in any order. */
	for (cl_uint i = 0; !code && i < count && i < LENGTH(list); i++)
		clReleaseKernel(list[i]);
}

static void clone_kernel(struct player *player)
{
	struct kernel_slot *slot = any_kernel(player);
	cl_kernel kernel;
	cl_int code;

	if (!slot || player->world->version < 210)
		return;
	kernel = clCloneKernel(slot->handle, &code);
	fprintf(player->out, "clone K%d: %d", slot->number, code);
	if (kernel && add_kernel(player, kernel, slot->of, slot->program))
		show_kernel(player->out, player->world, kernel, slot->program);
	fputc('\n', player->out);
}

static void release_kernel(struct player *player)
{
	struct kernel_slot *slot = any_kernel(player);
	cl_int code;

	if (!slot)
		return;
	code = clReleaseKernel(slot->handle);
	fprintf(player->out, "release K%d: %d\n", slot->number, code);
	if (!--slot->references)
		slot->handle = NULL;
}

/* Of one program: then it may be built again. */
static void release_kernels(struct player *player)
{
	struct kernel_slot *slot = any_kernel(player);
	int of = slot ? slot->of : -1;

	for (int i = 0; i < KERNELS; i++) {
		slot = &player->kernels[i];
		if (!slot->handle || slot->of != of)
			continue;
		for (; slot->references; slot->references--)
			fprintf(player->out, "release K%d: %d\n", slot->number,
				clReleaseKernel(slot->handle));
		slot->handle = NULL;
	}
}

static void retain_kernel(struct player *player)
{
	struct kernel_slot *slot = any_kernel(player);

	if (!slot)
		return;
	fprintf(player->out, "retain K%d: %d\n", slot->number,
		clRetainKernel(slot->handle));
	slot->references++;
}

static void release_program(struct player *player)
{
	struct slot *slot = any_program(player);

	if (!slot)
		return;
	fprintf(player->out, "release P%d: %d\n", slot->number,
		clReleaseProgram(slot->handle));
	if (!--slot->references)
		slot->handle = NULL;
}

static void retain_program(struct player *player)
{
	struct slot *slot = any_program(player);

	if (!slot)
		return;
	fprintf(player->out, "retain P%d: %d\n", slot->number,
		clRetainProgram(slot->handle));
	slot->references++;
}

/* Threads of drivers let go of what is done a little later. */
static void finish(struct player *player)
{
	clFinish(player->queue);
	if (player->world->rusticl) {
		clEnqueueMarkerWithWaitList(player->queue, 0, NULL, NULL);
		clFinish(player->queue);
	}
	usleep(3000);
}

/* Commands may wait for an event: kernels, but for drivers that hang then. */
static bool may_gate(const struct player *player)
{
	return player->world->rusticl || player->callbacks;
}

static void open_gate(struct player *player)
{
	cl_int code;

	if (!player->gate)
		return;
	code = clSetUserEventStatus(player->gate, CL_COMPLETE);
	fprintf(player->out, "complete: %d\n", code);
	clReleaseEvent(player->gate);
	player->gate = NULL;
	finish(player);
}

static void launch(struct player *player)
{
	struct kernel_slot *slot = any_kernel(player);
	size_t items = RUN_ITEMS;
	/* PoCL hangs, and Intel's dies at times, where kernels wait. */
	bool waits = player->gate && player->world->rusticl;
	int x = 5;
	cl_int code, codes[2];

	if (!slot || slot->doomed || (player->gate && !waits))
		return;
	codes[0] = clSetKernelArg(slot->handle, 0, sizeof(player->buffer),
				  &player->buffer);
	codes[1] = clSetKernelArg(slot->handle, 1, sizeof(x), &x);
	code = clEnqueueNDRangeKernel(player->queue, slot->handle, 1, NULL,
				      &items, NULL, waits,
				      waits ? &player->gate : NULL, NULL);
	fprintf(player->out, "launch K%d: %d %d %d\n", slot->number, codes[0],
		codes[1], code);
	if (!player->gate)
		finish(player);
}

static void close_gate(struct player *player)
{
	struct callback *callback = NULL;
	cl_event user, done = NULL;
	static const int values[RUN_ITEMS];
	cl_int code;

	if (player->gate || !may_gate(player))
		return;
	user = clCreateUserEvent(player->world->context, &code);
	fprintf(player->out, "user event: %d\n", code);
	if (!user)
		return;
	player->gate = user;
	if (!player->callbacks)
		return;
	code = clEnqueueWriteBuffer(player->queue, player->buffer, CL_FALSE, 0,
				    sizeof(values), values, 1, &user, &done);
	fprintf(player->out, "write: %d\n", code);
	if (!code && roll(player, 2))
		callback = draw_callback(player, FOR_EVENT, NULL);
	if (callback)
		fprintf(player->out, "callback %d: %d\n", callback->number,
			clSetEventCallback(done, CL_COMPLETE, on_event,
					   callback));
	if (done)
		clReleaseEvent(done);
}

static void toggle_gate(struct player *player)
{
	if (player->gate)
		open_gate(player);
	else
		close_gate(player);
}

static void run(struct player *player)
{
	int out[RUN_ITEMS];
	cl_int code;

	if (player->gate)
		return;
	code = clEnqueueReadBuffer(player->queue, player->buffer, CL_TRUE, 0,
				   sizeof(out), out, 0, NULL, NULL);
	fprintf(player->out, "read: %d %d %d\n", code, out[0],
		out[RUN_ITEMS - 1]);
	finish(player);
}

static void specialize(struct player *player)
{
	struct slot *slot = any_program(player);
	int value = 3;

	/* PoCL fails an assertion for what isn't built. */
	if (!slot || player->world->version < 220 || player->world->pocl)
		return;
	fprintf(player->out, "constant of P%d: %d\n", slot->number,
		clSetProgramSpecializationConstant(slot->handle, 1,
						   sizeof(value), &value));
}

static void unload(struct player *player)
{
	fprintf(player->out, "unload: %d\n",
		clUnloadPlatformCompiler(player->world->platform));
}

static void watch_program(struct player *player)
{
	struct slot *slot = any_program(player);
	struct callback *callback;

	if (!slot || !player->callbacks || player->world->version < 220)
		return;
	callback = draw_callback(player, FOR_RELEASE, NULL);
	if (callback)
		fprintf(player->out, "callback %d of P%d: %d\n",
			callback->number, slot->number,
			clSetProgramReleaseCallback(slot->handle, on_release,
						    callback));
}

static void watch_memory(struct player *player)
{
	struct callback *callback;
	cl_mem buffer;
	cl_int code;

	if (!player->callbacks)
		return;
	buffer = clCreateBuffer(player->world->context, 0, 64, NULL, &code);
	callback =
		buffer ? draw_callback(player, FOR_MEMORY, player->gate) : NULL;
	if (callback)
		fprintf(player->out, "callback %d of memory: %d\n",
			callback->number,
			clSetMemObjectDestructorCallback(buffer, on_memory,
							 callback));
	if (buffer)
		clReleaseMemObject(buffer);
}

static void show(struct player *player)
{
	struct slot *slot = any_program(player);
	struct kernel_slot *kernel = any_kernel(player);

	if (slot)
		show_program(player, slot);
	if (kernel)
		show_slot(player, kernel);
	show_context(player);
}

static void step(struct player *player)
{
	static void (*const steps[])(struct player *) = {
		create,
		create,
		build,
		build,
		build,
		build,
		compile,
		compile,
		link_some,
		create_kernel,
		create_kernel,
		create_kernel,
		create_kernel,
		create_kernels,
		clone_kernel,
		clone_kernel,
		clone_kernel,
		release_kernel,
		release_kernel,
		release_kernel,
		release_kernels,
		release_kernels,
		retain_kernel,
		release_program,
		retain_program,
		launch,
		launch,
		launch,
		toggle_gate,
		toggle_gate,
		run,
		specialize,
		unload,
		watch_program,
		watch_memory,
		show,
	};

	steps[roll(player, LENGTH(steps))](player);
}

/* Everything goes, in any order, the context included; kernels are asked. */
static void dismantle(struct player *player)
{
	bool context = player->alone;
	struct kernel_slot *kernel;

	while (context || any_program(player) || any_kernel(player)) {
		unsigned what = roll(player, 3);

		if (what == 0)
			release_program(player);
		else if (what == 1)
			release_kernel(player);
		else if (context) {
			clReleaseMemObject(player->buffer);
			clReleaseCommandQueue(player->queue);
			clReleaseCommandQueue(player->world->queue);
			fprintf(player->out, "release context: %d\n",
				clReleaseContext(player->world->context));
			context = false;
		}
		kernel = any_kernel(player);
		if (kernel)
			show_slot(player, kernel);
	}
}

/* The process ends with all that there is, and commands under way. */
static void leave(struct player *player)
{
	if (player->gate)
		fprintf(player->out, "complete: %d\n",
			clSetUserEventStatus(player->gate, CL_COMPLETE));
}

static void print_callbacks(struct player *player)
{
	for (int i = 0; i < player->callback_count; i++)
		let_go(player->made[i]);
	for (int i = 0; i < player->callback_count; i++)
		fprintf(player->out, "%d times %s",
			atomic_load(&player->made[i]->called),
			player->made[i]->text ? player->made[i]->text : "\n");
}

static void open_player(struct player *player, const struct world *world,
			unsigned long number, bool alone)
{
	int zeros[RUN_ITEMS] = {0};
	cl_int code;

	player->world = world;
	player->dice = number * 7919 + 1;
	roll(player, 2);
	/* Of who dies it is known then how far he came. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	player->out = alone ? stdout
			    : open_memstream(&player->text, &player->text_size);
	player->alone = alone;
	player->queue = make_queue(world);
	player->buffer =
		clCreateBuffer(world->context,
			       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			       sizeof(zeros), zeros, &code);
	must(code, "clCreateBuffer");
}

static void *play(void *data)
{
	struct player *player = data;
	struct callback *callback = NULL;

	if (player->callbacks && player->alone && player->world->version >= 300)
		callback = draw_callback(player, FOR_CONTEXT, NULL);
	if (callback)
		fprintf(player->out, "callback %d of context: %d\n",
			callback->number,
			clSetContextDestructorCallback(player->world->context,
						       on_context, callback));
	create(player);
	build(player);
	for (int i = 0; i < STEPS; i++)
		step(player);
	if (player->alone && player->callbacks && !roll(player, 4)) {
		leave(player);
		return NULL;
	}
	open_gate(player);
	finish(player);
	show_all(player);
	dismantle(player);
	print_callbacks(player);
	fflush(player->out);
	return NULL;
}

static void play_crowd(struct world *world, unsigned long number)
{
	static struct player players[THREADS];
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		open_player(&players[i], world, number * THREADS + i, false);
		players[i].callbacks = true;
		if (pthread_create(&threads[i], NULL, play, &players[i]))
			die("no thread");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		printf("== thread %d\n%s", i, players[i].text);
	}
}

/* As stores have it of a program that did nothing else. */
static void fill_one(struct player *player, int source, const char *option,
		     bool object)
{
	const struct world *world = player->world;
	const char *text = sources[source];
	cl_program program =
		clCreateProgramWithSource(world->context, 1, &text, NULL, NULL);
	struct slot slot = {.handle = program, .made = MADE_BUILD};
	cl_kernel kernel = NULL;
	cl_int code;

	if (object)
		code = clCompileProgram(program, 1, &world->device, option, 0,
					NULL, NULL, NULL, NULL);
	else
		code = clBuildProgram(program, 1, &world->device, option, NULL,
				      NULL);
	if (!code && !object)
		kernel = clCreateKernel(program, "scale", NULL);
	if (kernel) {
		show_kernel(player->out, world, kernel, program);
		clReleaseKernel(kernel);
	}
	if (!code && !object)
		show_program(player, &slot);
	clReleaseProgram(program);
}

static void fill(struct player *player)
{
	for (int source = 0; source < (int)LENGTH(sources); source++)
		for (size_t i = 0; i < LENGTH(options) - 1; i++) {
			fill_one(player, source, options[i], true);
			/* Alone it lacks a function, or has no kernel. */
			if (source < 2)
				fill_one(player, source, options[i], false);
		}
}

int main(int argc, char **argv)
{
	static struct player player;
	struct world world;
	unsigned long number;

	if (argc < 2)
		die("usage: sequence NUMBER [plain|callbacks|crowd]");
	number = strtoul(argv[1], NULL, 10);
	world_open(&world);
	if (!strcmp(argv[1], "fill")) {
		open_player(&player, &world, 0, true);
		fill(&player);
	} else if (argc > 2 && !strcmp(argv[2], "crowd")) {
		play_crowd(&world, number);
	} else {
		open_player(&player, &world, number, true);
		player.callbacks = argc > 2 && !strcmp(argv[2], "callbacks");
		play(&player);
	}
	return 0;
}
