#!/usr/bin/env python3
"""A proxy that does wrong: between a client and a remote storage helper (Unix sockets),
or a helper and its server (TCP).

    proxy.py LISTEN TO FAULT-FILE [LOG]

LISTEN and TO are the path of a Unix socket or the port of 127.0.0.1. What is to be
done to a connection is read from FAULT-FILE when it is accepted (no file: nothing), so
that one proxy serves all cases. A line of LOG, when a connection has ended: the fault,
whether it has come to it, and the bytes from and to the client.

What is done is a word and a number, "stall 7": from the 7th byte of the answers on
(0: the first), where these may come in any number of pieces:

  stall N        nothing comes any more, and the connection stays
  close N        the connection is closed
  reset N        the same without a word (RST; what was sent may be lost)
  half-close N   answers end, but requests are still read
  trickle N      a byte each 20 ms
  garbage N      other bytes, as many
  set N HEX      these bytes take the place of those there
  insert N HEX   these bytes come before those there
  drop N         a byte is missing

and to what the client sends:

  deaf N         nothing is read from there on, and the connection stays
  hang-up N      the connection is closed then

or without asking the other end, for HTTP:

  status CODE    each request is answered with that (and "no" as its body)
  length D       answers' Content-Length is larger by D (or smaller)

and for all:

  refuse         the connection is closed at once
  mute           it is accepted, and then nothing
"""
import os
import random
import re
import select
import socket
import struct
import sys
import threading
import time

ANSWERS = {"stall", "close", "reset", "half-close", "trickle", "garbage", "set",
           "insert", "drop"}
REQUESTS = {"deaf", "hang-up"}


def address(text):
    if text.startswith("/"):
        return socket.AF_UNIX, text
    return socket.AF_INET, ("127.0.0.1", int(text))


def kill(*peers):
    """Closed for good, also for threads that are reading."""
    for peer in peers:
        try:
            peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def reset(peer):
    if peer.family == socket.AF_INET:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


class Connection:
    """One client's, until both ends are done or the fault has come."""

    def __init__(self, peer, words, target):
        self.peer = peer
        self.name = words[0] if words else "none"
        self.at = int(words[1]) if len(words) > 1 else 0
        self.bytes = bytes.fromhex(words[2]) if len(words) > 2 else b""
        self.target = target
        self.server = None
        self.sent = self.received = 0
        self.reached = False
        self.over = False
        self.random = random.Random(self.at)

    def run(self):
        if self.name in ("refuse", "mute", "status"):
            self.reached = True
        if self.name == "refuse":
            reset(self.peer)
        elif self.name == "mute":
            self.wait_for_client()
        elif self.name == "status":
            self.answer_status()
        else:
            self.forward()

    def wait_for_client(self):
        """Until it goes; what it sends isn't read beyond what has come."""
        while True:
            try:
                if not self.peer.recv(1, socket.MSG_PEEK):
                    return
                time.sleep(0.05)
                # A peer that is gone, with bytes unread, is seen by its state alone.
                if self.gone():
                    return
            except OSError:
                return

    def gone(self):
        poll = select.poll()
        poll.register(self.peer, select.POLLRDHUP | select.POLLHUP)
        return bool(poll.poll(0))

    def answer_status(self):
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                part = self.peer.recv(65536)
                if not part:
                    return
                data += part
            head, data = data.split(b"\r\n\r\n", 1)
            found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            left = int(found.group(1)) if found else 0
            if re.search(rb"(?i)\r\nexpect: *100-continue", head):
                self.peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            while len(data) < left:
                part = self.peer.recv(65536)
                if not part:
                    return
                data += part
            data = data[left:]
            body = b"" if head.startswith(b"HEAD") else b"no"
            self.peer.sendall(b"HTTP/1.1 %d Said by the proxy\r\n"
                              b"Content-Length: 2\r\n\r\n%s" % (self.at, body))
            self.sent += 1

    def forward(self):
        family, where = self.target
        self.server = socket.socket(family)
        try:
            self.server.connect(where)
        except OSError:
            reset(self.peer)
            return
        other = threading.Thread(target=self.guarded, args=(self.requests,),
                                 daemon=True)
        other.start()
        self.guarded(self.answers)
        other.join()
        if self.name == "reset" and self.reached:
            reset(self.peer)
        self.server.close()

    def guarded(self, function):
        try:
            function()
        except OSError:
            kill(self.peer, self.server)

    def requests(self):
        while not self.over:
            # A reset waits for this thread: a descriptor that is read isn't closed.
            if not select.select([self.peer], [], [], 0.02)[0]:
                continue
            data = self.peer.recv(65536)
            if not data:
                try:
                    self.server.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                return
            if self.name in REQUESTS and self.received + len(data) > self.at:
                self.reached = True
                self.server.sendall(data[:self.at - self.received])
                self.received = self.at
                if self.name == "hang-up":
                    kill(self.peer, self.server)
                else:
                    self.wait_for_client()
                    kill(self.peer, self.server)
                return
            self.received += len(data)
            self.server.sendall(data)

    def answers(self):
        while True:
            data = self.server.recv(65536)
            if not data:
                self.peer.shutdown(socket.SHUT_WR)
                return
            if self.name == "length":
                data = self.other_length(data)
            if self.name in ANSWERS and self.sent + len(data) > self.at:
                if not self.do_wrong(data):
                    return
            else:
                self.peer.sendall(data)
                self.sent += len(data)

    def other_length(self, data):
        def larger(found):
            self.reached = True
            return b"%s%d" % (found.group(1), max(0, int(found.group(2)) + self.at))
        return re.sub(rb"(?i)(\r\ncontent-length: *)(\d+)", larger, data, count=1)

    def do_wrong(self, data):
        """True: the connection goes on."""
        begin = max(0, self.at - self.sent)
        before, after = data[:begin], data[begin:]
        first = not self.reached
        self.reached = True
        if before:
            self.peer.sendall(before)
        self.sent += len(before)
        if self.name == "stall":
            self.wait_for_client()
            kill(self.peer, self.server)
            return False
        if self.name == "close":
            kill(self.peer, self.server)
            return False
        if self.name == "reset":
            self.over = True
            return False
        if self.name == "half-close":
            self.peer.shutdown(socket.SHUT_WR)
            return False
        if self.name == "trickle":
            for byte in after:
                self.peer.sendall(bytes([byte]))
                time.sleep(0.02)
        elif self.name == "garbage":
            self.peer.sendall(self.random.randbytes(len(after)))
        elif self.name == "set":
            # The bytes may lie in several pieces.
            place = self.sent - self.at
            over = self.bytes[place:place + len(after)]
            self.peer.sendall(over + after[len(over):])
        elif self.name == "insert" and first:
            self.peer.sendall(self.bytes + after)
        elif self.name == "drop" and first:
            self.peer.sendall(after[1:])
        else:
            self.peer.sendall(after)
        self.sent += len(after)
        return True


def attend(peer, target, fault_file, log, lock):
    try:
        with open(fault_file, encoding="ascii") as file:
            words = file.read().split()
    except FileNotFoundError:
        words = []
    connection = Connection(peer, words, target)
    try:
        connection.run()
    except OSError:
        pass
    peer.close()
    if log:
        with lock, open(log, "a", encoding="ascii") as file:
            file.write("%s %s %d %d\n" % (
                " ".join(words) or "none", "reached" if connection.reached else "not",
                connection.received, connection.sent))


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    family, where = address(sys.argv[1])
    target, fault_file = address(sys.argv[2]), sys.argv[3]
    log = sys.argv[4] if len(sys.argv) > 4 else None
    os.umask(0o077)
    listener = socket.socket(family)
    if family == socket.AF_INET:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    elif os.path.exists(where):
        os.unlink(where)
    listener.bind(where)
    listener.listen(512)
    lock = threading.Lock()
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=attend, args=(peer, target, fault_file, log, lock),
                         daemon=True).start()


if __name__ == "__main__":
    main()
