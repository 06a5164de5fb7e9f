# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Builds the virtual board, boots it for each group of checks, and prints a table."""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

import checks
import image
import machine
from architecture import ARCHITECTURES
from board import Board

# The longest groups start first, so that they do not run alone at the end.
GROUPS = [
    "serial", "services", "suspension", "beacons", "positions", "motion", "server", "accessories", "faults", "buffers",
    "values", "users",
]


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/board")
    parser.add_argument("tool")
    parser.add_argument("--arch", choices=ARCHITECTURES, default="amd64")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("--group", action="append", choices=GROUPS)
    parser.add_argument("--check")
    return parser.parse_args()


def run_group(group, architecture, disks, payload, folder, options):
    outcome = checks.Outcome(group)
    started = time.monotonic()
    try:
        with machine.Machine(architecture, disks, payload, folder, **group.machine) as virtual:
            outcome.report(f"booted ({time.monotonic() - started:.0f} s)")
            board = Board(virtual)
            group.prepare(board)
            checks.run(group, board, outcome, options.short, options.check)
    except (machine.MachineError, AssertionError) as error:
        outcome.failed += 1
        outcome.report(f"FAILED   {error}")
    outcome.seconds = time.monotonic() - started
    return outcome


def main():
    options = arguments()
    architecture = ARCHITECTURES[options.arch]
    if not shutil.which(architecture.emulator):
        print(f"skipped: {architecture.emulator} is not installed")
        return 0
    started = time.monotonic()
    try:
        disks = image.build(architecture)
    except image.Unavailable as reason:
        print(f"skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="board-") as name:
        folder = pathlib.Path(name)
        payload = folder / "payload.ext4"
        image.pack_payload(options.tool, payload)
        print(f"-- disks: {time.monotonic() - started:.0f} s")
        groups = [importlib.import_module(f"groups.{name}").group for name in options.group or GROUPS]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
            outcomes = list(executor.map(
                lambda group: run_group(group, architecture, disks, payload, folder / group.name, options), groups))
    print(f"\n{'Group':52} {'Seconds':>8} {'Checks':>7}  Result")
    for outcome in outcomes:
        result = f"{outcome.failed} FAILED" if outcome.failed else "ok"
        count = outcome.passed + outcome.failed
        print(f"{outcome.group.title:52} {outcome.seconds:8.0f} {count:7}  {result}")
    failures = sum(outcome.failed for outcome in outcomes)
    seconds = time.monotonic() - started
    print(f"{'Total':52} {seconds:8.0f} {sum(o.passed + o.failed for o in outcomes):7}  "
          f"{f'{failures} FAILED' if failures else 'all passed'}")
    return min(failures, 100)


sys.exit(main())
