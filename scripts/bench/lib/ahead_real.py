# SPDX-License-Identifier: MIT
"""Unmodified programs, with programs loaded ahead and without: pyopencl's, hashcat
and dpnp. How long they wait in OpenCL's calls a layer above all others says
(scripts/bench/layer/spans.c), which is there in every way."""
import json
import os
import shutil
from pathlib import Path
from typing import Callable, Iterator

import ahead_goals as names
from ahead import (LIMIT_S, LIST, OFF, TRAININGS, keep, loaded_ahead, rounds,
                   ten_programs)
from drivers import (OWN_CACHE_OFF, ROOT, VENV_PYTHON, Target, has_dpnp,
                     own_cache_in)
from measure import DIRECTORY, Part, Samples
from runs import LAYER, Outcome, Progress, Store, run

SPANS = ROOT / "build/scripts/bench/libspans.so"
SPANS_FILE = DIRECTORY / "ahead-spans"
KINDS = ("context", "program", "kernel", "launch", "wait", "gap")
PYTEST = Path("/usr/lib/python3/dist-packages/pytest")
PYOPENCL = ["/usr/bin/python3", str(ROOT / "scripts/bench/ten_programs.py")]


class Real:
    """One program on one driver."""

    # What it is compared with: no layer, but a cache of another kind, warm
    # ("own"), or a bare load ("floor").
    other = "own"
    limit_s = LIMIT_S

    def __init__(self, part: Part, target: Target, device, environment,
                 name: str, command: list[str]) -> None:
        self.part = part
        self.target = target
        self.device = device
        self.environment = environment
        self.name = name
        self.command = command
        self.store = Store(DIRECTORY / "ahead-real")
        self.samples = Samples()
        self.digests: set[str] = set()
        self.plain = {**environment, **OWN_CACHE_OFF}

    def layer(self, trace: bool = False) -> dict[str, str]:
        return {**self.environment,
                **self.store.environment(self.device, trace, trace)}

    def before(self, way: str) -> None:
        """What a way needs before each run."""

    def bare(self) -> tuple[list[str], dict[str, str]]:
        raise NotImplementedError

    def settings(self, way: str) -> tuple[list[str], dict[str, str]]:
        if way == self.other:
            command, environment = self.bare()
            layers = ""
        else:
            command, environment = self.command, self.layer(way == "fill")
            layers = f"{LAYER}:"
            if way == "off":
                environment = {**environment, **OFF}
        return command, {**environment, "OPENCL_LAYERS": f"{layers}{SPANS}",
                         "SPANS_FILE": str(SPANS_FILE)}

    def take(self, way: str) -> dict[str, float]:
        self.before(way)
        SPANS_FILE.unlink(missing_ok=True)
        command, environment = self.settings(way)
        outcome = run(command, environment)
        spans = json.loads(SPANS_FILE.read_text(encoding="utf-8"))
        values = {kind: spans[kind] for kind in KINDS}
        return {"process": outcome.wall_ms, "cpu": outcome.cpu_ms, **values,
                "programs": values["program"] + values["kernel"],
                **self.more(outcome)}

    def more(self, outcome: Outcome) -> dict[str, float]:
        """What the program says itself."""
        raise NotImplementedError

    def fill(self, step: Callable[[str], None]) -> None:
        step("filling the store")
        self.take("fill")
        self.take(self.other)
        for _ in range(TRAININGS):
            self.take("ahead")

    def measure(self, progress: Progress) -> None:
        def step(text: str) -> None:
            progress.step(f"{self.target}: {self.name}: {text}")

        self.fill(step)
        rounds(self.part, {way: (lambda way=way: self.take(way))
                           for way in (self.other, "off", "ahead")},
               self.samples, step, self.limit_s)
        self.check()
        keep(self.part, (self.target.driver, self.name), self.samples)
        self.print_shares()

    def check(self) -> None:
        self.before("ahead")
        _, trace = self.store.run(self.command, self.environment, self.device)
        if not trace.served:
            self.part.fail(f"{self.name}: not served: {trace.why()}")
        if len(self.digests) > 1:
            self.part.fail(f"{self.name}: the results differ")
        print(f"{self.target}: {self.name}: {loaded_ahead(self.store)} of "
              f"{trace.hits} loaded ahead", flush=True)

    def print_shares(self) -> None:
        """Where the time goes, by the application's calls."""
        for way in (self.other, "off", "ahead"):
            print(f"{self.target.driver} {self.name}, {way}: " + ", ".join(
                f"{what} {self.samples.median(way, what):.1f} ms"
                for what in ("process", "context", "gap", "program", "kernel",
                             "launch", "wait")), flush=True)


class TenPrograms(Real):
    """Against a pyopencl program that loads the same binaries."""
    other = "floor"

    def __init__(self, part: Part, target: Target, device,
                 environment) -> None:
        super().__init__(part, target, device, environment, names.PYOPENCL,
                         [*PYOPENCL, str(LIST)])
        self.environment = {**environment, "PYOPENCL_NO_CACHE": "1"}
        self.binaries = DIRECTORY / "ahead-pyopencl"
        shutil.rmtree(self.binaries, ignore_errors=True)
        self.binaries.mkdir(parents=True)

    def bare(self) -> tuple[list[str], dict[str, str]]:
        return [*self.command, "--load", str(self.binaries)], self.plain

    def fill(self, step: Callable[[str], None]) -> None:
        LIST.write_text(ten_programs(), encoding="utf-8")
        run([*self.command, "--save", str(self.binaries)], self.layer(True))
        super().fill(step)

    def more(self, outcome: Outcome) -> dict[str, float]:
        report = outcome.report()
        self.digests.add(report["digest"])
        return {"total": report["total"]}


class Hashcat(Real):
    """Against hashcat's own cache of binaries, which is a bare load of them."""
    other = "floor"

    def __init__(self, part: Part, target: Target, device,
                 environment) -> None:
        super().__init__(part, target, device, environment, names.HASHCAT,
                         [str(ROOT / "scripts/real/hashcat")])
        self.empty = DIRECTORY / "ahead-hashcat"
        self.kept = DIRECTORY / "ahead-hashcat-kept"
        shutil.rmtree(self.kept, ignore_errors=True)
        self.environment = {**environment, "DIRECTORY": str(self.empty)}

    def bare(self) -> tuple[list[str], dict[str, str]]:
        return self.command, {**self.plain, "DIRECTORY": str(self.kept)}

    def before(self, way: str) -> None:
        if way != self.other:
            shutil.rmtree(self.empty, ignore_errors=True)
            self.empty.mkdir(parents=True)
        elif not self.kept.exists():
            self.kept.mkdir(parents=True)
            # Its binaries are there then, and are loaded.
            self.take(way)

    def more(self, outcome: Outcome) -> dict[str, float]:
        self.digests.add(outcome.output)
        return {}


class Dpnp(Real):
    """Against DPC++'s persistent cache."""

    def __init__(self, part: Part, target: Target, device, environment,
                 name: str, script: str, *arguments: str) -> None:
        super().__init__(part, target, device, environment, name,
                         [str(VENV_PYTHON), "-B", str(ROOT / script),
                          *arguments])
        own = own_cache_in(DIRECTORY / "ahead-dpnp")
        self.environment = {**environment,
                            "ONEAPI_DEVICE_SELECTOR": "opencl:cpu"}
        self.plain = {**self.environment, **OWN_CACHE_OFF,
                      **{name: value for name, value in own.items()
                         if "SYCL" in name}}

    def bare(self) -> tuple[list[str], dict[str, str]]:
        return self.command, self.plain

    def layer(self, trace: bool = False) -> dict[str, str]:
        """As users have it: no switch of SYCL's."""
        return {name: value for name, value in super().layer(trace).items()
                if not name.startswith("SYCL_")}

    def check(self) -> None:
        self.store.log.unlink(missing_ok=True)
        super().check()

    def more(self, outcome: Outcome) -> dict[str, float]:
        report = outcome.report()
        self.digests.add(report["digest"])
        return {time: report[time] for time in ("import", "total", "start_up")}


class DpnpTests(Dpnp):
    """Of dpnp's own tests those of logic, which take some 200 kernels."""
    limit_s = 90


def dpnp_programs(part: Part, target: Target, device,
                  environment) -> Iterator[Real]:
    if not has_dpnp():
        print("dpnp: not measured: it isn't installed (scripts/deps sycl)")
        return
    where = (part, target, device, environment)
    yield Dpnp(*where, names.DPNP, "scripts/demo_dpnp.py", "20")
    if PYTEST.exists():
        yield DpnpTests(*where, names.DPNP_TESTS,
                        "scripts/bench/dpnp_logic.py", str(PYTEST.parent))
    else:
        print("dpnp, tests of logic: not measured: python3-pytest isn't "
              "installed")


def has_hashcat() -> bool:
    if shutil.which("hashcat", path=os.environ.get("PATH")):
        return True
    print("hashcat: not measured: it isn't installed")
    return False
