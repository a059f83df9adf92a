#!/usr/bin/env python3
"""What oclcache-storage says while its server, behind tests/remote/proxy.py, goes wrong
at a byte of its answers or of the requests.

    storage_faults.py HELPER URL PORT DIRECTORY EVERY SEED [ATTRIBUTE=VALUE...]

URL has PROXY for the port of the proxy before the server, which is at PORT. One case
in EVERY is played, by SEED. Prints lines for `adopt` of tests/layer/lib.sh.

Whatever happens: a value that is there is got as it is, or there is an error, and it is
never "not there" (whether a byte of it is wrong is for the client to tell); what was put
is there as a whole or not at all; and each request is answered.
"""
import os
import queue
import random
import re
import socket
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from client import Connection  # noqa: E402

# What changes bytes.
ALTERING = ("garbage", "set", "insert", "drop", "length")
BESIDE = 5


def until(condition):
    """Waits for 60 s at most."""
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited for 60 s")
        time.sleep(0.01)


def ours():
    """An entry's first bytes, and some that can be compressed to a half."""
    return (b"\x8fOCS\r\n\x1a\n" + b"kernel " * 100 +
            random.Random(2).randbytes(2000).hex().encode())


def others():
    return random.Random(1).randbytes(3000)


class Bench:
    """A proxy and, for each case, a helper behind which it is."""

    def __init__(self, number, options):
        self.options = options
        self.directory = options.directory / str(number)
        self.directory.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.faults = self.directory / "fault"
        self.log = self.directory / "proxy.log"
        self.endpoint = str(self.directory / "socket")
        self.proxy = subprocess.Popen(
            [HERE / "proxy.py", str(self.port), str(options.port), self.faults,
             self.log], stdin=subprocess.DEVNULL)
        until(self.proxy_listens)
        self.helper = None

    def proxy_listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def helper_listens(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.endpoint) == 0

    def start_helper(self, port=None):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("CRSH_", "OCLCACHE_"))}
        url = self.options.url.replace("PROXY", str(port or self.port))
        attributes = [("connect-timeout", "200ms"), ("request-timeout", "200ms"),
                      *self.options.attributes]
        if port:
            attributes = [("connect-timeout", "30"), ("request-timeout", "30"),
                          *self.options.attributes]
        environment.update(CRSH_IPC_ENDPOINT=self.endpoint, CRSH_URL=url,
                           CRSH_IDLE_TIMEOUT="0", CRSH_NUM_ATTR=str(len(attributes)))
        for i, (key, value) in enumerate(attributes):
            value = value.replace("PROXY", str(port or self.port))
            environment["CRSH_ATTR_KEY_%d" % i] = key
            environment["CRSH_ATTR_VALUE_%d" % i] = value
        with open(self.directory / "helper.log", "ab") as log:
            self.helper = subprocess.Popen([self.options.helper], env=environment,
                                           stdin=subprocess.DEVNULL, stdout=log,
                                           stderr=log)
        until(lambda: self.helper_listens() or self.helper.poll() is not None)

    def stop_helper(self):
        self.helper.kill()
        self.helper.wait()
        if os.path.exists(self.endpoint):
            os.unlink(self.endpoint)

    def end(self):
        self.proxy.kill()
        self.proxy.wait()


class Case:
    """One fault, at one byte."""

    def __init__(self, bench, fault):
        self.bench = bench
        self.fault = fault
        self.wrong = []

    def judge(self, what, good, said):
        if not good:
            self.wrong.append("%s: %s" % (what, said))

    def get(self, connection, what, key, value, strict):
        result, got = connection.get(key)
        good = result.startswith("error: ") or (
            result == "ok" and (got == value or not strict))
        self.judge("get %s" % what, good,
                   "%s, %d bytes" % (result, len(got)))

    def play(self):
        bench = self.bench
        bench.faults.write_text(self.fault)
        altering = self.fault.split()[0] in ALTERING
        bench.start_helper()
        try:
            connection = Connection(bench.endpoint)
            keys = bench.options.keys
            self.get(connection, "an entry", keys["ours"], ours(), not altering)
            self.get(connection, "another value", keys["others"], others(),
                     not altering)
            found = connection.exists(keys["ours"])
            self.judge("exists", found == "yes" or found.startswith("error: "), found)
            fresh = random.Random(self.fault).randbytes(20)
            result = connection.put(fresh, ours())
            self.judge("put", result in ("ok", "noop") or
                       result.startswith("error: "), result)
            connection.ask(0x82, None, (700).to_bytes(8, sys.byteorder))
            self.judge("info", connection.info(), "nothing")
        except (OSError, EOFError, UnicodeDecodeError) as error:
            self.wrong.append(repr(error))
            time.sleep(0.5)
        self.judge("lives", bench.helper.poll() is None, bench.helper.returncode)
        bench.stop_helper()
        self.look_again(fresh)

    def look_again(self, fresh):
        """What is there afterwards, without the proxy."""
        bench = self.bench
        bench.start_helper(bench.options.port)
        connection = Connection(bench.endpoint)
        result, got = connection.get(fresh)
        self.judge("what was put", (result, got) in (("ok", ours()), ("noop", b"")),
                   "%s, %d bytes" % (result, len(got)))
        result, got = connection.get(bench.options.keys["ours"])
        self.judge("what was there", (result, got) == ("ok", ours()), result)
        if self.wrong:
            log = (bench.directory / "helper.log").read_text(errors="replace")
            self.wrong += log.splitlines()[-30:]
        bench.stop_helper()


def recovers(bench):
    """When the server is well again so is the helper, by itself."""
    bench.faults.write_text("close 0")
    bench.start_helper()
    connection = Connection(bench.endpoint)
    key = bench.options.keys["ours"]
    failed = all(connection.get(key)[0].startswith("error: ") for _ in range(5))
    bench.faults.write_text("none 0")
    try:
        until(lambda: connection.get(key) == ("ok", ours()))
        print("%s a server that is well again is asked again" %
              ("ok" if failed else "not ok"), flush=True)
    except TimeoutError:
        print("not ok a server that is well again is asked again", flush=True)
    bench.stop_helper()


def all_faults():
    points = [0, 1, 5, 13, 40, 120, 180, 230, 260, 300, 700, 2500]
    for name in ("stall", "close", "reset", "half-close", "trickle", "garbage", "drop"):
        for point in points:
            yield "%s %d" % (name, point)
    for point in points:
        yield "set %d 00ff" % point
        yield "insert %d 3a" % point
    for name in ("deaf", "hang-up"):
        for point in (0, 1, 30, 150, 400):
            yield "%s %d" % (name, point)
    yield "refuse"
    yield "mute"


def http_faults():
    for code in (301, 400, 401, 403, 408, 413, 429, 500, 502, 503, 507, 204, 206):
        yield "status %d" % code
    for change in (-1, 1, -100, 100000, 1 << 40):
        yield "length %d" % change


class Options:
    def __init__(self, words):
        self.helper, self.url = words[0], words[1]
        self.port, self.directory = int(words[2]), Path(words[3])
        self.every, self.seed = int(words[4]), words[5]
        self.attributes = [tuple(word.split("=", 1)) for word in words[6:]]
        self.keys = {"ours": b"o" * 20, "others": b"p" * 20}

    def faults(self):
        faults = list(all_faults())
        if self.url.startswith("http:"):
            faults += http_faults()
        first = zlib.crc32((self.seed + self.url.split(":")[0]).encode())
        only = os.environ.get("OCLCACHE_TEST_FAULTS", "")
        return [fault for i, fault in enumerate(faults)
                if (first + i) % self.every == 0 and re.search(only, fault)]


def work(bench, faults):
    while True:
        try:
            fault = faults.get_nowait()
        except queue.Empty:
            return
        case = Case(bench, fault)
        try:
            case.play()
        except (OSError, EOFError, TimeoutError) as error:
            case.wrong.append(repr(error))
        text = ["%s %s" % ("not ok" if case.wrong else "ok", fault)]
        print("\n".join(text + case.wrong), flush=True)


def main():
    options = Options(sys.argv[1:])
    options.directory.mkdir()
    benches = [Bench(i, options) for i in range(BESIDE)]
    benches[0].start_helper(options.port)
    connection = Connection(benches[0].endpoint)
    for name, value in (("ours", ours()), ("others", others())):
        connection.put(options.keys[name], value)
    connection.ask(0x82, None, (30000).to_bytes(8, sys.byteorder))
    benches[0].stop_helper()
    faults = queue.Queue()
    for fault in options.faults():
        faults.put(fault)
    threads = [threading.Thread(target=work, args=(bench, faults))
               for bench in benches[1:]]
    if not options.url.startswith(("https:", "rediss:")):
        threads.append(threading.Thread(target=recovers, args=(benches[0],)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for bench in benches:
        bench.end()


if __name__ == "__main__":
    main()
