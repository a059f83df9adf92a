/* SPDX-License-Identifier: MIT */
#include "storage/control.h"

#include <stdio.h>
#include <string.h>

#include "cache/error.h"
#include "cache/remote.h"
#include "storage/message.h"

#define ANSWER_MS     5000
#define FLUSH_MS      60000
#define STOP_FLUSH_MS 2000

static const char *const words[] = {"info", "stop", "flush", NULL};

bool occ_control_is_word(const char *word)
{
	for (size_t i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static int fail(const char *socket, int error,
		const struct occ_remote_answer *answer)
{
	occ_storage_say("%s: %s", socket,
			*answer->message ? answer->message
			: answer->fault	 ? occ_remote_fault_text(answer->fault)
					 : occ_error_string(error));
	return 1;
}

static int show_info(struct occ_remote *remote, const char *socket)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int error = occ_remote_info(remote, &answer);
	int status = 0;

	if (error)
		status = fail(socket, error, &answer);
	else
		printf("%.*s%s", (int)answer.value.size,
		       (const char *)answer.value.data,
		       answer.value.size &&
				       answer.value.data[answer.value.size -
							 1] != '\n'
			       ? "\n"
			       : "");
	occ_buffer_release(&answer.value);
	return status;
}

static int flush(struct occ_remote *remote, const char *socket,
		 unsigned milliseconds)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int error = occ_remote_flush(remote, milliseconds, &answer);

	if (!error)
		return 0;
	if (error != OCC_E_BUSY)
		return fail(socket, error, &answer);
	occ_storage_say("%s: not everything was uploaded within %u s", socket,
			milliseconds / 1000);
	return 1;
}

static int stop(struct occ_remote *remote, const char *socket)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int status = flush(remote, socket, STOP_FLUSH_MS);
	int error = occ_remote_stop(remote, &answer);

	return error ? fail(socket, error, &answer) : status;
}

int occ_control_run(const char *word, const char *socket)
{
	const struct occ_remote_budget budget = {ANSWER_MS, ANSWER_MS,
						 FLUSH_MS + ANSWER_MS};
	struct occ_remote *remote = occ_remote_new(socket, &budget);
	int status;

	if (!remote) {
		occ_storage_say("out of memory");
		return 1;
	}
	if (!strcmp(word, "info"))
		status = show_info(remote, socket);
	else if (!strcmp(word, "stop"))
		status = stop(remote, socket);
	else
		status = flush(remote, socket, FLUSH_MS);
	occ_remote_free(remote);
	return status;
}
