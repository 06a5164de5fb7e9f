# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Ranging of beacons before, during and after a fault, with pluggable Bluetooth controllers."""

import json

from board import TESTER

REGION = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
# The minor value of the ranged beacon, and a pattern of a report in which it was received.
MINOR = 258
RECEIVED = rf"\"minor\":{MINOR},[^}}]*\"rssi\":-"
OUTPUT = "/run/watch.out"
# Prefixes each line with the uptime.
STAMP = """mawk -W interactive '{
    getline uptime <"/proc/uptime"; close("/proc/uptime"); sub(/ .*/, "", uptime); print uptime, $0; fflush()
}'"""


def plug(board, number):
    """Adds a controller with this number, which receives the beacon."""
    board.start(
        f"""VBTADDR=02000000000{number + 1} VBTCTL=/run/vbt{number}.ctl VBTLOG=/run/vbt{number}.log
        export VBTADDR VBTCTL VBTLOG; exec python3 /opt/board/lecontroller.py""", timeout=3600)
    assert board.wait(f"[ -p /run/vbt{number}.ctl ]"), "the controller does not start"
    control(board, number, f"ib one 02000000AA01 {REGION} 1 {MINOR} -59 -65 0.1")


def unplug(board, number):
    """Removes the controller with this number, if it exists."""
    path = f"/run/vbt{number}.ctl"
    board.output(f"[ ! -p {path} ] || {{ echo quit >{path}; sleep 0.5; rm {path}; }}")


def control(board, number, line):
    """Sends a line to a controller."""
    board.output(f"echo '{line}' >/run/vbt{number}.ctl")


class Ranging:
    """A run of `sensorctl watch beacons`, with the uptime of each event."""

    def __init__(self, board, output=OUTPUT, user=False):
        self.board = board
        self.output = output
        board.output(f"rm -f {output}")
        self.job = board.start(
            f"""{TESTER if user else ''} sensorctl watch beacons --beacon {REGION} --json 2>{output}.errors |
            {STAMP} >{output}""", timeout=300)

    def wait(self, since=0, pattern=RECEIVED, seconds=60):
        """Waits for an event after the given uptime. Returns its uptime, or None."""
        found = self.board.find(pattern, self.output, after=since, seconds=seconds)
        return float(found.output.split()[0]) if found.status == 0 else None

    def expect(self, since=0, pattern=RECEIVED, seconds=60):
        found = self.wait(since, pattern, seconds)
        assert found, f"no {pattern} after {since} s, discovering: {discovering(self.board)}: {self.end()[-3:]}"
        return found

    def end(self):
        """Ends the run, and returns its events as pairs of uptime and members."""
        self.job.stop(2)
        lines = (line.partition(" ") for line in self.board.run(f"cat {self.output}").output.splitlines())
        return [(float(time), json.loads(text)) for time, _, text in lines if text.startswith("{")]


def discovering(board):
    return board.run("busctl get-property org.bluez /org/bluez/hci0 org.bluez.Adapter1 Discovering").output.strip()


def failures(events):
    """Returns the reasons of the reported losses."""
    return [event["error"]["reason"] for _, event in events if event["callback"] == "didFailRangingFor"]


def pause_between(board, begin, end, seconds=5):
    """Runs two scripts with a pause between them. Returns the uptimes of the beginning and the end of the pause."""
    board.output(begin)
    began = board.ended
    board.run(f"sleep {seconds}")
    ended = board.ended
    board.output(end)
    return began, ended


def during(board, fault, within):
    """Ranges the beacon before, during and after a fault, after which it has to be received within the given time.

    fault: a function that may return the uptimes between which reception is impossible.
    Returns the reasons of the reported losses, and a note.
    """
    ranging = Ranging(board)
    ranging.expect()
    pause = fault() or (0, 0)
    end = board.ended
    again = ranging.expect(since=end, seconds=within + 30)
    board.run("sleep 2")
    events = ranging.end()
    # A report covers the second before it.
    stale = [time for time, event in events if pause[0] + 2 < time < pause[1] and is_received(event)]
    assert not stale, f"reported as received at {stale} s, although none was sent, at {pause}"
    last = [is_received(event) for _, event in events[-2:]]
    assert any(last), f"the beacon was lost again: {events[-2:]}"
    assert again - end < within, f"received again after {again - end:.0f} s"
    reasons = failures(events)
    assert len(set(reasons)) == len(reasons), f"a loss is reported twice: {reasons}"
    return reasons, f"received again after {again - end:.1f} s"


def is_received(event):
    return any(beacon["minor"] == MINOR and beacon["rssi"] < 0 for beacon in event.get("beacons", []))


def assert_reported(reasons, word):
    assert any(word in reason for reason in reasons), f"no loss with \"{word}\" was reported: {reasons}"
