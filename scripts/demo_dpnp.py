#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An ordinary dpnp program (NumPy on SYCL): many operations, once each.

    demo_dpnp.py [COUNT]

SYCL's runtime compiles a kernel's SPIR-V when it is first used. Prints one line
of JSON with the time for all first uses, in ms, how many operations those were,
and a digest of the results' bytes, which must be the same in every run; also
the time that the imports took and all from before these to the end. With COUNT,
only so many of the operations. Of oclcache it knows nothing. To be run by the
Python of build/venv.
"""
import hashlib
import json
import sys
import time

START = time.perf_counter()

import dpctl  # noqa: E402
import dpnp as np  # noqa: E402

IMPORTED = time.perf_counter()

COUNT = 4096
X = np.linspace(0.1, 0.9, COUNT, dtype="f4")
Y = np.linspace(1.0, 9.0, COUNT, dtype="f4")
N = np.arange(COUNT, dtype="i4")
MATRIX = np.reshape(np.linspace(0, 1, 64 * 64, dtype="f4"), (64, 64)) \
    + 8 * np.eye(64, dtype="f4")

# Sums of floats stay out: their order may depend on the number of threads.
OPERATIONS = {
    "sin": lambda: np.sin(X),
    "cos": lambda: np.cos(X),
    "tan": lambda: np.tan(X),
    "arcsin": lambda: np.arcsin(X),
    "arctan2": lambda: np.arctan2(X, Y),
    "sinh": lambda: np.sinh(X),
    "tanh": lambda: np.tanh(X),
    "exp": lambda: np.exp(X),
    "expm1": lambda: np.expm1(X),
    "log": lambda: np.log(Y),
    "log1p": lambda: np.log1p(X),
    "log2": lambda: np.log2(Y),
    "sqrt": lambda: np.sqrt(Y),
    "cbrt": lambda: np.cbrt(Y),
    "square": lambda: np.square(X),
    "power": lambda: np.power(X, Y),
    "hypot": lambda: np.hypot(X, Y),
    "add": lambda: X + Y,
    "multiply": lambda: X * Y,
    "divide": lambda: X / Y,
    "floor_divide": lambda: N // 7,
    "remainder": lambda: N % 7,
    "negative": lambda: -X,
    "absolute": lambda: np.abs(X - 0.5),
    "floor": lambda: np.floor(Y),
    "rint": lambda: np.rint(Y),
    "sign": lambda: np.sign(X - 0.5),
    "maximum": lambda: np.maximum(X, Y - 1),
    "less": lambda: X < 0.5,
    "logical_and": lambda: (X < 0.5) & (Y > 2),
    "bitwise_xor": lambda: N ^ 0x55,
    "left_shift": lambda: N << 3,
    "where": lambda: np.where(X < 0.5, X, Y),
    "astype": lambda: N.astype("f4"),
    "isnan": lambda: np.isnan(X),
    "sum": lambda: np.sum(N),
    "max": lambda: np.max(Y),
    "argmin": lambda: np.argmin(X),
    "any": lambda: np.any(X > 2),
    "cumsum": lambda: np.cumsum(N),
    "sort": lambda: np.sort(N[::-1]),
    "argsort": lambda: np.argsort(-Y),
    "unique": lambda: np.unique(N % 13),
    "nonzero": lambda: np.nonzero(N % 3)[0],
    "take": lambda: np.take(Y, N[::-2]),
    "concatenate": lambda: np.concatenate([X, Y]),
    "roll": lambda: np.roll(X, 5),
    "tril": lambda: np.tril(MATRIX),
    "transpose": lambda: MATRIX.T + 1,
    "repeat": lambda: np.repeat(X, 2),
}


def choose(count: int) -> list[str]:
    """So many of all kinds."""
    names = list(OPERATIONS)
    return names[::max(1, len(names) // count)][:count]


def main() -> None:
    chosen = choose(int(sys.argv[1]) if sys.argv[1:] else len(OPERATIONS))
    digest = hashlib.sha256()
    start = time.perf_counter()
    for name in chosen:
        result = np.asnumpy(OPERATIONS[name]())
        digest.update(f"{name} {result.dtype} {result.shape}".encode())
        digest.update(result.tobytes())
    end = time.perf_counter()
    print(json.dumps({"device": dpctl.select_default_device().name,
                      "operations": len(chosen),
                      "digest": digest.hexdigest(),
                      "import": round((IMPORTED - START) * 1e3, 3),
                      "start_up": round((end - START) * 1e3, 3),
                      "total": round((end - start) * 1e3, 3)}))


if __name__ == "__main__":
    main()
