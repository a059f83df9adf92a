#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dpnp's own tests of logic, which take some 200 kernels.

    dpnp_logic.py DIRECTORY

DIRECTORY has pytest, which isn't among build/venv's packages. Prints a line of
JSON: "import", the ms that the imports took, "total", those of the tests, both
together, and "digest", how many passed and failed.
"""
import json
import sys
import time

START = time.perf_counter()

import dpnp  # noqa: E402, F401

IMPORTED = time.perf_counter()

# The last, or other packages would be another Python's.
sys.path.append(sys.argv[1])
import pytest  # noqa: E402


class Counts:
    """What became of each test."""

    def __init__(self) -> None:
        self.outcomes: dict[str, int] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.outcome] = (
                self.outcomes.get(report.outcome, 0) + 1)


def main() -> int:
    counts = Counts()
    start = time.perf_counter()
    status = pytest.main(["-q", "-q", "-p", "no:cacheprovider", "--pyargs",
                          "dpnp.tests.test_logic"], [counts])
    end = time.perf_counter()
    print()
    print(json.dumps({"digest": json.dumps(counts.outcomes),
                      "import": round((IMPORTED - START) * 1e3, 3),
                      "start_up": round((end - START) * 1e3, 3),
                      "total": round((end - start) * 1e3, 3)}))
    return status


sys.exit(main())
