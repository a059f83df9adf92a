#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/real/dpnp runs: operations of dpnp (NumPy on SYCL), each once.

Prints a line per operation: its name, the result's type and shape, and a
digest of its bytes. The operations and their arguments are fixed.
"""
import hashlib

import dpnp as np

LENGTH = 1000
SIDE = 24

REAL = np.linspace(0.05, 0.95, LENGTH, dtype="f4")
LARGE = np.linspace(1, 50, LENGTH, dtype="f8")
WHOLE = np.arange(LENGTH, dtype="i4")
MIXED = (WHOLE * 7919) % 1009
BYTES = (WHOLE % 251).astype("u1")
COMPLEX = REAL + 1j * (1 - REAL)
MATRIX = np.reshape(np.linspace(-1, 1, SIDE * SIDE, dtype="f4"),
                    (SIDE, SIDE)) + SIDE * np.eye(SIDE, dtype="f4")

ELEMENTWISE = {
    "abs": (COMPLEX,), "acos": (REAL,), "acosh": (LARGE,), "angle": (COMPLEX,),
    "arctan2": (REAL, REAL[::-1]), "asin": (REAL,), "asinh": (REAL,),
    "atan": (REAL,), "atanh": (REAL,), "bitwise_and": (WHOLE, MIXED),
    "bitwise_or": (BYTES, 3), "cbrt": (LARGE,), "ceil": (LARGE,),
    "conj": (COMPLEX,), "copysign": (REAL, -LARGE.astype("f4")),
    "cos": (LARGE,), "cosh": (REAL,), "deg2rad": (LARGE,), "divide": (1, LARGE),
    "equal": (WHOLE, MIXED), "exp": (COMPLEX,), "exp2": (REAL,),
    "expm1": (REAL,), "floor_divide": (MIXED, 7), "fmod": (LARGE, 3),
    "gcd": (WHOLE, MIXED), "greater": (REAL, 0.5), "hypot": (REAL, REAL),
    "isfinite": (LARGE,), "left_shift": (WHOLE, 3), "log": (COMPLEX,),
    "log10": (LARGE,), "log1p": (REAL,), "log2": (LARGE,),
    "logaddexp": (REAL, REAL), "logical_not": (WHOLE,),
    "maximum": (REAL, 0.5), "multiply": (COMPLEX, COMPLEX),
    "nextafter": (REAL, 2), "power": (REAL, 3), "reciprocal": (LARGE,),
    "remainder": (MIXED, 9), "rint": (LARGE,), "sign": (WHOLE - 500,),
    "sin": (LARGE,), "sinh": (REAL,), "sqrt": (COMPLEX,), "square": (WHOLE,),
    "subtract": (BYTES, 1), "tan": (REAL,), "tanh": (COMPLEX,),
    "trunc": (LARGE,),
}

OTHERS = {
    "all": lambda: np.all(WHOLE > -1),
    "any": lambda: np.any(WHOLE > LENGTH),
    "argmax": lambda: np.argmax(MIXED),
    "argsort": lambda: np.argsort(MIXED),
    "astype": lambda: MIXED.astype("c8"),
    "choose": lambda: np.choose(WHOLE % 2, [WHOLE, MIXED]),
    "clip": lambda: np.clip(REAL, 0.2, 0.8),
    "concatenate": lambda: np.concatenate([WHOLE, MIXED]),
    "count_nonzero": lambda: np.count_nonzero(MIXED % 5),
    "cumsum": lambda: np.cumsum(WHOLE),
    "diff": lambda: np.diff(MIXED, 2),
    "dot": lambda: np.dot(WHOLE, MIXED),
    "eye": lambda: np.eye(SIDE, k=2),
    "fill": lambda: np.full((SIDE, SIDE), 3, dtype="i2"),
    "flip": lambda: np.flip(MATRIX, 1) + 0,
    "gather": lambda: np.take(REAL, MIXED % LENGTH),
    "linspace": lambda: np.linspace(0, 1, 77),
    "matmul": lambda: np.matmul(WHOLE.reshape(50, 20),
                                MIXED.reshape(20, 50)),
    "max": lambda: np.max(REAL),
    "nonzero": lambda: np.nonzero(MIXED % 3)[0],
    "outer": lambda: np.outer(REAL[:SIDE], REAL[:SIDE]),
    "prod": lambda: np.prod(BYTES[1:6]),
    "put": lambda: put(),
    "repeat": lambda: np.repeat(REAL, 3),
    "searchsorted": lambda: np.searchsorted(LARGE, REAL * 40),
    "sort": lambda: np.sort(MIXED),
    "sum": lambda: np.sum(WHOLE),
    "transpose": lambda: np.ascontiguousarray(MATRIX.T),
    "tril": lambda: np.tril(MATRIX),
    "unique": lambda: np.unique(MIXED % 13),
    "where": lambda: np.where(REAL > 0.5, REAL, -REAL),
    "zeros": lambda: np.zeros((SIDE, 3)),
}


def put() -> np.ndarray:
    array = np.zeros(LENGTH, dtype="i4")
    array[MIXED % 2 == 0] = 5
    array[::3] += 1
    return array


def show(name: str, result) -> None:
    array = np.asnumpy(result)
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    print(name, array.dtype, array.shape, digest)


def main() -> None:
    for name, arguments in ELEMENTWISE.items():
        show(name, getattr(np, name)(*arguments))
    for name, operation in OTHERS.items():
        show(name, operation())
    print(len(ELEMENTWISE) + len(OTHERS), "operations")


if __name__ == "__main__":
    main()
