# SPDX-License-Identifier: MIT
#
# Unchecked: nobody has run it.
#
# In a repository of your own it is packages/oclcache/package.py. Build a clone with
#
#	spack develop --path CLONE oclcache@0.1.0
#	spack install oclcache
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Oclcache(MakefilePackage):
    """Compiler cache for OpenCL programs: a layer of the OpenCL loader, which gives a
    program the binaries of an earlier run, and a command that looks after them."""

    license("MIT")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("curl")
    depends_on("hiredis")
    depends_on("libarchive")
    # Static, for the layer may need libc alone.
    depends_on("libsodium")
    depends_on("opencl-c-headers", type="build")
    depends_on("openssl")
    depends_on("uthash", type="build")
    depends_on("xxhash")
    depends_on("zstd libs=static,shared")

    conflicts("platform=darwin")
    conflicts("platform=windows")

    def build(self, spec, prefix):
        make("all")

    def install(self, spec, prefix):
        make("install-built", f"PREFIX={prefix}")
