/* SPDX-License-Identifier: MIT */
#include "cli/replay_places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/placed_path.h"
#include "cli/record_view.h"
#include "cli/replay_files.h"
#include "cli/replay_variables.h"
#include "cli/text.h"

#define NAME_LENGTH_MAX 255

static const struct occ_digest any_name;

static void release_plan(struct occ_replay_place *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		free(plan->files[i].path);
		free(plan->files[i].content);
	}
	free(plan->files);
	free(plan->environment);
	free(plan->executable);
	free(plan->directory);
	free(plan->around);
	*plan = (struct occ_replay_place){.files = NULL};
}

/* ---- the executable's name ---- */

static const char *add_executable(struct occ_span step,
				  struct occ_replay_place *plan)
{
	struct occ_span name = occ_record_text(step, OCC_BUILD_EXECUTABLE);
	char *text;

	if (!name.size)
		return NULL;
	text = occ_message_must(strndup((const char *)name.data, name.size));
	if (name.size > NAME_LENGTH_MAX || strlen(text) != name.size ||
	    strchr(text, '/') || !strcmp(text, ".") || !strcmp(text, "..")) {
		free(text);
		return "the name of its executable is not a valid name";
	}
	free(plan->executable);
	plan->executable = text;
	return NULL;
}

/* ---- sharing ---- */

static bool same_text(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* The variables, as they are in one text. */
static bool same_variables(const char *one, const char *other)
{
	for (; one && other && *one && *other;
	     one += strlen(one) + 1, other += strlen(other) + 1)
		if (strcmp(one, other) != 0)
			return false;
	return one && other ? *one == *other : one == other;
}

static struct occ_replay_file *find_file(const struct occ_replay_place *plan,
					 const char *path)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->files[i].path, path))
			return &plan->files[i];
	return NULL;
}

static bool is_any(const struct occ_digest *name)
{
	return !memcmp(name, &any_name, sizeof(any_name));
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) && path[length] == '/';
}

/* The same file may be one that isn't below a file. */
static bool agrees(const struct occ_replay_place *plan, const char *path,
		   const struct occ_digest *name)
{
	const struct occ_replay_file *other = find_file(plan, path);

	if (other)
		return is_any(&other->name) || is_any(name) ||
		       !memcmp(&other->name, name, sizeof(*name));
	for (size_t i = 0; i < plan->count; i++)
		if (is_below(path, plan->files[i].path) ||
		    is_below(plan->files[i].path, path))
			return false;
	return true;
}

bool occ_replay_place_add(struct occ_replay_place *place, const char *path,
			  const char *content, const struct occ_digest *name)
{
	struct occ_replay_file *file = find_file(place, path);

	if (!agrees(place, path, name))
		return false;
	/* What is only to be there is what is wanted more. */
	if (file && (!is_any(&file->name) || is_any(name)))
		return true;
	if (!file) {
		place->files = occ_message_must(
			realloc(place->files,
				(place->count + 1) * sizeof(*place->files)));
		file = &place->files[place->count++];
		*file = (struct occ_replay_file){.path = occ_text("%s", path)};
	}
	free(file->content);
	file->content = content ? occ_text("%s", content) : NULL;
	file->name = *name;
	return true;
}

static bool fits(const struct occ_replay_place *plan,
		 const struct occ_replay_place *wanted)
{
	if (!same_variables(plan->environment, wanted->environment) ||
	    !same_text(plan->executable, wanted->executable) ||
	    !same_text(plan->directory, wanted->directory) ||
	    !same_text(plan->around, wanted->around))
		return false;
	for (size_t i = 0; i < wanted->count; i++)
		if (!agrees(plan, wanted->files[i].path,
			    &wanted->files[i].name))
			return false;
	return true;
}

/* The same of steps of one program: what one doesn't say it doesn't need. */
static bool joins(const struct occ_replay_place *plan,
		  const struct occ_replay_place *own)
{
	struct occ_replay_place whole = *own;

	if (!whole.environment)
		whole.environment = plan->environment;
	if (!whole.executable)
		whole.executable = plan->executable;
	if (!whole.directory)
		whole.directory = plan->directory;
	if (!whole.around)
		whole.around = plan->around;
	return fits(plan, &whole);
}

/* What fits is added. */
static void merge(struct occ_replay_place *plan,
		  const struct occ_replay_place *wanted)
{
	for (size_t i = 0; i < wanted->count; i++)
		occ_replay_place_add(plan, wanted->files[i].path,
				     wanted->files[i].content,
				     &wanted->files[i].name);
	if (plan->rises < wanted->rises)
		plan->rises = wanted->rises;
	plan->is_bound |= wanted->is_bound;
}

static bool has_relative_of(const struct occ_replay_place *plan,
			    const struct occ_replay_place *other)
{
	for (size_t i = 0; i < other->count; i++)
		if (*other->files[i].path != '/' &&
		    !find_file(plan, other->files[i].path))
			return false;
	return true;
}

/*
 * Most drivers look in the current directory before those of the options: what
 * one program has there, another that hasn't would find first.
 */
static bool same_relative(const struct occ_replay_place *one,
			  const struct occ_replay_place *other)
{
	return has_relative_of(one, other) && has_relative_of(other, one);
}

static size_t share(struct occ_replay_places *places,
		    struct occ_replay_place *wanted)
{
	size_t number = places->apart ? places->count : 0;

	while (number < places->count &&
	       !(fits(&places->planned[number], wanted) &&
		 same_relative(&places->planned[number], wanted)))
		number++;
	if (number < places->count) {
		merge(&places->planned[number], wanted);
		release_plan(wanted);
		return number;
	}
	places->planned = occ_message_must(
		realloc(places->planned,
			(places->count + 1) * sizeof(*places->planned)));
	places->planned[places->count] = *wanted;
	return places->count++;
}

/* Afterwards both are the same, if one was. */
static void take_over(char **whole, char **own)
{
	if (!*whole) {
		*whole = *own;
		*own = NULL;
	}
}

static const char *add_step(struct occ_replay_places *places,
			    const struct occ_driver *driver,
			    struct occ_span step, struct occ_replay_place *plan,
			    char **ret_detail)
{
	struct occ_replay_place own = {.files = NULL};
	const char *fault;

	fault = occ_replay_variables(step, driver, places->hashed,
				     &own.environment, ret_detail);
	if (!fault)
		fault = add_executable(step, &own);
	if (!fault)
		fault = occ_replay_files_add(places, step, &own, ret_detail);
	/* What the former steps leave open is this one's to say. */
	if (!fault) {
		take_over(&plan->environment, &own.environment);
		take_over(&plan->executable, &own.executable);
		take_over(&plan->directory, &own.directory);
		take_over(&plan->around, &own.around);
	}
	if (!fault && !joins(plan, &own))
		fault = "a program that it links needs other files or "
			"variables";
	if (!fault)
		merge(plan, &own);
	release_plan(&own);
	return fault;
}

/* One of this command's is for what has files there alone. */
static bool settle_directory(struct occ_replay_place *plan)
{
	bool any = false;

	for (size_t i = 0; i < plan->count && !any; i++)
		any = *plan->files[i].path != '/';
	if (any && plan->is_bound)
		return false;
	if (any) {
		free(plan->directory);
		plan->directory = NULL;
	}
	return true;
}

const char *occ_replay_places_find(struct occ_replay_places *places,
				   const struct occ_replay_steps *steps,
				   const struct occ_driver *driver,
				   size_t *ret_place, char **ret_detail)
{
	struct occ_replay_place plan = {.files = NULL};
	const char *fault = NULL;

	*ret_detail = NULL;
	for (size_t i = 0; i < steps->count && !fault; i++)
		fault = add_step(places, driver, steps->items[i]->bytes, &plan,
				 ret_detail);
	if (!fault && !settle_directory(&plan))
		fault = "a program that it links needs another current "
			"directory";
	if (fault)
		release_plan(&plan);
	else
		*ret_place = share(places, &plan);
	return fault;
}

/* ---- making them ---- */

/* What is above the current one, by the names that it had. */
static char *levels_above(const struct occ_replay_place *plan)
{
	const char *at;

	if (!plan->around)
		return occ_text("%s", "");
	at = plan->around + strlen(plan->around);
	for (size_t i = 0; i < plan->rises && at > plan->around; i++)
		while (at > plan->around && *--at != '/')
			;
	return occ_text("%s", at);
}

static bool put_files(int directory, const struct occ_replay_place *plan,
		      const char *above)
{
	bool good = true;

	for (size_t i = 0; i < plan->count; i++) {
		const struct occ_replay_file *file = &plan->files[i];
		char *whole, *path;
		bool is_way;

		if (*file->path == '/')
			continue;
		is_way = !file->content || !*file->content;
		whole = occ_text("%s/%s", above, file->path);
		path = occ_placed_path_normal(whole);
		free(whole);
		whole = occ_text("%s%s", path, is_way ? "/." : "");
		good &= occ_placed_path_put(directory, whole,
					    is_way ? NULL : file->content);
		free(whole);
		free(path);
	}
	return good;
}

static bool make_directory(const struct occ_replay_places *places,
			   const struct occ_replay_place *plan, size_t number,
			   char **ret_directory)
{
	char *path = occ_text("%s/directory.%zu", places->scratch, number);
	char *above = levels_above(plan), *way = occ_text("%s/.", above);
	int directory = -1;
	bool good = !mkdir(path, 0700);

	if (good)
		directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	good = directory >= 0 && occ_placed_path_put(directory, way, NULL) &&
	       put_files(directory, plan, above);
	if (directory >= 0)
		close(directory);
	if (!good)
		occ_message_error("can't write to %s; set TMPDIR to a "
				  "directory with free space",
				  path);
	*ret_directory = occ_text("%s%s", path, above);
	free(path);
	free(way);
	free(above);
	return good;
}

static bool make_one(struct occ_replay_places *places, size_t number)
{
	struct occ_replay_place *plan = &places->planned[number];
	struct occ_worker_place *place = &places->items[number];

	/* What the plan still needs, to be compared, are its files. */
	place->environment = plan->environment;
	place->executable = plan->executable;
	place->directory = plan->directory;
	plan->environment = plan->executable = plan->directory = NULL;
	if (!place->directory &&
	    !make_directory(places, plan, number, &place->directory))
		return false;
	for (size_t i = 0; i < plan->count; i++)
		if (plan->files[i].content && *plan->files[i].path == '/')
			occ_placed_files_add(&place->files, plan->files[i].path,
					     plan->files[i].content);
	return true;
}

bool occ_replay_places_make(struct occ_replay_places *places, size_t more)
{
	places->items = occ_message_must(
		calloc(places->count + more + 1, sizeof(*places->items)));
	for (size_t i = 0; i < places->count; i++)
		if (!make_one(places, i))
			return false;
	return true;
}

bool occ_replay_places_apart(struct occ_replay_places *places,
			     const struct occ_replay_steps *steps,
			     const struct occ_driver *driver, size_t place,
			     size_t *ret_place)
{
	char *detail = NULL;
	const char *fault;

	places->apart = true;
	fault = occ_replay_places_find(places, steps, driver, ret_place,
				       &detail);
	free(detail);
	return !fault &&
	       places->planned[*ret_place].count <
		       places->planned[place].count &&
	       make_one(places, *ret_place);
}

void occ_replay_places_release(struct occ_replay_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		release_plan(&places->planned[i]);
		if (places->items)
			occ_worker_place_release(&places->items[i]);
	}
	for (size_t i = 0; i < places->seen_count; i++)
		free(places->seen[i].path);
	for (size_t i = 0; i < places->tried_count; i++)
		free(places->tried[i].path);
	free(places->tried);
	free(places->seen);
	free(places->planned);
	free(places->items);
}
