#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/real/pyvkfft runs: transforms of pyvkfft, each once.

Prints a line for each: its name, whether NumPy agrees, and a digest of the
result's bytes.
"""
import hashlib

import numpy
import pyopencl
import pyopencl.array
from pyvkfft import fft

CONTEXT = pyopencl.create_some_context(False)
QUEUE = pyopencl.CommandQueue(CONTEXT)
SOURCE = numpy.random.default_rng(1)
SHAPES = [(64,), (1000,), (77,), (4096,), (32, 48), (16, 18, 20)]


def show(name: str, result, wanted) -> None:
    array = result.get()
    near = numpy.allclose(array, wanted, rtol=1e-3, atol=1e-2)
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    print(name, array.dtype, array.shape, near, digest)


def transform(shape: tuple, kind: str) -> None:
    host = SOURCE.random(shape, dtype="f4")
    if kind == "complex":
        host = host.astype("c8")
        device = pyopencl.array.to_device(QUEUE, host)
        show(f"fftn {shape}", fft.fftn(device), numpy.fft.fftn(host))
        show(f"ifftn {shape}", fft.ifftn(device), numpy.fft.ifftn(host))
    else:
        device = pyopencl.array.to_device(QUEUE, host)
        show(f"rfftn {shape}", fft.rfftn(device), numpy.fft.rfftn(host))


def main() -> None:
    for shape in SHAPES:
        for kind in ("complex", "real"):
            transform(shape, kind)


if __name__ == "__main__":
    main()
