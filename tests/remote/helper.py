#!/usr/bin/env python3
"""A remote storage helper over a directory, written from ccache's specification
(doc/remote_storage_helper_spec.md in its sources) alone: another implementation than
oclcache-storage, to try clients with.

As the specification has it, everything comes in the environment: CRSH_IPC_ENDPOINT,
CRSH_URL (file:///DIRECTORY), CRSH_IDLE_TIMEOUT, CRSH_NUM_ATTR, CRSH_ATTR_KEY_0 ...
Attributes:

  log=FILE         a line for each request: name, key in hex, bytes, result, process
  extensions=yes   also exists, lease, release and flush (cache/remote_protocol.h)
  lease-ms=N       how long a lease lasts (30000)
  fault=NAME       what it does wrong, always:
    version        announces version 2 of the protocol
    mute           doesn't greet
    incapable      announces nothing
    swap           answers get with the value of another key
    error          answers get and put with an error
    refuse         stores nothing
    forget         finds nothing
    crash          ends in the middle of a value
    slow           waits half a second before each answer
  fault-after=N    the fault begins with the request after N right ones
"""
import os
import socket
import struct
import sys
import threading
import time
import urllib.parse

OK, NOOP, ERROR = b"\x00", b"\x01", b"\x02"
GET, PUT, REMOVE, STOP, INFO, EXISTS = range(6)
LEASE, RELEASE, FLUSH = 0x80, 0x81, 0x82
NAMES = {GET: "get", PUT: "put", REMOVE: "remove", STOP: "stop", INFO: "info",
         EXISTS: "exists", LEASE: "lease", RELEASE: "release", FLUSH: "flush"}
OVERWRITE = 1


def message(text):
    data = text.encode()[:255]
    return bytes([len(data)]) + data


def sized(value):
    return struct.pack("=Q", len(value)) + value


class Store:
    """Values in files, each whole or not there."""

    def __init__(self, directory):
        self.directory = directory
        os.makedirs(directory, mode=0o700, exist_ok=True)

    def path(self, key):
        return os.path.join(self.directory, key.hex() or "empty")

    def get(self, key):
        try:
            with open(self.path(key), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def put(self, key, value, overwrite):
        path = self.path(key)
        fresh = "%s.%d.new" % (path, threading.get_ident())
        with open(fresh, "wb") as file:
            file.write(value)
        try:
            if overwrite:
                os.rename(fresh, path)
                return True
            os.link(fresh, path)
            os.unlink(fresh)
            return True
        except FileExistsError:
            os.unlink(fresh)
            return False

    def remove(self, key):
        try:
            os.unlink(self.path(key))
            return True
        except FileNotFoundError:
            return False

    def other(self, key):
        """The value of some other key, or None."""
        own = os.path.basename(self.path(key))
        for name in sorted(os.listdir(self.directory)):
            if name != own and not name.endswith(".new"):
                with open(os.path.join(self.directory, name), "rb") as file:
                    return file.read()
        return None


class Leases:
    """Who makes what: until it is released, put, or old, or its process is gone."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.held = {}
        self.lock = threading.Lock()

    def take(self, key, process):
        with self.lock:
            holder = self.held.get(key)
            if holder and holder[0] != process and self.lasts(holder):
                return False
            self.held[key] = (process, time.monotonic() + self.seconds)
            return True

    def lasts(self, holder):
        process, end = holder
        return time.monotonic() < end and os.path.exists("/proc/%d" % process)

    def release(self, key, process=None):
        with self.lock:
            holder = self.held.get(key)
            if not holder or process not in (None, holder[0]):
                return False
            del self.held[key]
            return True


class Closed(Exception):
    """The client is gone, or is to be left."""


class Connection:
    """One client's."""

    def __init__(self, helper, peer):
        self.helper = helper
        self.peer = peer
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        self.process = struct.unpack("=iII", credentials)[0]

    def receive(self, size):
        data = bytearray()
        while len(data) < size:
            part = self.peer.recv(min(size - len(data), 1 << 20))
            if not part:
                raise Closed()
            data += part
        return bytes(data)

    def key(self):
        return self.receive(self.receive(1)[0])

    def number(self):
        return struct.unpack("=Q", self.receive(8))[0]

    def serve(self):
        fault = self.helper.fault()
        if fault == "mute":
            time.sleep(600)
        version = 2 if fault == "version" else 1
        capabilities = [0, 1]
        if self.helper.extensions:
            capabilities += [2, 0x80, 0x81]
        if fault == "incapable":
            capabilities = []
        self.peer.sendall(bytes([version, len(capabilities)] + capabilities))
        while True:
            request = self.receive(1)[0]
            self.helper.touch()
            if request not in NAMES or (
                    request >= EXISTS and not self.helper.extensions):
                raise Closed()
            self.answer(request)

    def answer(self, request):
        key = b"" if request in (STOP, INFO, FLUSH) else self.key()
        flags, value = 0, b""
        if request == PUT:
            flags = self.receive(1)[0]
            value = self.receive(self.number())
        elif request == FLUSH:
            self.number()
        fault = self.helper.fault()
        self.helper.served += 1
        if fault == "slow":
            time.sleep(0.5)
        reply = self.perform(request, key, flags, value, fault)
        size = len(value) if request == PUT else max(0, len(reply) - 9)
        self.helper.note(NAMES[request], key, size, reply[0], self.process)
        if request == GET and fault == "crash" and reply[:1] == OK:
            self.peer.sendall(reply[:len(reply) // 2])
            os._exit(1)
        self.peer.sendall(reply)
        if request == STOP:
            self.helper.end(0)

    def perform(self, request, key, flags, value, fault):
        store, leases = self.helper.store, self.helper.leases
        if fault == "error" and request in (GET, PUT):
            return ERROR + message("it is told to fail")
        if request == GET:
            found = store.other(key) if fault == "swap" else store.get(key)
            if found is None or fault == "forget":
                return NOOP
            return OK + sized(found)
        if request == PUT:
            stored = fault != "refuse" and store.put(key, value,
                                                     flags & OVERWRITE)
            leases.release(key)
            return OK if stored else NOOP
        if request == REMOVE:
            return OK if store.remove(key) else NOOP
        if request == INFO:
            return message("helper.py 1") + bytes([1]) + message(
                "%d requests" % self.helper.served)
        if request == EXISTS:
            return OK + bytes([store.get(key) is not None])
        if request == LEASE:
            return OK if leases.take(key, self.process) else NOOP
        if request == RELEASE:
            return OK if leases.release(key, self.process) else NOOP
        return OK  # stop; and flush: nothing is ever under way


class Helper:
    """All of it, from the environment."""

    def __init__(self):
        self.endpoint = os.environ["CRSH_IPC_ENDPOINT"]
        self.idle = float(os.environ.get("CRSH_IDLE_TIMEOUT") or 0)
        attributes = {}
        for i in range(int(os.environ.get("CRSH_NUM_ATTR") or 0)):
            attributes[os.environ["CRSH_ATTR_KEY_%d" % i]] = os.environ[
                "CRSH_ATTR_VALUE_%d" % i]
        url = urllib.parse.urlsplit(os.environ["CRSH_URL"])
        if url.scheme != "file":
            sys.exit("helper.py: only file:// is served")
        self.log = attributes.get("log")
        self.extensions = attributes.get("extensions") == "yes"
        self.wrong = attributes.get("fault")
        self.right = int(attributes.get("fault-after") or 0)
        self.store = Store(urllib.parse.unquote(url.path))
        self.leases = Leases(int(attributes.get("lease-ms") or 30000) / 1000)
        self.served = 0
        self.last = time.monotonic()
        self.lock = threading.Lock()

    def fault(self):
        return self.wrong if self.served >= self.right else None

    def touch(self):
        self.last = time.monotonic()

    def note(self, name, key, size, result, process):
        if not self.log:
            return
        line = "%s %s %d %d %d\n" % (name, key.hex() or "-", size, result, process)
        with self.lock, open(self.log, "a", encoding="utf-8") as file:
            file.write(line)

    def end(self, status):
        try:
            os.unlink(self.endpoint)
        except OSError:
            pass
        os._exit(status)

    def listen(self):
        os.umask(0o077)
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(self.endpoint)
        except OSError:
            # Left by one that was killed?
            probe = socket.socket(socket.AF_UNIX)
            if probe.connect_ex(self.endpoint) == 0:
                raise
            os.unlink(self.endpoint)
            listener.bind(self.endpoint)
        listener.listen(512)
        return listener

    def run(self):
        listener = self.listen()
        while True:
            if self.idle:
                listener.settimeout(max(0.05, self.idle / 4))
            try:
                peer, _ = listener.accept()
            except socket.timeout:
                if time.monotonic() - self.last >= self.idle:
                    self.end(0)
                continue
            peer.settimeout(None)
            self.touch()
            threading.Thread(target=self.attend, args=(peer,), daemon=True).start()

    def attend(self, peer):
        try:
            Connection(self, peer).serve()
        except (Closed, OSError):
            pass
        peer.close()


if __name__ == "__main__":
    try:
        Helper().run()
    except OSError as error:
        sys.exit("helper.py: %s" % error)
