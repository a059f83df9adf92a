# SPDX-License-Identifier: MIT
"""`oclcache enable` and `oclcache disable` in a virtual environment.

They write and remove oclcache.pth in the environment's site-packages. Python
executes its line at each start, with or without activation, and before a module
can load OpenCL. The line puts the layer first in OPENCL_LAYERS and keeps what else
is there. It does nothing once the layer is gone, for pip doesn't remove files that
it hasn't installed.

With other options than --dry-run, and outside an environment, both are the
command's: they are about the user's or the machine's programs. So they are where
pipx or uv has made an environment for oclcache alone.
"""

import os
import sys
import sysconfig

import oclcache

_MARK = "# Made by 'oclcache enable', removed by 'oclcache disable'\n"


_TOOL_MARKS = ("pipx_metadata.json", "uv-receipt.toml")


def _is_environment():
    return sys.prefix != sys.base_prefix and not any(
        os.path.exists(os.path.join(sys.prefix, name)) for name in _TOOL_MARKS)


def is_asked(arguments):
    """Are these arguments for run()?"""
    return (_is_environment()
            and arguments[:1] in (["enable"], ["disable"])
            and all(argument in ("-n", "--dry-run") for argument in arguments[1:]))


def _file():
    return os.path.join(sysconfig.get_path("purelib"), "oclcache.pth")


# One line, for Python executes no other code in these files; and without a name of
# this package, which may be gone.
def _text():
    return _MARK + (
        f"import os; layer = {oclcache.layer_path()!r}; "
        "os.path.exists(layer) and os.environ.update(OPENCL_LAYERS=(layer + "
        "f\":{os.environ.get('OPENCL_LAYERS', '')}:\".replace(f':{layer}:', ':'))"
        ".rstrip(':'))\n")


def _fail(message):
    print(f"oclcache: error: {message}", file=sys.stderr)
    return 1


def _read(path):
    """What the file has; None if there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def _enable(path, found, dry):
    text = _text()
    if ":" in oclcache.layer_path():
        return _fail(f"{oclcache.layer_path()}: ':' can't be in OPENCL_LAYERS; make "
                     "the environment elsewhere")
    if found == text:
        print(f"was there: {path}")
    elif dry:
        print(f"would write: {path}")
        for line in text.splitlines():
            print(f"    {line}")
    else:
        _write(path, text)
        print(f"written: {path}")
    print(f"\nThis takes effect the next time {sys.prefix}/bin/python starts, for the "
          "programs it\nruns and whatever these start, and for nothing else.\n"
          "'oclcache disable' undoes it; OCLCACHE_DISABLE=1 switches the layer off for "
          "one\nprogram.")
    return 0


def _disable(path, found, dry):
    if found is None:
        print(f"there is nothing to remove in {sys.prefix}")
        return 0
    if not dry:
        os.remove(path)
    print(f"{'would remove' if dry else 'removed'}: {path}")
    return 0


def run(arguments):
    """Does it, and returns the exit status."""
    path = _file()
    change = _enable if arguments[0] == "enable" else _disable
    try:
        found = _read(path)
        if found is not None and not found.startswith(_MARK):
            return _fail(f"{path}: 'oclcache enable' didn't write this file; remove "
                         "it, and try again")
        return change(path, found, len(arguments) > 1)
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}")
