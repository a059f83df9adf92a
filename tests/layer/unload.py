# SPDX-License-Identifier: MIT
"""
Builds three programs by a loader that it opens itself, and closes it.

    unload.py

With AHEAD_DEED=unload it builds nothing, and closes it AHEAD_AFTER microseconds
after it has made a context: while the layer loads ahead what it built before.
Then it opens and uses it once more.
"""

import _ctypes
import ctypes
import os
import time

SOURCE = b"__kernel void k(__global int *out, int x) { out[0] = N * x; }"


def must(code, what):
    if code:
        raise SystemExit(f"{what}: {code}")


def open_loader():
    loader = ctypes.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateProgramWithSource"):
        getattr(loader, name).restype = ctypes.c_void_p
    return loader


def make_context(loader):
    platform, device = ctypes.c_void_p(), ctypes.c_void_p()
    code = ctypes.c_int()
    must(loader.clGetPlatformIDs(1, ctypes.byref(platform), None), "platform")
    must(
        loader.clGetDeviceIDs(
            platform, ctypes.c_uint64(0xFFFFFFFF), 1, ctypes.byref(device), None
        ),
        "device",
    )
    context = ctypes.c_void_p(
        loader.clCreateContext(
            None, 1, ctypes.byref(device), None, None, ctypes.byref(code)
        )
    )
    must(code.value, "context")
    return context, device


def build(loader, context, device, number):
    source, code = ctypes.c_char_p(SOURCE), ctypes.c_int()
    program = ctypes.c_void_p(
        loader.clCreateProgramWithSource(
            context, 1, ctypes.byref(source), None, ctypes.byref(code)
        )
    )
    must(code.value, "program")
    options = f"-DN={number}".encode()
    must(
        loader.clBuildProgram(
            program, 1, ctypes.byref(device), options, None, None
        ),
        "build",
    )
    loader.clReleaseProgram(program)


def main():
    loader = open_loader()
    context, device = make_context(loader)
    if os.environ.get("AHEAD_DEED") == "unload":
        time.sleep(int(os.environ.get("AHEAD_AFTER", "0")) / 1e6)
        _ctypes.dlclose(loader._handle)
        print("closed", flush=True)
        loader = open_loader()
        context, device = make_context(loader)
    for number in range(3):
        build(loader, context, device, number)
    loader.clReleaseContext(context)
    print("built", flush=True)


main()
