#!/usr/bin/env python3
"""Talks to a remote storage helper, as ccache's specification and
cache/remote_protocol.h have it.

    client.py SOCKET get KEY | put [-o] KEY FILE | remove KEY | exists KEY
    client.py SOCKET greeting | info | flush MS | lease KEY | release KEY | stop

Keys are in hex. Prints "ok", "noop" or "error: MESSAGE" on standard error; a value,
and what info says, on standard output.
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


def main(path, verb, *arguments):
    connection = Connection(path)
    if verb == "greeting":
        print(connection.version, *connection.capabilities)
        return
    if verb == "info":
        print("\n".join(connection.info()))
        return
    if verb == "get":
        result, value = connection.get(bytes.fromhex(arguments[0]))
        sys.stdout.buffer.write(value)
    elif verb == "put":
        overwrite = arguments[0] == "-o"
        key, file = arguments[overwrite:]
        with open(file, "rb") as data:
            result = connection.put(bytes.fromhex(key), data.read(), overwrite)
    elif verb == "exists":
        result = connection.exists(bytes.fromhex(arguments[0]))
    elif verb == "flush":
        result = connection.ask(0x82, None, struct.pack("=Q", int(arguments[0])))
    elif verb == "stop":
        result = connection.ask(3)
    else:
        number = {"remove": 2, "lease": 0x80, "release": 0x81}[verb]
        result = connection.ask(number, bytes.fromhex(arguments[0]))
    print(result, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
