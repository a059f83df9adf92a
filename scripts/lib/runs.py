# SPDX-License-Identifier: MIT
"""Run programs with and without the layer, and read what it did."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from drivers import OWN_CACHE_OFF, PROBE, ROOT, Device

LAYER = ROOT / "build/liboclcache.so"
TIMEOUT_S = 900


class RunFailed(Exception):
    """A program failed; the text says how."""


def parse_line(line: str) -> dict:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise RunFailed(f"not a line of JSON: '{line[:80]}'") from None


@dataclass
class Outcome:
    """What a program printed, how long it lived, and what CPU time it took."""
    output: str
    wall_ms: float
    cpu_ms: float = 0

    def report(self) -> dict:
        """The line of JSON that our own programs print last."""
        return parse_line(self.output.strip().rpartition("\n")[2])


@dataclass
class Trace:
    """What the layer did in one process, from its log."""
    hits: int = 0
    misses: int = 0
    others: list[str] = field(default_factory=list)
    stored: int = 0
    not_stored: list[str] = field(default_factory=list)

    @property
    def served(self) -> bool:
        return self.hits > 0 and not self.misses and not self.others

    def why(self) -> str:
        """One reason for not being served."""
        if not LAYER.exists():
            return "no layer: build/liboclcache.so is missing"
        if self.others:
            return self.others[0]
        if self.misses:
            return f"{self.misses} of {self.hits + self.misses} missed"
        return "the layer saw no build"


def read_trace(path: Path) -> Trace:
    trace = Trace()
    lines = path.read_text().splitlines() if path.exists() else []
    for line in lines:
        if line.startswith("{"):
            add_event(trace, parse_line(line))
    return trace


def add_event(trace: Trace, event: dict) -> None:
    kind, result = event.get("oclcache"), event.get("result")
    reason = event.get("reason") or str(result)
    if kind == "store":
        if result == "stored":
            trace.stored += 1
        else:
            trace.not_stored.append(reason)
    elif kind == "lookup" and result == "hit":
        trace.hits += 1
    elif kind == "lookup" and result == "miss":
        trace.misses += 1
    elif kind == "lookup":
        trace.others.append(reason)


class Store:
    """A store of our own, never the user's."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "store"
        self.log = directory / "log"
        self.empty()

    def empty(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def entries(self) -> list[Path]:
        return sorted(self.directory.glob("*.cl_cache"))

    def environment(self, device: Device, eager: bool = True,
                    trace: bool = True) -> dict[str, str]:
        """The layer over this store, the driver's own cache off. A trace takes
        time: not when that is measured."""
        settings = {
            **OWN_CACHE_OFF,
            "OPENCL_LAYERS": str(LAYER),
            "OCLCACHE_PERSISTENT": "1",
            "OCLCACHE_DIR": str(self.directory),
        }
        if trace:
            settings["OCLCACHE_LOG_FILE"] = str(self.log)
            settings["BinaryCacheTrace"] = "1"
        # Asking PoCL for its binaries is dear: by itself the layer does so at the
        # second use, and not at all of large programs.
        if device.is_pocl and eager:
            settings["OCLCACHE_STORE"] = "eager"
        return settings

    def beside(self, own: dict[str, str], device: Device) -> dict[str, str]:
        """As users have it: the layer over this store, and the driver's own
        cache as it is in `own`."""
        layer = self.environment(device, False, False)
        return {**own, **{name: value for name, value in layer.items()
                          if name not in OWN_CACHE_OFF}}

    def run(self, command: list[str], environment: dict[str, str],
            device: Device) -> tuple[Outcome, Trace]:
        self.log.unlink(missing_ok=True)
        outcome = run(command, {**environment, **self.environment(device)})
        return outcome, read_trace(self.log)


def run(command: list[str], environment: dict[str, str]) -> Outcome:
    # What the run before left to be written would be paid for by this one:
    # PoCL waits for the disk when it unpacks a binary.
    empty_cache(environment)
    os.sync()
    start = time.perf_counter()
    before = cpu_seconds()
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True,
            errors="replace", timeout=TIMEOUT_S, check=False,
            stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise RunFailed(f"{command[0]} not found") from None
    except subprocess.TimeoutExpired:
        raise RunFailed(f"still running after {TIMEOUT_S} s") from None
    wall_ms = (time.perf_counter() - start) * 1e3
    if done.returncode:
        raise RunFailed(describe_failure(done))
    return Outcome(done.stdout, wall_ms, (cpu_seconds() - before) * 1e3)


def empty_cache(environment: dict[str, str]) -> None:
    """PoCL's own, where it is to be as good as off."""
    directory = OWN_CACHE_OFF["POCL_CACHE_DIR"]
    if environment.get("POCL_CACHE_DIR") == directory:
        shutil.rmtree(directory, ignore_errors=True)
        Path(directory).mkdir(parents=True, exist_ok=True)


def cpu_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def describe_failure(done: subprocess.CompletedProcess) -> str:
    if done.returncode < 0:
        return f"killed by {signal.Signals(-done.returncode).name}"
    lines = done.stderr.strip().splitlines()
    last = lines[-1] if lines else "no message"
    return f"exit status {done.returncode}: {last[:120]}"


def flatten(kernel: str, directory: Path) -> Path:
    """One of hashcat's kernels as one source; see scripts/flatten."""
    path = directory / f"{kernel}.cl"
    done = subprocess.run(
        [ROOT / "scripts/flatten", f"{kernel}.cl", "-o", path],
        capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunFailed(done.stderr.strip())
    return path


class Progress:
    """One line that changes on a terminal, else a line per step."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()

    def step(self, text: str) -> None:
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=sys.stderr,
                  flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def print_table(head: list[str], rows: list[list[str]],
                left: int = 1) -> None:
    """Columns as wide as needed; the first `left` and the last to the left."""
    widths = [max(len(row[i]) for row in [head, *rows])
              for i in range(len(head))]
    rule = ["-" * width for width in widths]
    for row in [head, rule, *rows]:
        cells = [cell.ljust(width) if i < left or i == len(head) - 1
                 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())


def milliseconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def ratio(numerator: float | None, denominator: float | None) -> str:
    if numerator is None or not denominator:
        return "-"
    value = numerator / denominator
    return f"{value:.0f}x" if value >= 100 else f"{value:.2f}x"
