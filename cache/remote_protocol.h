/* SPDX-License-Identifier: MIT */
/*
 * The protocol between a program and a remote storage helper: version 1 of
 * ccache's (its "storage helper specification"), so that each one's helpers
 * serve the other. This is what both ends need: the numbers, and the two
 * requests that ours adds behind capabilities that others don't announce.
 *
 * Integers are in the host's byte order. A key is u8 its length and its bytes;
 * a value u64 and bytes; a message u8 and UTF-8.
 *
 *	get      0x00 key                   -> ok value | noop | error message
 *	put      0x01 key u8-flags value    -> ok | noop | error message
 *	remove   0x02 key                   -> ok | noop | error message
 *	stop     0x03                       -> ok
 *	info     0x04                       -> message, u8 count, messages
 *	exists   0x05 key                   -> ok u8 | error message
 *
 * Ours, on connections whose greeting has the capability:
 *
 *	lease    0x80 key                   -> ok | noop | error message
 *	release  0x81 key                   -> ok | noop
 *	flush    0x82 u64-milliseconds      -> ok | noop | error message
 *
 * lease (OCC_REMOTE_CAN_LEASE): ok: nobody else in the fleet makes it, and
 * nobody will until a put of the key is with the server, a release, the lease's
 * end, or the end of the process that asked (known by the socket's
 * credentials), whichever comes first; the helper renews it as long as that
 * process lives and computes. Who made it before may have put it since it was
 * missed: look again. Also ok, for all who ask within some seconds, once a
 * holder has released it and put nothing: what can't be shared isn't to be made
 * by one after the other. noop: another one makes it. release: noop: the
 * process has no lease of the key.
 *
 * flush (OCC_REMOTE_CAN_FLUSH): ok: every put that was accepted is with the
 * server; error: the server didn't take some, of which nobody was told before;
 * noop: not after so many milliseconds.
 */
#ifndef OCC_CACHE_REMOTE_PROTOCOL_H
#define OCC_CACHE_REMOTE_PROTOCOL_H

#define OCC_REMOTE_VERSION  1

/* Bytes; of keys and of messages. */
#define OCC_REMOTE_TEXT_MAX 255

enum occ_remote_capability {
	OCC_REMOTE_CAN_STORE = 0x00, /* get, put, remove */
	OCC_REMOTE_CAN_INFO = 0x01,
	OCC_REMOTE_CAN_EXISTS = 0x02,
	OCC_REMOTE_CAN_LEASE = 0x80,
	OCC_REMOTE_CAN_FLUSH = 0x81,
};

enum occ_remote_request {
	OCC_REMOTE_GET = 0x00,
	OCC_REMOTE_PUT = 0x01,
	OCC_REMOTE_REMOVE = 0x02,
	OCC_REMOTE_STOP = 0x03,
	OCC_REMOTE_INFO = 0x04,
	OCC_REMOTE_EXISTS = 0x05,
	OCC_REMOTE_LEASE = 0x80,
	OCC_REMOTE_RELEASE = 0x81,
	OCC_REMOTE_FLUSH = 0x82,
};

/* Of put. */
#define OCC_REMOTE_PUT_OVERWRITE 1

enum occ_remote_result {
	OCC_REMOTE_OK = 0x00,
	OCC_REMOTE_NOOP = 0x01,
	OCC_REMOTE_ERROR = 0x02,
};

#endif
