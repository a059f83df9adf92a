#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes files through shared mappings that stay, at the word of others.

    behind.py DIRECTORY        has the FIFOs "orders" and "answers"; a line of
                            either for each of the other:

    map PATH VALUE          makes the file "#define VALUE n", maps it, and
                            writes to it so that its page is dirty
    write PATH VALUE        changes it through the mapping

The answer is "ok", or of a write whether the file's times are what they were:
"kept" or "changed". Ends when told "end".
"""
import mmap
import os
import sys

maps = {}


def content(value):
    return b"#define VALUE %d\n" % int(value)


def times(path):
    status = os.stat(path)
    return status.st_mtime_ns, status.st_ctime_ns


def make(path, value):
    with open(path, "wb") as file:
        file.write(content(value))
        file.flush()
        # So that the pages are clean, and the next write is a fault's.
        os.fsync(file.fileno())
    with open(path, "r+b") as file:
        maps[path] = mmap.mmap(file.fileno(), 0)
    maps[path][:] = content(value)
    return "ok"


def write(path, value):
    before = times(path)
    maps[path][:] = content(value)
    return "kept" if times(path) == before else "changed"


def main():
    directory = sys.argv[1]
    while True:
        with open(os.path.join(directory, "orders"), encoding="utf-8") as orders:
            for line in orders:
                words = line.split()
                if words[0] == "end":
                    return
                do = {"map": make, "write": write}[words[0]]
                answer = do(*words[1:])
                with open(os.path.join(directory, "answers"), "w",
                          encoding="utf-8") as answers:
                    answers.write(answer + "\n")


main()
