# SPDX-License-Identifier: MIT
"""The part of scripts/demo that shows an update of a driver."""
from dataclasses import dataclass
from pathlib import Path

from driver_update import NEW, make
from drivers import ROOT, Device, Target, find_devices
from runs import Progress, RunFailed, Store, milliseconds, print_table, run

COMMAND = ROOT / "build/oclcache"
HEAD = ["program", "driver", "first start", "next", "after update", "replay",
        "next start", "compiled then"]


@dataclass
class Update:
    """Times in ms."""
    program: str
    driver: str
    first: float | None = None
    second: float | None = None
    cold: float | None = None
    replay: float | None = None
    after: float | None = None
    said: str = ""
    ok: bool = False

    def cells(self) -> list[str]:
        return [self.program, self.driver,
                *(milliseconds(value) for value in (
                    self.first, self.second, self.cold, self.replay,
                    self.after)), self.said]


class Updates:
    """Programs before and after a driver becomes another release of itself."""

    def __init__(self, directory: Path, progress: Progress) -> None:
        self.directory = directory
        self.progress = progress
        self.rows: list[Update] = []
        self.notes: list[str] = []

    def play(self, target: Target, environment: dict[str, str],
             programs: list) -> None:
        releases = make(target.driver, self.directory / target.driver / "driver")
        if not releases:
            return
        self.notes.append(f"{target.driver}: {releases.what}")
        environment = releases.environment(environment)
        for program in programs:
            releases.install("old")
            row = Update(program.name, target.driver)
            self.rows.append(row)
            try:
                self.update(row, program, releases, environment)
            except RunFailed as error:
                row.said = f"failed: {error}"

    def update(self, row: Update, program, releases, environment) -> None:
        device = find_devices(environment)[0]
        name = program.name.replace(" ", "-")
        store = Store(self.directory / releases.driver / name)

        def start(what: str, **more: str):
            self.progress.step(f"{releases.driver}'s update: {program.name}, "
                               f"{what}")
            outcome, trace = store.run(list(program.command),
                                       {**environment, **more}, device)
            return program.time(outcome), trace

        row.first, _ = start("first start")
        row.second, _ = start("next start")
        releases.install(NEW)
        row.cold = self.cold(program, store, device, environment)
        row.replay = self.replay(store, device, environment)
        row.after, trace = start("next start after the replay")
        row.ok = trace.served
        row.said = "nothing" if row.ok else trace.why()

    @staticmethod
    def cold(program, store: Store, device: Device, environment) -> float:
        """As it would be without the replay; nothing of it is stored."""
        settings = {**environment, **store.environment(device),
                    "OCLCACHE_STORE": "never"}
        return program.time(run(list(program.command), settings))

    def replay(self, store: Store, device: Device, environment) -> float:
        self.progress.step("oclcache replay --stale")
        settings = {**environment, **store.environment(device, True, False)}
        return run([str(COMMAND), "replay", "--stale"], settings).wall_ms

    def report(self) -> bool:
        if not self.rows:
            return True
        print("A driver update, in ms: a program's first start and the next one; its "
              "start\nafter the update without a replay; `oclcache replay "
              "--stale`; and the start after the replay.")
        print()
        print_table(HEAD, [row.cells() for row in self.rows], left=2)
        print()
        print("\n".join(self.notes))
        print()
        return all(row.ok for row in self.rows)
