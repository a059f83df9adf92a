/* SPDX-License-Identifier: MIT */
#include "cli/device_answers.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/opencl.h"

/* As much as is recorded of one. */
#define ANSWER_MAX 4096

void occ_device_answers_want(struct occ_device_answers *answers,
			     uint32_t parameter)
{
	for (size_t i = 0; i < answers->count; i++)
		if (answers->parameters[i] == parameter)
			return;
	answers->parameters = occ_message_must(
		realloc(answers->parameters,
			(answers->count + 1) * sizeof(*answers->parameters)));
	answers->parameters[answers->count++] = parameter;
}

static void say_answer(__typeof__(clGetDeviceInfo) *get, cl_device_id device,
		       uint32_t parameter)
{
	unsigned char answer[ANSWER_MAX];
	char text[2 * ANSWER_MAX + 1];
	size_t size = 0;

	if (get(device, parameter, 0, NULL, &size) || size > sizeof(answer) ||
	    get(device, parameter, sizeof(answer), answer, &size)) {
		occ_child_say("-");
		return;
	}
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", answer[i]);
	text[2 * size] = '\0';
	occ_child_say(text);
}

static int find_child(void *data)
{
	const struct occ_device_answers *answers = data;
	__typeof__(clGetDeviceInfo) *get;
	struct occ_opencl_device *devices;
	size_t count, platforms;
	const char *error;

	if (!occ_layer_switch_on() || occ_opencl_load(OCC_LOADER_NAME) ||
	    !occ_opencl_find("clGetDeviceInfo", &get) ||
	    !occ_opencl_devices(&devices, &count, &platforms, &error))
		return 1;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < answers->count; j++)
			say_answer(get, devices[i].device,
				   answers->parameters[j]);
	return 0;
}

void occ_device_answers_find(struct occ_device_answers *answers)
{
	const char *text;

	occ_child_run(&answers->child, find_child, answers, OCC_CHILD_LIMIT);
	while ((text = occ_child_next(&answers->child))) {
		answers->texts = occ_message_must(
			realloc(answers->texts,
				(answers->text_count + 1) * sizeof(char *)));
		answers->texts[answers->text_count++] = text;
	}
}

bool occ_device_answers_has(const struct occ_device_answers *answers,
			    size_t device, uint32_t parameter,
			    struct occ_span answer)
{
	const char *text;
	char digits[3];
	size_t at = 0;

	while (at < answers->count && answers->parameters[at] != parameter)
		at++;
	at += device * answers->count;
	if (at >= answers->text_count)
		return false;
	text = answers->texts[at];
	if (strlen(text) != 2 * answer.size)
		return false;
	for (size_t i = 0; i < answer.size; i++) {
		snprintf(digits, sizeof(digits), "%02x", answer.data[i]);
		if (memcmp(text + 2 * i, digits, 2) != 0)
			return false;
	}
	return true;
}

void occ_device_answers_release(struct occ_device_answers *answers)
{
	free(answers->parameters);
	free(answers->texts);
	occ_child_release(&answers->child);
	*answers = (struct occ_device_answers){.count = 0};
}
