# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Communication with accessories: `sensorctl` run by a user without root privileges, with a FIFO as input."""

import itertools
import json
import re

from board import TESTER

# Passes all events except those with data, of which it passes the first of each session and direction.
FILTER = r"""mawk -W interactive '/"opened"/ {split("", seen)} match($0, /"event":"(in|out)"/) {
    if (seen[substr($0, RSTART, RLENGTH)]++) next } {print; fflush()}'"""


def grant(board, properties=""):
    """Installs udev rules that name protocols, and the output of `sensorctl rules`. Adds the user tester to their
    group."""
    board.output(
        f"""cat >/etc/udev/rules.d/62-accessories.rules <<'END'\n{properties}\nEND
        sensorctl rules >/etc/udev/rules.d/65-external-accessory.rules && usermod --append --groups dialout tester
        udevadm control --reload
        udevadm trigger --subsystem-match=usb --subsystem-match=tty --subsystem-match=hidraw && udevadm settle""")


class Run:
    """A run of `sensorctl` with --json by the user tester. Its standard input is a FIFO that stays open."""

    numbers = itertools.count(1)

    def __init__(self, board, command, is_long=False):
        """is_long: omits events with data after the first of each session and direction."""
        self.board = board
        self.path = path = f"/run/run{next(Run.numbers)}"
        board.output(f"mkfifo {path}.in {path}.pipe && touch {path}.out")
        self.job = board.start(
            f"""exec 3<>{path}.in
            {FILTER if is_long else "cat"} <{path}.pipe >{path}.out &
            {TESTER} sensorctl {command} --json <&3 >{path}.pipe 2>{path}.err &
            echo $! >{path}.pid; wait $!; status=$?; end=$(cut -d' ' -f1 /proc/uptime); wait; echo $status $end""", 3600)

    def send(self, text):
        self.board.output(f"printf '{text}' >{self.path}.in")

    def write_continuously(self):
        """Writes to the standard input until the run ends."""
        self.board.start(f"tr '\\0' x </dev/zero >{self.path}.in", timeout=3600)

    def wait_for(self, pattern, count=1, seconds=60):
        """Waits until the given number of lines match the pattern, a regular expression."""
        found = self.board.find(pattern, f"{self.path}.out", count, seconds)
        assert found.status == 0, f"{found.errors}: {self.board.run(f'tail -n 3 {self.path}.out; cat {self.path}.err')}"

    def lines(self, pattern="."):
        output = self.board.run(f"grep '{pattern}' {self.path}.out").output
        return [json.loads(line) for line in output.splitlines() if line.startswith("{")]

    def text(self):
        """Returns all bytes sent by the accessory."""
        return "".join(event.get("text", "?") for event in self.lines('"event":"in"'))

    def descriptors(self):
        """Returns the open descriptors of the process, without numbers."""
        listing = self.board.output(f"for fd in /proc/$(cat {self.path}.pid)/fd/*; do readlink $fd; done")
        return sorted(re.sub(r"\d+", "N", line) for line in listing.splitlines())

    def interrupt(self):
        self.board.run(f"kill -INT $(cat {self.path}.pid)")
        return self.wait()

    def wait(self):
        """Waits for the end. Sets the exit status, the uptime at the end, and the contents of standard error."""
        words = self.job.wait().output.split()
        self.status, self.ended = int(words[0]), float(words[1])
        self.errors = self.board.run(f"cat {self.path}.err").output
        return self


def assert_ended(run, unplugged):
    """Asserts that a conversation reported one end, and ended by itself soon after the uptime of the unplugging."""
    run.wait()
    ends = run.lines('"event":"ended"')
    assert len(ends) == 1, f"{len(ends)} ends were reported: {ends} {run.errors}"
    assert ends[0]["reason"] in ("hungUp", "detached"), ends
    assert run.status == 69, f"exit status {run.status}: {run.errors}"
    assert run.ended - unplugged < 5, f"the session ended {run.ended - unplugged:.1f} s after the unplugging"


def assert_numbered(text, length):
    """Asserts that a flood of numbered lines of the given length has no gap and no repetition from the beginning."""
    lines = text.split("\n")[:-1]
    numbers = [int(line.removeprefix("line ")) for line in lines if len(line) == length - 1]
    assert len(numbers) == len(lines), f"{next(line for line in lines if len(line) != length - 1)!r}"
    wrong = next((index for index, number in enumerate(numbers) if number != index), None)
    assert wrong is None, f"line {numbers[wrong]} was received as number {wrong} of {len(numbers)}"
    assert len(numbers) > 50, f"{len(numbers)} lines"
    return len(numbers)


def assert_changes(watch, count, name):
    """Asserts that `watch accessories` has printed each of `count` unpluggings and returns once, alternately."""
    events = [event["callback"] for event in watch.lines("EAAccessory") if name in json.dumps(event["accessory"])]
    expected = ["EAAccessoryDidDisconnect", "EAAccessoryDidConnect"] * count
    assert events == expected, f"{len(events)} events, not {len(expected)}: {events[:6]}"
