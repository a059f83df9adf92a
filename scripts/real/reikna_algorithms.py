#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/real/reikna runs: algorithms of reikna, each once.

Prints a line for each: its name, and a digest of the result's bytes.
"""
import hashlib

import numpy
import pyopencl
from reikna import cluda
from reikna.algorithms import Reduce, Scan, Transpose, predicate_sum
from reikna.fft import FFT, FFTShift
from reikna.linalg import EntrywiseNorm, MatrixMul

API = cluda.ocl_api()
CONTEXT = pyopencl.create_some_context(False)
THREAD = API.Thread(pyopencl.CommandQueue(CONTEXT))
SOURCE = numpy.random.default_rng(1)
MATRIX = SOURCE.random((32, 48), dtype="f4")
WHOLE = SOURCE.integers(0, 100, 1000, dtype="i4")
COMPLEX = MATRIX.astype("c8")


def run(name: str, computation, *inputs) -> None:
    """Its first parameter is the output."""
    compiled = computation.compile(THREAD)
    output = THREAD.empty_like(list(compiled.signature.parameters.values())
                               [0].annotation.type)
    compiled(output, *map(THREAD.to_device, inputs))
    array = output.get()
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    print(name, array.dtype, array.shape, digest)


def main() -> None:
    run("reduce", Reduce(WHOLE, predicate_sum(WHOLE.dtype)), WHOLE)
    run("scan", Scan(WHOLE, predicate_sum(WHOLE.dtype)), WHOLE)
    run("transpose", Transpose(MATRIX), MATRIX)
    run("matrix product", MatrixMul(MATRIX, MATRIX.T.copy()), MATRIX,
        MATRIX.T.copy())
    run("norm", EntrywiseNorm(MATRIX), MATRIX)
    run("fft", FFT(COMPLEX), COMPLEX)
    run("fft shift", FFTShift(MATRIX), MATRIX)


if __name__ == "__main__":
    main()
