# SPDX-License-Identifier: MIT
"""The command, as `oclcache` and as `python -m oclcache`.

It becomes the program that is built from C. What only Python knows is done here:
how to switch the layer on for a virtual environment, and which interpreter runs
app.py in `oclcache run app.py`.
"""

import os
import signal
import sys

import oclcache
from oclcache import environment


def main():
    arguments = sys.argv[1:]
    # Python ignores these, and programs would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    if environment.is_asked(arguments):
        return environment.run(arguments)
    variables = dict(os.environ)
    if any(argument.endswith(".py") for argument in arguments):
        # cli/interpreter.h
        variables["OCLCACHE_PYTHON"] = sys.executable
    command = oclcache.command_path()
    try:
        os.execve(command, ["oclcache", *arguments], variables)
    except OSError as error:
        print(f"oclcache: error: {command}: {error.strerror}; install it again: "
              "pip install --force-reinstall oclcache", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
