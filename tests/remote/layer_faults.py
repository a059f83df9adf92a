#!/usr/bin/env python3
"""What an application gets under the layer while the remote storage's helper, behind
tests/remote/proxy.py, goes wrong at a byte of its answers or of the requests.

    layer_faults.py HELPER-SOCKET LAYER DIRECTORY EVERY SEED APP [ARGUMENT...]

The application asks for what is there, and for what isn't, which is then compiled and
put. Whatever happens: it says what it says without the layer; it asks the helper no
more once something broke off; its waits together stay within what the two switches
allow, by far; and its store is whole: the next process gets all from there. One case in
EVERY is played, by SEED. Prints lines for `adopt` of tests/layer/lib.sh.
"""
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What a client can't take for an answer: it gives up.
BREAKING = ("stall", "close", "reset", "half-close", "deaf", "hang-up", "mute",
            "refuse")
CONNECT_MS, WAIT_MS = 100, 150
# Of waits that are bounded, on a machine that does ten things at once; one that isn't
# bounded takes the minute that the application has.
BY_FAR_US = 20_000_000
LIMIT_S = 60
BESIDE = 4


class Lane:
    """A proxy, and one case after the other behind it."""

    def __init__(self, number, options):
        self.options = options
        self.directory = options.directory / str(number)
        self.directory.mkdir()
        self.socket = str(self.directory / "socket")
        self.faults = self.directory / "fault"
        self.log = self.directory / "proxy.log"
        self.proxy = subprocess.Popen(
            [HERE / "proxy.py", self.socket, options.helper, self.faults, self.log],
            stdin=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT_S
        while not os.path.exists(self.socket) and time.monotonic() < end:
            time.sleep(0.01)

    def run(self, store, remote, budget=(CONNECT_MS, WAIT_MS)):
        """Its output, and the lines of its trace."""
        trace = self.directory / "trace"
        trace.unlink(missing_ok=True)
        environment = {**os.environ, "OPENCL_LAYERS": self.options.layer,
                       "OCLCACHE_DIR": str(store), "OCLCACHE_STORE": "eager",
                       "BinaryCacheTrace": "1", "OCLCACHE_LOG_FILE": str(trace),
                       "OCLCACHE_REMOTE_CONNECT": str(budget[0]),
                       "OCLCACHE_REMOTE_WAIT": str(budget[1])}
        if remote:
            environment["OCLCACHE_REMOTE"] = "crsh:%s unsigned=accept" % remote
        done = subprocess.run(self.options.command, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT_S, check=False)
        lines = trace.read_text().splitlines() if trace.exists() else []
        return (done.returncode, done.stdout, done.stderr), [
            json.loads(line) for line in lines if line.startswith("{")]

    def reached(self):
        """Connections that came to the fault, once their ends are written down."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return sum(" reached " in line for line in lines)

    def play(self, fault):
        """What is wrong, as texts."""
        wrong = []
        store = self.directory / "store"
        subprocess.run(["rm", "-rf", store], check=True)
        self.log.unlink(missing_ok=True)
        self.faults.write_text(fault)
        said, trace = self.run(store, self.socket)
        if said != self.options.bare:
            wrong.append("says %r" % (said,))
        asked = [line for line in trace if line.get("oclcache") == "remote"]
        waited = sum(int(line.get("us", 0)) for line in asked
                     if line.get("op") in ("get", "lease"))
        if waited > BY_FAR_US:
            wrong.append("waits %d us" % waited)
        if not asked:
            wrong.append("the helper isn't asked")
        # One on the application's thread and one on the writer's may be under way.
        if fault.split()[0] in BREAKING and self.reached() > 2:
            wrong.append("asks %d times" % self.reached())
        said, trace = self.run(store, None)
        hits = [line.get("reason") for line in trace
                if line.get("oclcache") == "lookup" and line.get("result") == "hit"]
        if said != self.options.bare:
            wrong.append("the next says %r" % (said,))
        if hits != ["user store"] * 2:
            wrong.append("the next has %s" % hits)
        return wrong

    def end(self):
        self.proxy.kill()
        self.proxy.wait()


def all_faults():
    # The greeting is 7 bytes; then a result, 8 bytes of length, and the value: magic,
    # header, signatures, and the entry.
    points = [*range(0, 24), 30, 40, 64, 100, 200, 400, 700, 1000]
    for name in ("stall", "close", "reset", "half-close", "trickle", "garbage", "drop"):
        for point in points:
            # A byte each 20 ms: of a whole entry that is a minute.
            yield "%s %d" % (name, point)
    for point in points:
        yield "set %d ff" % point
        yield "set %d 0000000000000000" % point
        yield "insert %d 02" % point
    for length in ("ffffffffffffffff", "0000000000000080", "0100000000000000",
                   "0000000100000000", "ffffff0000000000"):
        yield "set 8 %s" % length
    for name in ("deaf", "hang-up"):
        for point in (0, 1, 2, 20, 33, 34, 35, 36, 70, 300):
            yield "%s %d" % (name, point)
    yield "refuse"
    yield "mute"


class Options:
    def __init__(self, words):
        self.helper, self.layer = words[0], words[1]
        self.directory = Path(words[2])
        self.every, self.seed = int(words[3]), words[4]
        self.command = words[5:]
        self.bare = None

    def faults(self):
        first = zlib.crc32(self.seed.encode())
        only = os.environ.get("OCLCACHE_TEST_FAULTS", "")
        return [fault for i, fault in enumerate(all_faults())
                if (first + i) % self.every == 0 and re.search(only, fault)]


def work(lane, faults):
    while True:
        try:
            fault = faults.get_nowait()
        except queue.Empty:
            return
        try:
            wrong = lane.play(fault)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            wrong = [repr(error)]
        text = ["%s %s" % ("not ok" if wrong else "ok", fault)]
        print("\n".join(text + wrong), flush=True)


def main():
    options = Options(sys.argv[1:])
    options.directory.mkdir()
    done = subprocess.run(options.command, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=LIMIT_S, check=False)
    options.bare = done.returncode, done.stdout, done.stderr
    # What is there is the first of two programs.
    lanes = [Lane(i, options) for i in range(BESIDE)]
    faults = queue.Queue()
    for fault in options.faults():
        faults.put(fault)
    threads = [threading.Thread(target=work, args=(lane, faults)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lane in lanes:
        lane.end()


if __name__ == "__main__":
    main()
