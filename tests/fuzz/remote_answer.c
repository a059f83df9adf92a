/* SPDX-License-Identifier: MIT */
/*
 * cache/remote_answer.h: any bytes as what a remote storage helper says, of
 * which the first byte chooses what it was asked. All of it is there at once,
 * and then the connection ends: nothing waits.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#include "cache/remote_answer.h"
#include "cache/remote_protocol.h"

/* More than fits into a socket isn't sent, and is as if it were cut off. */
static int connection(const uint8_t *data, size_t size)
{
	int ends[2];

	fuzz_expect(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "a socket");
	if (size)
		send(ends[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(ends[1]);
	return ends[0];
}

static void read_answer(struct occ_remote_stream *stream, bool asked_for_value,
			struct occ_remote_answer *answer)
{
	unsigned char result;

	if (!occ_remote_answer_result(stream, answer, &result))
		return;
	fuzz_expect(result == OCC_REMOTE_OK || result == OCC_REMOTE_NOOP,
		    "a result");
	if (asked_for_value && result == OCC_REMOTE_OK)
		occ_remote_answer_value(stream, &answer->value);
	occ_remote_answer_end(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct occ_remote_answer answer = {0};
	struct occ_remote_stream stream;
	unsigned asked = size ? data[0] % 3 : 0;

	if (size)
		data++, size--;
	occ_remote_stream_take(&stream, connection(data, size), 60000);
	if (occ_remote_answer_greeting(&stream, &answer)) {
		occ_remote_stream_allow(&stream, 60000);
		if (asked == 2)
			occ_remote_answer_info(&stream, &answer.value);
		else
			read_answer(&stream, asked, &answer);
	}
	fuzz_expect(stream.fault != OCC_REMOTE_FAULT_STALL &&
			    stream.fault != OCC_REMOTE_FAULT_CONNECT,
		    "nothing is waited for");
	fuzz_expect(answer.value.size <= size, "bytes that came");
	fuzz_expect(strlen(answer.message) < sizeof(answer.message), "a text");
	occ_remote_stream_close(&stream);
	occ_buffer_release(&answer.value);
	return 0;
}
