# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The packaged units on a board with systemd, and the traces that they record."""

import json

STATE = "/var/lib/private/sensorctl"
NEWEST = f"$(ls -t {STATE}/recordings/*.trace | head -n 1)"
# The user ids that systemd assigns dynamically while a service runs.
DYNAMIC_USERS = range(61184, 65520)


def wait_until(board, condition, what, seconds=60):
    """Waits until a shell condition is true, and asserts that it becomes true."""
    assert board.wait(condition, seconds), f"{what}: not within {seconds} s: {journal(board)[-600:]}"


def journal(board, unit="sensorctl-*"):
    return board.run(f"journalctl --sync; journalctl --no-pager --output=cat --unit='{unit}' --lines=60").output


def show(board, unit, name):
    return board.output(f"systemctl show --value --property={name} {unit}")


def start(board, unit):
    board.output(f"systemctl start {unit}")
    return show(board, unit, "MainPID")


def stop(board, unit):
    board.output(f"systemctl stop {unit}")
    assert show(board, unit, "Result") == "success", journal(board, unit)


def trace(board, path=NEWEST):
    """Returns the lines of a recording, which `sensorctl info` has to be able to read. The first line is the header."""
    information = board.output(f"sensorctl info {path} 2>&1")
    assert "amaged" not in information and "skipped" not in information, information
    return [json.loads(line) for line in board.output(f"cat {path}").splitlines()]


def assert_sandboxed(board, process):
    """Asserts that a process has the privileges of a dynamic user, and none of root's."""
    text = board.output(f"cat /proc/{process}/status")
    status = {name: value.split() for name, _, value in (line.partition(":") for line in text.splitlines())}
    assert int(status["Uid"][0]) in DYNAMIC_USERS, f"the unit runs as user {status['Uid']}"
    rights = {name: status[name][0] for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb")}
    assert all(int(value, 16) == 0 for value in rights.values()), rights
    assert status["NoNewPrivs"] == ["1"] and status["Seccomp"] == ["2"], (status["NoNewPrivs"], status["Seccomp"])
