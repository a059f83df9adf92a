# SPDX-License-Identifier: MIT
"""Programs of build/scripts/bench/ahead, with programs loaded ahead and without.

Ways:

    floor      no layer; the binary that the entry has is read from a file and
               given to the driver
    off        served from the store, OCLCACHE_PREFETCH=0
    ahead      the same without this setting
    own        no layer, the driver's own cache, warm
    off+own, ahead+own   with the driver's own cache on; where there isn't
                         "own" in the name it is off
"""
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from drivers import OWN_CACHE_OFF, PROBE, ROOT, SIMULATED, own_cache_in
from measure import DIRECTORY, Part, Samples, interleave, rounds_within
from programs import hashcat_program
from runs import Outcome, Progress, RunFailed, Store, run

AHEAD = ROOT / "build/scripts/bench/ahead"
OFF = {"OCLCACHE_PREFETCH": "0"}
# So often a program runs before it is known what it takes.
TRAININGS = 2
# At most for one program on one driver, once there are ROUNDS_MIN rounds.
LIMIT_S = 12
ROUNDS_MIN = 7
# Of what is looked for 50 us, in processes that take little else.
NOTHING_ROUNDS = 5
TIMES = ("context", "whole", "first", "total", "build", "kernel", "launch",
         "before", "after")
MEMORY = ("before", "after")
# Of what a process does by itself else's work only adds to the time: of so many
# groups of rounds the least are compared.
LEAST = ("context", "whole", "process")
GROUPS = 6
# In scripts/bench/cl, and how many pointers they take.
TEN = {"vector_add": 3, "vector_types": 2, "scan": 2, "bits": 2, "bodies": 2,
       "private_array": 2, "calls": 2, "functions": 2, "division": 2,
       "sort": 2}


# What a process is to build stands there. Runs are told apart by their arguments,
# which are the same, then, whatever it says.
LIST = DIRECTORY / "ahead-list"


def lines_of(programs: list[tuple]) -> str:
    """As scripts/bench/ahead.c reads them."""
    return "".join("\t".join(map(str, program)) + "\n" for program in programs)


def ten_programs(options: str = "") -> str:
    """With other options they are other programs, that cost the same."""
    return lines_of(
        [(name, pointers, 4096, 256, ROOT / f"scripts/bench/cl/{name}.cl",
          options) for name, pointers in TEN.items()])


def hashcat_programs(driver: str, kernels: dict[str, str],
                     launched: str = "") -> str:
    """Of files and kernels in them. As scripts/bench/programs has it: launched on
    zeros the one ends at once."""
    found = []
    for kernel, entry in kernels.items():
        program = hashcat_program(driver, kernel, entry)
        given = dict(zip(program.arguments[::2], program.arguments[1::2]))
        found.append((entry, given["--arguments"] if kernel == launched else 0,
                      given["--global"], given["--global"], given["--source"],
                      given["--options"]))
    return lines_of(found)


@dataclass(frozen=True)
class Case:
    """What one process does."""
    name: str
    programs: str  # the lines of LIST
    # Between the context and the first build: --wait or --work, and ms.
    between: tuple[str, ...] = ()


class Programs:
    """One case on one device. Cases of the same programs have one store: some
    take minutes to compile."""

    times_the_rounds = 1

    def __init__(self, part: Part, target, device, environment, case: Case,
                 store: Store | None = None) -> None:
        self.part = part
        self.target = target
        self.device = device
        self.case = case
        self.environment = environment
        self.plain = {**environment, **OWN_CACHE_OFF}
        self.own_directory = DIRECTORY / "ahead-own"
        self.binaries = DIRECTORY / "ahead-binaries"
        for directory in (self.own_directory, self.binaries):
            shutil.rmtree(directory, ignore_errors=True)
        self.binaries.mkdir(parents=True)
        self.own = {**environment, **own_cache_in(self.own_directory)}
        self.store = store or Store(DIRECTORY / "ahead")
        self.samples = Samples()
        self.digests: set[str] = set()
        self.bare = [str(AHEAD), "--platform", device.platform]
        self.command = [*self.bare, *case.between, str(LIST)]

    @property
    def label(self) -> tuple[str, str]:
        return self.target.driver, self.case.name

    def layer(self) -> dict[str, str]:
        return {**self.environment,
                **self.store.environment(self.device, False, False)}

    def take(self, command: list[str],
             environment: dict[str, str]) -> dict[str, float]:
        return self.times(run(command, environment))

    def times(self, outcome: Outcome) -> dict[str, float]:
        report = outcome.report()
        if self.target.driver not in SIMULATED:
            self.digests.add(report["digest"])
        return {"process": outcome.wall_ms, "cpu": outcome.cpu_ms,
                **{time: report[time] for time in TIMES}}

    def fill(self) -> None:
        """The store, the binaries, and what this executable takes."""
        LIST.write_text(self.case.programs, encoding="utf-8")
        self.store.run(self.command, self.environment, self.device)
        if not self.store.entries():
            raise RunFailed("nothing was stored")
        self.take([*self.bare, "--save", str(self.binaries), str(LIST)],
                  self.layer())
        self.train()

    def train(self) -> None:
        """The next process foresees what these build."""
        for _ in range(TRAININGS):
            run(self.command, self.layer())

    def ways(self) -> dict[str, Callable[[], dict[str, float]]]:
        floor = [*self.bare, *self.case.between, "--load", str(self.binaries),
                 str(LIST)]
        return {
            "floor": lambda: self.take(floor, self.plain),
            "off": lambda: self.take(self.command, {**self.layer(), **OFF}),
            "ahead": lambda: self.take(self.command, self.layer())}

    def own_ways(self) -> dict[str, Callable[[], dict[str, float]]]:
        """Without the others: there, where every variable is in the key, these are
        other programs, and a run would foresee those of the way before."""
        beside = self.store.beside(self.own, self.device)
        # The layer's first, which has to compile: what the driver takes from its
        # own cache is hardly slower than a load, and so wouldn't be cached.
        for environment in (beside, self.own, *[beside] * TRAININGS):
            self.take(self.command, environment)
        return {
            "own": lambda: self.take(self.command, self.own),
            "off+own": lambda: self.take(self.command, {**beside, **OFF}),
            "ahead+own": lambda: self.take(self.command, beside)}

    def measure(self, progress: Progress, with_own: bool = False) -> None:
        def step(text: str) -> None:
            progress.step(f"{self.target}: {self.case.name}: {text}")

        step("filling the store")
        self.fill()
        ways = self.own_ways() if with_own else self.ways()
        rounds(self.part, ways, self.samples, step,
               times=self.times_the_rounds)
        self.check()
        keep(self.part, self.label, self.samples)

    def check(self) -> None:
        self.train()
        _, trace = self.store.run(self.command, self.environment, self.device)
        if not trace.served:
            self.part.fail(f"{self.label}: not served: {trace.why()}")
        if len(self.digests) > 1:
            self.part.fail(f"{self.label}: the results differ")
        print(f"{self.target}: {self.case.name}: {loaded_ahead(self.store)} "
              f"of {trace.hits} loaded ahead", flush=True)


def loaded_ahead(store: Store) -> int:
    """By the trace of the last run."""
    text = store.log.read_text(encoding="utf-8") if store.log.exists() else ""
    return sum('"oclcache":"prefetch"' in line and '"loaded"' in line
               for line in text.splitlines())


def rounds(part: Part, ways: dict[str, Callable[[], dict[str, float]]],
           samples: Samples, step: Callable[[str], None],
           limit_s: float = LIMIT_S, times: int = 1) -> None:
    """As many as fit, up to so many times what is asked for. The first isn't
    counted: it finds files that aren't in memory yet."""
    interleave(ways, 1, Samples(), step=step)
    least = min(ROUNDS_MIN, part.options.runs)
    for number in rounds_within(limit_s, times * part.options.runs, least):
        interleave(ways, 1, samples, step=step, first=number)


def keep(part: Part, label: tuple[str, str], samples: Samples) -> None:
    """All, and compared round by round: ratios of times, differences of the
    memory; and what a process takes longer, by the least of each."""
    ways = {way for way, _ in samples.kinds()}
    for way, what in samples.kinds():
        unit = "kB" if what in MEMORY else "ms"
        part.keep(*label, way, what, samples.values(way, what), unit)
        for under in ("none", "floor", "off", "own"):
            if under in ways and way not in ("none", "floor", "own"):
                compare(part, label, samples, way, under, what)


def compare(part: Part, label: tuple[str, str], samples: Samples, over: str,
            under: str, what: str) -> None:
    if over == under:
        return
    if what in MEMORY:
        part.keep_interval(*label, f"{over}-{under}", what,
                           samples.difference(over, under, what), "kB")
        return
    if what in LEAST and len(samples.values(over, what)) >= GROUPS:
        ups, downs = (samples.values(way, what) for way in (over, under))
        part.keep_interval(*label, f"{over}-{under}", f"{what}, least",
                           [1000 * (min(ups[group::GROUPS])
                                    - min(downs[group::GROUPS]))
                            for group in range(GROUPS)], "us")
    values = samples.ratio(over, under, what)
    if all(samples.values(under, what)):
        part.keep_interval(*label, f"{over}/{under}", what, values, "x")


class Surprise(Programs):
    """Before each run that is measured the executable has built other programs,
    with the same arguments."""

    expected = ""

    def fill(self) -> None:
        LIST.write_text(self.case.programs, encoding="utf-8")
        self.store.run(self.command, self.environment, self.device)
        LIST.write_text(self.expected, encoding="utf-8")
        self.store.run(self.command, self.environment, self.device)

    def after_others(self, environment: dict[str, str]) -> dict[str, float]:
        LIST.write_text(self.expected, encoding="utf-8")
        self.train()
        LIST.write_text(self.case.programs, encoding="utf-8")
        return self.take(self.command, environment)

    def ways(self) -> dict[str, Callable[[], dict[str, float]]]:
        return {"none": lambda: self.after_others(self.plain),
                "off": lambda: self.after_others({**self.layer(), **OFF}),
                "ahead": lambda: self.after_others(self.layer())}

    def check(self) -> None:
        LIST.write_text(self.expected, encoding="utf-8")
        self.train()
        LIST.write_text(self.case.programs, encoding="utf-8")
        self.store.run(self.command, self.environment, self.device)
        print(f"{self.target}: {self.case.name}: {loaded_ahead(self.store)} "
              "loaded ahead for nothing", flush=True)


class Wrong(Surprise):
    """It builds others than what is loaded ahead."""

    expected = ten_programs("-D OTHERS")

    def ways(self) -> dict[str, Callable[[], dict[str, float]]]:
        ways = super().ways()
        # It would compile.
        del ways["none"]
        return ways


class Nothing(Surprise):
    """A context and nothing else, where ten programs are expected."""

    times_the_rounds = NOTHING_ROUNDS
    expected = ten_programs()


class NeverBuilt(Programs):
    """A context and nothing else, by an executable that has never built any."""

    times_the_rounds = NOTHING_ROUNDS

    def fill(self) -> None:
        """The driver is known to the store."""
        LIST.write_text("", encoding="utf-8")
        self.store.run([str(PROBE), "--platform", self.device.platform],
                       self.environment, self.device)
        self.train()

    def ways(self) -> dict[str, Callable[[], dict[str, float]]]:
        return {"none": lambda: self.take(self.command, self.plain),
                "off": lambda: self.take(self.command,
                                         {**self.layer(), **OFF}),
                "ahead": lambda: self.take(self.command, self.layer())}

    def check(self) -> None:
        """There is nothing to serve."""
