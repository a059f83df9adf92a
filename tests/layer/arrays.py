# SPDX-License-Identifier: MIT
"""An ordinary pyopencl program: arrays, element-wise kernels, a reduction and
a program of its own. Prints what it computed and what it's told about it."""
import gc

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel

SOURCE = """
__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void smooth(__global const float *in, __global float *out,
            __local float *tile)
{
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (tile[l] + tile[(l + 1) % 8]) * FACTOR;
}
__kernel void fill(__global float *out, float value)
{ out[get_global_id(0)] = value; }
"""


def main():
    # Not at the level of the module: what lives until the interpreter ends is
    # never released, and PoCL's binaries are fetched at the last release.
    context = cl.Context(cl.get_platforms()[0].get_devices())
    device = context.devices[0]
    queue = cl.CommandQueue(context)

    a = cl_array.arange(queue, 64, dtype=np.float32)
    b = (2 * a + 1).get()
    print("array", b[:4], b.sum())

    axpy = ElementwiseKernel(context, "float x, float *in, float *out",
                             "out[i] = x * in[i] + i", "axpy")
    c = cl_array.empty_like(a)
    axpy(np.float32(3), a, c)
    print("element-wise", c.get()[:4])

    dot = ReductionKernel(context, np.float32, neutral="0", reduce_expr="a+b",
                          map_expr="x[i]*y[i]",
                          arguments="__global float *x, __global float *y")
    print("reduction", dot(a, c).get())

    program = cl.Program(context, SOURCE).build(
        ["-DFACTOR=0.5f", "-cl-kernel-arg-info"])
    print("names", program.kernel_names)
    asked = cl.program_build_info
    print("options", program.get_build_info(device, asked.OPTIONS))
    print("status", program.get_build_info(device, asked.STATUS))
    out = cl_array.empty_like(a)
    smooth = program.smooth
    smooth(queue, (64,), (8,), a.data, out.data, cl.LocalMemory(32))
    print("local memory", out.get()[:10])
    print("attributes", repr(smooth.get_info(cl.kernel_info.ATTRIBUTES)))
    print("arguments", [smooth.get_arg_info(i, cl.kernel_arg_info.NAME)
                        for i in range(smooth.num_args)])
    print("group", smooth.get_work_group_info(
        cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, device))
    # Not all_kernels(): pyopencl retains those once too often, for good.
    for name in program.kernel_names.split(";"):
        kernel = cl.Kernel(program, name)
        print("kernel", kernel.function_name, kernel.num_args,
              kernel.program == program)
    try:
        cl.Program(context, "__kernel void broken( {").build()
    except cl.RuntimeError as error:
        print("failed as it must", error.code)


if __name__ == "__main__":
    main()
    # pyopencl's programs and kernels refer to each other.
    gc.collect()
