#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An ordinary pyopencl program: 100 ms of other work, then ten small kernels.

    ten_programs.py LIST [--save DIRECTORY | --load DIRECTORY]

LIST is as for scripts/bench/ahead.c; so are --save and --load. Prints a line of
JSON: "total", the time from asking for the first build to the last result, in ms.
Of oclcache it knows nothing.
"""
import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl

WORK_S = 0.1
ZEROS = 1 << 20
RESULTS = 1 << 17


def work(seconds: float) -> None:
    """As an application does that reads or makes its data first."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        np.sort(np.arange(100000)[::-1])


def main() -> None:
    lines = [line.split("\t") for line
             in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    way, directory = (sys.argv[2], Path(sys.argv[3])) if sys.argv[2:] else (
        "", None)
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    zeros = cl.Buffer(context, flags, hostbuf=np.zeros(ZEROS, np.uint8))
    results = [cl.Buffer(context, flags, hostbuf=np.zeros(RESULTS, np.uint8))
               for _ in lines]
    work(WORK_S)

    start = time.perf_counter()
    programs = []
    for index, (line, result) in enumerate(zip(lines, results)):
        name, pointers, items, group, source, options = line
        if way == "--load":
            binary = (directory / str(index)).read_bytes()
            program = cl.Program(context, [device], [binary])
        else:
            program = cl.Program(context,
                                 Path(source).read_text(encoding="utf-8"))
        program.build(options)
        kernel = cl.Kernel(program, name)
        kernel(queue, (int(items),), (int(group),),
               *[zeros] * (int(pointers) - 1), result)
        queue.finish()
        programs.append(program)
    total = time.perf_counter() - start

    digest = hashlib.sha256()
    host = np.empty(RESULTS, np.uint8)
    for result in results:
        cl.enqueue_copy(queue, host, result)
        digest.update(host)
    if way == "--save":
        for index, program in enumerate(programs):
            (directory / str(index)).write_bytes(
                program.get_info(cl.program_info.BINARIES)[0])
    print(json.dumps({"total": round(total * 1e3, 4),
                      "digest": digest.hexdigest()}))


if __name__ == "__main__":
    main()
