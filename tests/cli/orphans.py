#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command, then waits for what it left running, which comes to us.

    orphans.py FILE COMMAND...

FILE has a line for each process that was left: its exit status. Ends with the
command's.
"""
import ctypes
import os
import sys

PR_SET_CHILD_SUBREAPER = 36

ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
command = os.fork()
if not command:
    os.execvp(sys.argv[2], sys.argv[2:])
end = 1
with open(sys.argv[1], "w", encoding="ascii") as file:
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            break
        if pid == command:
            end = os.waitstatus_to_exitcode(status)
        else:
            print(os.waitstatus_to_exitcode(status), file=file)
sys.exit(end)
