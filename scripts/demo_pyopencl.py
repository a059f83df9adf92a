#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An ordinary pyopencl program: two kernels, results checked.

It uses the first device of the first platform, and prints one line of JSON
with the time from asking for the build to having the results, in ms. Of
oclcache it knows nothing.
"""
import json
import sys
import time

import numpy as np
import pyopencl as cl

SOURCE = """
kernel void saxpy(float a, global const float *x, global float *y)
{
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

kernel void group_sums(global const float *y, global float *sums,
                       local float *part)
{
    int l = get_local_id(0);
    part[l] = y[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step)
            part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = part[0];
}
"""
ITEMS = 1 << 16
GROUP = 64


def check(name: str, result: np.ndarray, expected: np.ndarray) -> None:
    if not np.array_equal(result, expected):
        sys.exit(f"demo_pyopencl: {name}: wrong result")


def main() -> None:
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    # Small whole numbers: sums of them are exact in any order.
    x = (np.arange(ITEMS) % 16).astype(np.float32)
    y = (np.arange(ITEMS) % 7).astype(np.float32)
    flags = cl.mem_flags
    x_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR,
                         hostbuf=x)
    y_buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR,
                         hostbuf=y)
    sums_buffer = cl.Buffer(context, flags.WRITE_ONLY, ITEMS // GROUP * 4)

    start = time.perf_counter()
    program = cl.Program(context, SOURCE).build()
    built = time.perf_counter()
    saxpy = program.saxpy
    group_sums = program.group_sums
    saxpy(queue, (ITEMS,), (GROUP,), np.float32(2), x_buffer, y_buffer)
    group_sums(queue, (ITEMS,), (GROUP,), y_buffer, sums_buffer,
               cl.LocalMemory(GROUP * 4))
    queue.finish()
    end = time.perf_counter()

    expected = 2 * x + y
    result = np.empty_like(y)
    sums = np.empty(ITEMS // GROUP, np.float32)
    cl.enqueue_copy(queue, result, y_buffer)
    cl.enqueue_copy(queue, sums, sums_buffer)
    check("saxpy", result, expected)
    check("group_sums", sums, expected.reshape(-1, GROUP).sum(axis=1))
    print(json.dumps({"device": device.name,
                      "build": round((built - start) * 1e3, 3),
                      "total": round((end - start) * 1e3, 3)}))


if __name__ == "__main__":
    main()
