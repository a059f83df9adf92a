#!/usr/bin/env python3
"""Talks to a remote storage helper, as ccache's specification and
cache/remote_protocol.h have it.

    client.py SOCKET get KEY | put [-o] KEY FILE | remove KEY | exists KEY
    client.py SOCKET greeting | info | flush MS | lease KEY | release KEY | stop
    client.py SOCKET -		these, a line each, from standard input, each over a
                                connection of its own

Keys are in hex. Prints "ok", "noop" or "error: MESSAGE" on standard error; a value,
and what info says, on standard output. With "-" a value is written into a file that
get has as a second argument, and everything else to standard output.
"""
import socket
import struct
import sys

LIMIT_S = 60


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT_S)
        self.socket.connect(path)
        self.version, count = self.read(2)
        self.capabilities = self.read(count)

    def read(self, size):
        data = bytearray()
        while len(data) < size:
            part = self.socket.recv(min(size - len(data), 1 << 20))
            if not part:
                raise EOFError("the helper closed the connection")
            data += part
        return bytes(data)

    def message(self):
        return self.read(self.read(1)[0]).decode()

    def result(self):
        code = self.read(1)[0]
        return {0: "ok", 1: "noop"}.get(code) or "error: " + self.message()

    def send(self, number, key=None, rest=b""):
        request = bytes([number])
        if key is not None:
            request += bytes([len(key)]) + key
        self.socket.sendall(request + rest)

    def get(self, key):
        self.send(0, key)
        result = self.result()
        value = self.read(struct.unpack("=Q", self.read(8))[0]) if result == "ok" else b""
        return result, value

    def put(self, key, value, overwrite=False):
        self.send(1, key, bytes([overwrite]) + struct.pack("=Q", len(value)) + value)
        return self.result()

    def ask(self, number, key=None, rest=b""):
        self.send(number, key, rest)
        return self.result()

    def exists(self, key):
        result = self.ask(5, key)
        return ("yes" if self.read(1)[0] else "no") if result == "ok" else result

    def info(self):
        self.send(4)
        lines = [self.message()]
        return lines + [self.message() for _ in range(self.read(1)[0])]


def ask(path, verb, *arguments):
    """The result, and the value."""
    connection = Connection(path)
    if verb == "greeting":
        return " ".join(map(str, [connection.version, *connection.capabilities])), b""
    if verb == "info":
        return "\n".join(connection.info()), b""
    if verb == "get":
        return connection.get(bytes.fromhex(arguments[0]))
    if verb == "put":
        overwrite = arguments[0] == "-o"
        key, file = arguments[overwrite:]
        with open(file, "rb") as data:
            return connection.put(bytes.fromhex(key), data.read(), overwrite), b""
    if verb == "exists":
        return connection.exists(bytes.fromhex(arguments[0])), b""
    if verb == "flush":
        return connection.ask(0x82, None, struct.pack("=Q", int(arguments[0]))), b""
    if verb == "stop":
        return connection.ask(3), b""
    number = {"remove": 2, "lease": 0x80, "release": 0x81}[verb]
    return connection.ask(number, bytes.fromhex(arguments[0])), b""


def answer_lines(path):
    for line in sys.stdin:
        verb, *arguments = line.split()
        try:
            result, value = ask(path, verb, *arguments)
            if verb == "get" and len(arguments) > 1:
                with open(arguments[1], "wb") as file:
                    file.write(value)
        except (OSError, EOFError) as error:
            result = f"failed: {error}"
        print(result, flush=True)


def main(path, verb, *arguments):
    if verb == "-":
        answer_lines(path)
        return
    result, value = ask(path, verb, *arguments)
    sys.stdout.buffer.write(value)
    sys.stdout.flush()
    if verb in ("greeting", "info"):
        print(result)
    else:
        print(result, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
