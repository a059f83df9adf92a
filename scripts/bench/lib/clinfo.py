# SPDX-License-Identifier: MIT
"""The measuring part of scripts/bench/clinfo."""
import argparse
import difflib

from drivers import (LOADERS, OWN_CACHE_OFF, Device, Target, Unavailable,
                     find_devices, installed_drivers, loader_version)
from measure import DIRECTORY, Part, Samples, environment_of, interleave
from runs import (Progress, RunFailed, Store, milliseconds,
                  print_table, run)

COMMAND = ["clinfo"]
WAYS = ("none", "cold", "warm")


class Clinfo:
    """clinfo on one driver under one loader."""

    def __init__(self, part: Part, target: Target, device: Device,
                 environment: dict[str, str]) -> None:
        self.part = part
        self.target = target
        self.plain = {**environment, **OWN_CACHE_OFF}
        self.warm_store = Store(DIRECTORY / "clinfo-warm")
        self.cold_store = Store(DIRECTORY / "clinfo-cold")
        self.device = device
        self.environment = environment
        self.samples = Samples()
        self.outputs: dict[str, str] = {}

    def take(self, way: str, environment: dict[str, str]) -> dict[str, float]:
        outcome = run(COMMAND, environment)
        self.outputs[way] = outcome.output
        return {"process": outcome.wall_ms, "cpu": outcome.cpu_ms}

    def under(self, store: Store) -> dict[str, str]:
        return {**self.environment,
                **store.environment(self.device, False, False)}

    def cold(self) -> dict[str, float]:
        self.cold_store.empty()
        return self.take("cold", self.under(self.cold_store))

    def measure(self, progress: Progress) -> list[str]:
        self.warm_store.run(COMMAND, self.environment, self.device)
        interleave({"none": lambda: self.take("none", self.plain),
                    "cold": self.cold,
                    "warm": lambda: self.take("warm",
                                              self.under(self.warm_store))},
                   self.part.options.runs, self.samples,
                   step=lambda text: progress.step(
                       f"{self.target}: clinfo: {text}"))
        _, trace = self.warm_store.run(COMMAND, self.environment, self.device)
        progress.clear()
        if not trace.served:
            self.part.fail(f"{self.target}: clinfo: not served: "
                           f"{trace.why()}")
        return self.keep(self.same_outputs())

    def same_outputs(self) -> bool:
        same = True
        for way in ("cold", "warm"):
            diff = list(difflib.unified_diff(
                self.outputs["none"].splitlines(),
                self.outputs[way].splitlines(), "without the layer",
                f"with the layer, {way}", lineterm="", n=0))
            if diff:
                same = False
                print("\n".join(diff))
                self.part.fail(f"{self.target}: clinfo's output differs")
        return same

    def keep(self, same: bool) -> list[str]:
        label = (self.target.driver, f"clinfo, {self.target.loader}")
        self.part.keep_all(*label, self.samples)
        adds = [self.part.keep_difference(*label, self.samples, way, "none",
                                          "process")
                for way in ("cold", "warm")]
        self.part.keep_ratio(*label, self.samples, "cold", "none", "process")
        return [self.target.driver, self.target.loader,
                *(milliseconds(self.samples.median(way, "process"))
                  for way in WAYS),
                *(f"{value:+.1f}" for value in adds),
                "same" if same else "DIFFERS"]


def measure(part: Part) -> None:
    progress = Progress()
    rows = []
    for driver in part.options.driver or installed_drivers():
        for loader in part.options.loader or (
                LOADERS[:1]):
            target = Target(driver, loader)
            try:
                environment = environment_of(target)
                device = find_devices(environment)[0]
                print(f"{target}: {loader_version(environment)}, "
                      f"{device.platform} {device.version}", flush=True)
                rows.append(Clinfo(part, target, device,
                                   environment).measure(progress))
            except Unavailable as error:
                print(f"{target}: not measured: {error}")
            except RunFailed as error:
                part.fail(f"{target}: clinfo: {error}")
    print("The whole process, ms:")
    print_table(["driver", "loader", *WAYS, "cold adds", "warm adds",
                 "output"], rows, left=2)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--driver", action="append", metavar="NAME",
                        help="only this one (again for more): intel, pocl ..")
    parser.add_argument("--loader", action="append", choices=LOADERS,
                        help="default: ocl-icd")
