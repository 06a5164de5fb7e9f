# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Checks, which are functions with assertions. Each group of checks has a freshly booted board."""

import time
import traceback


class Check:
    def __init__(self, title, function, is_short):
        self.title = title
        self.function = function
        self.is_short = is_short


class Group:
    """The checks of one machine, in the order of their definitions."""

    def __init__(self, name, title, prepare, init="/opt/board/init", adapters=(), clock="guest"):
        """prepare: called with the board before the first check. init, adapters, clock: see Machine."""
        self.name = name
        self.title = title
        self.prepare = prepare
        self.machine = {"init": init, "adapters": adapters, "clock": clock}
        self.checks = []

    def check(self, title, short=True):
        """Adds the decorated function, which is called with the board. Without `short`, short runs omit it."""

        def add(function):
            self.checks.append(Check(title, function, short))
            return function

        return add


class Outcome:
    """The counts of a group."""

    def __init__(self, group):
        self.group = group
        self.seconds = 0
        self.passed = 0
        self.failed = 0

    def report(self, line):
        """Prints a line with the name of the group, because groups run in parallel."""
        print(f"{self.group.name:12} {line}", flush=True)


def run(group, board, outcome, is_short, only=None):
    """Runs the checks of a group on a prepared board, and a check of the kernel log. Prints a line for each."""
    for check in [*group.checks, Check("The kernel reports no fault of its own", kernel, True)]:
        if is_short and not check.is_short or only and only not in check.title:
            continue
        started = time.monotonic()
        try:
            note = check.function(board)
            outcome.passed += 1
            verdict = "ok"
        except AssertionError as error:
            outcome.failed += 1
            verdict, note = "FAILED", str(error) or traceback.format_exc(limit=-1)
        except Exception:
            outcome.failed += 1
            verdict, note = "FAILED", traceback.format_exc(limit=-3)
        seconds = time.monotonic() - started
        outcome.report(f"{verdict:8} {check.title} ({seconds:.0f} s){': ' + note if note else ''}")
        board.tidy()


def kernel(board):
    faults = board.kernel_faults()
    assert not faults, faults[:3]
