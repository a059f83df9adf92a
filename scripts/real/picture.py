#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the picture that some programs here work on: a PNG file."""
import struct
import sys
import zlib

WIDTH, HEIGHT = 320, 240


def chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check


def row(y: int) -> bytes:
    points = ((x * 255 // WIDTH, y * 255 // HEIGHT, (x ^ y) % 256)
              for x in range(WIDTH))
    return b"\0" + bytes(value for point in points for value in point)


def main() -> None:
    content = b"".join(map(row, range(HEIGHT)))
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(
            ">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(content)))
        file.write(chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
