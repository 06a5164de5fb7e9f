# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Opens the dashboard in a browser and checks its parts."""
import argparse
import os
import shutil
import sys
import tempfile
import traceback

import drawn  # noqa: F401
import edges  # noqa: F401
import tiles  # noqa: F401
import paper  # noqa: F401
import player  # noqa: F401
import layout  # noqa: F401
import instruments  # noqa: F401
import trouble  # noqa: F401
import load  # noqa: F401
import whole  # noqa: F401
from browser import Browser
from checking import PARTS, Trial
from recorded import Expected, make_drive
from served import Served

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("tool", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--shots")
    parser.add_argument("--parts", action="store_true")
    return parser.parse_args()


def main():
    given = arguments()
    if given.parts:
        print("\n".join(PARTS))
        return 0
    names = [name for name in given.only.split(",") if name] or list(PARTS)
    unknown = [name for name in names if name not in PARTS]
    if unknown or not given.tool or not os.access(given.tool, os.X_OK):
        print(f"Unknown part: {unknown[0]}" if unknown else f"{given.tool} is not an executable program.", file=sys.stderr)
        return 2
    tool = os.path.abspath(given.tool)
    shots = os.path.abspath(given.shots or tempfile.mkdtemp(prefix="dashboard-shots-"))
    os.makedirs(shots, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="dashboard-")
    Served.tool = tool
    failures, checks = [], 0
    try:
        drive = make_drive(tool, os.path.join(HERE, "..", "..", "Simulators", "Traces"), folder)
        expected = Expected(tool, drive)
        with Browser(os.path.join(folder, "browser")) as browser:
            for name in names:
                print(f"-- {name}", flush=True)
                trial = Trial(browser, tool, drive, expected, folder, shots)
                try:
                    PARTS[name](trial)
                except (AssertionError, RuntimeError, OSError, KeyError, TypeError, ValueError, IndexError) as error:
                    traceback.print_exc(limit=4)
                    trial.check(False, f"{name} was aborted", error)
                failures += [f"{name}: {failure}" for failure in trial.failures]
                checks += trial.checks
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{checks} checks, {len(failures)} failed. Screenshots: {shots}")
    for failure in failures:
        print(f"FAILED  {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
