#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads metrics of oclcache with another's parser.

    metrics.py openmetrics|prometheus FILE      a line for each sample, sorted

The parsers are those of python3-prometheus-client; that of OpenMetrics is strict
about names, units, order and the end. That a name has one type, help text, and a
unit where it ends so is looked at here, for both.
"""
import sys
from pathlib import Path

from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics


def families(form: str, text: str):
    if form == "openmetrics":
        return list(openmetrics.text_string_to_metric_families(text))
    return list(parser.text_string_to_metric_families(text))


def samples(form: str, text: str) -> list[str]:
    lines = []
    for family in families(form, text):
        if family.type not in ("counter", "gauge", "info"):
            sys.exit(f"{family.name} is of type {family.type}")
        if not family.documentation.endswith("."):
            sys.exit(f"{family.name} has no help text")
        if not family.samples:
            sys.exit(f"{family.name} has no samples")
        unit = family.name.rsplit("_", 1)[-1]
        if form == "openmetrics" and unit in ("bytes", "seconds"):
            if family.unit != unit:
                sys.exit(f"{family.name} has the unit {family.unit!r}")
        for sample in family.samples:
            labels = ",".join(f"{k}={v!r}" for k, v in sorted(sample.labels.items()))
            lines.append(f"{sample.name}{{{labels}}} {float(sample.value)!r}")
    if len(set(lines)) != len(lines):
        sys.exit("a sample is there twice")
    return sorted(lines)


def main() -> None:
    form, path = sys.argv[1:]
    text = Path(path).read_text(encoding="utf-8")
    print("\n".join(samples(form, text)))


if __name__ == "__main__":
    main()
