# SPDX-License-Identifier: MIT
"""Servers on loopback, and helpers before them, for measuring."""
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from drivers import ROOT

HELPER = ROOT / "build/oclcache-storage"
WAIT_S = 20


class Missing(Exception):
    """A program isn't here; the text says which."""


def program(package: str, name: str) -> str:
    """What scripts/deps has unpacked, or the machine's own."""
    for place in ("usr/sbin", "usr/bin"):
        path = ROOT / "build/servers" / package / place / name
        if path.exists():
            return str(path)
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if not found:
        raise Missing(f"{name} isn't here (scripts/deps servers)")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(where: int | str) -> bool:
    family = socket.AF_INET if isinstance(where, int) else socket.AF_UNIX
    address = ("127.0.0.1", where) if isinstance(where, int) else where
    with socket.socket(family) as probe:
        return probe.connect_ex(address) == 0


class Service:
    """A process that listens. To be ended."""

    def __init__(self, command: list[str], where: int | str,
                 environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + WAIT_S
        while not listens(where):
            if self.process.poll() is not None or time.monotonic() > end:
                self.end()
                raise Missing(f"{command[0]} doesn't listen")
            time.sleep(0.01)

    def stop(self) -> None:
        """It answers nothing any more, and its connections stay."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


NGINX = """daemon off; master_process off; pid {0}/nginx.pid; error_log {0}/nginx.error;
events {{ }}
http {{
    access_log off; client_body_temp_path {0}/body; keepalive_requests 1000000;
    proxy_temp_path {0}/unused; fastcgi_temp_path {0}/unused;
    uwsgi_temp_path {0}/unused; scgi_temp_path {0}/unused;
    server {{
        listen 127.0.0.1:{1};
        location / {{
            root {0}/files; client_max_body_size 256m;
            dav_methods PUT DELETE; create_full_put_path on;
        }}
    }}
}}
"""


def start_nginx(directory: Path) -> tuple[Service, str]:
    """And its URL."""
    port = free_port()
    for name in ("files", "body"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    configuration = directory / "nginx.conf"
    configuration.write_text(NGINX.format(directory, port))
    return Service([program("nginx", "nginx"), "-p", str(directory), "-e",
                    f"{directory}/nginx.error", "-c", str(configuration)],
                   port), f"http://127.0.0.1:{port}/kernels"


def start_redis(directory: Path) -> tuple[Service, str]:
    port = free_port()
    directory.mkdir(parents=True, exist_ok=True)
    return Service([program("redis", "redis-server"), "--bind", "127.0.0.1",
                    "--port", str(port), "--save", "", "--appendonly", "no",
                    "--dir", str(directory)],
                   port), f"redis://127.0.0.1:{port}"


def start_helper(path: Path, url: str) -> Service:
    """oclcache-storage, at that socket."""
    if not HELPER.exists():
        raise Missing(f"{HELPER} is missing: type `make`")
    environment = {**os.environ, "CRSH_IPC_ENDPOINT": str(path), "CRSH_URL": url,
                   "CRSH_IDLE_TIMEOUT": "0", "CRSH_NUM_ATTR": "0"}
    return Service([str(HELPER)], str(path), environment)


def flush(path: Path) -> None:
    """Waits until what was put is at the server."""
    subprocess.run([HELPER, "flush", "--socket", path], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
