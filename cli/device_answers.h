/* SPDX-License-Identifier: MIT */
/*
 * What the devices here answer to clGetDeviceInfo, byte for byte, found out
 * by a child (cli/child.h), under the layer as programs are.
 *
 *	struct occ_device_answers answers = {0};
 *	occ_device_answers_want(&answers, CL_DEVICE_EXTENSIONS); ...
 *	occ_device_answers_find(&answers);
 *	occ_device_answers_has(...)
 *	occ_device_answers_release(&answers);
 */
#ifndef OCC_CLI_DEVICE_ANSWERS_H
#define OCC_CLI_DEVICE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/child.h"
#include "hash/buffer.h"

struct occ_device_answers {
	uint32_t *parameters;
	size_t count;
	const char **texts; /* of each device its answers, hexadecimal, or "" */
	size_t text_count;
	struct occ_child child;
};

void occ_device_answers_want(struct occ_device_answers *answers,
			     uint32_t parameter);
void occ_device_answers_find(struct occ_device_answers *answers);

/* Does that device (of a survey, cli/probe.h) answer so? False: or not known.
 */
bool occ_device_answers_has(const struct occ_device_answers *answers,
			    size_t device, uint32_t parameter,
			    struct occ_span answer);
void occ_device_answers_release(struct occ_device_answers *answers);

#endif
