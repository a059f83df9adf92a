# SPDX-License-Identifier: MIT
"""oclcache: a compiler cache for OpenCL programs.

The layer and the command are in this package, as built from C. There is one step
from Python: to use the cache in a process that hasn't loaded OpenCL yet,

    os.environ["OPENCL_LAYERS"] = oclcache.layer_path()

As a rule `python -m oclcache run app.py` or `oclcache enable` does that.
"""

import os

__version__ = "@VERSION@"
__all__ = ["command_path", "layer_path"]


def _path(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def layer_path():
    """The absolute path of the layer, for OPENCL_LAYERS."""
    return _path("liboclcache.so")


def command_path():
    """The absolute path of the command that this package's `oclcache` starts."""
    return _path("oclcache")
