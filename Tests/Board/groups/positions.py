# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Positions of a receiver on a USB serial adapter, through the real gpsd, compared with gpspipe."""

import calendar
import json
import time

import adapters
from checks import Group

KNOT = 1852 / 3600  # in metres per second
CONTROL = "/run/gpsd.sock"
HOSTS = "/etc/hosts"


def prepare(board):
    board.output("modprobe ftdi_sio")
    board.receiver = adapters.Receiver(board, "receiver")
    board.node = adapters.plug(board, "receiver", "GPS1")
    start_gpsd(board)


group = Group("positions", "Positions through gpsd", prepare, adapters=["receiver"], clock="host")
check = group.check


def start_gpsd(board):
    """Starts gpsd, and waits for a 3D position. Returns the receiver's time at the start."""
    started = now(board)
    board.output(f"gpsd -n -F {CONTROL} {board.node}")
    wait_for_position(board)
    return started


def wait_for_position(board):
    board.output("timeout 60 gpspipe -w | grep --quiet --max-count=1 '\"epv\"'")


def now(board):
    """The receiver's time."""
    return board.receiver.boot + board.uptime()


def seconds(text):
    """Returns the seconds since 1970 of an ISO 8601 time."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{fraction or 0}")


class Event:
    """A line of `sensorctl watch location --json`, with the receiver's time at which it was printed."""

    def __init__(self, board, line):
        uptime, _, text = line.partition(" ")
        members = json.loads(text)
        self.time = board.receiver.boot + float(uptime)
        self.is_error = members["callback"] == "didFailWithError"
        self.reason = members["error"]["reason"] if self.is_error else ""
        self.locations = members.get("locations", [])


def start_watch(board, options="", seconds=120):
    """Starts a watch, and returns its job after the first location was printed."""
    job = board.start(
        f"""sensorctl watch location --json {options} 2>/run/watch.err |
            while read -r line; do echo "$(cut -d' ' -f1 /proc/uptime) $line"; done | tee /run/watch""", seconds)
    board.output("for i in $(seq 300); do grep --quiet latitude /run/watch && exit; sleep 0.1; done; cat /run/watch.err; exit 1")
    return job


def finish(board, job):
    """Ends a watch. Returns its events, and asserts that each location is the receiver's, new and timely."""
    board.run("pkill --signal INT sensorctl.bin")
    events = [Event(board, line) for line in job.wait().output.splitlines()]
    last = 0
    for event in events:
        for location in event.locations:
            stamp = seconds(location["timestamp"])
            assert stamp > last, f"{location['timestamp']} was delivered after {last}"
            latitude, longitude, speed = board.receiver.position(round(stamp))
            seen = location["latitude"], location["longitude"], location["speed"]
            expected = latitude, longitude, speed * KNOT
            assert all(abs(a - b) < 1e-3 for a, b in zip(seen, expected)), f"{seen}, expected {expected}"
            assert abs(seen[0] - latitude) < 2e-8, f"{seen[0]}, expected {latitude}"
            age = event.time - stamp
            assert last == 0 or age < 5, f"the location of {location['timestamp']} was {age:.1f} s old"
            last = stamp
    return events


def errors_and_later(events, since, until):
    """Returns the errors after `since`, and the times of the locations printed after `until`."""
    errors = [event for event in events if event.is_error and event.time > since]
    later = [event.time for event in events if event.locations and event.time > until]
    return errors, later


def assert_one_loss(events, since, until, within, words):
    """Asserts that one loss was reported with this text, and that locations followed soon."""
    errors, later = errors_and_later(events, since, until)
    assert len(errors) == 1, f"{len(errors)} losses were reported: {[error.reason for error in errors]}"
    assert any(word in errors[0].reason for word in words), errors[0].reason
    between = [event for event in events if event.locations and errors[0].time < event.time < until]
    assert not between, f"{len(between)} locations between the loss and its end"
    assert later, "no location followed"
    assert later[0] - until < within, f"the next location followed after {later[0] - until:.1f} s"
    return f"loss reported after {errors[0].time - since:.1f} s, locations resumed after {later[0] - until:.1f} s"


@check("Each location equals gpsd's report in all its numbers, and none is omitted or repeated")
def equal(board):
    pipe = board.start("exec timeout 9 gpspipe -w")
    job = start_watch(board)
    lines = pipe.wait().output.splitlines()
    events = finish(board, job)
    reports = {}
    for report in map(json.loads, (line for line in lines if '"TPV"' in line)):
        reports[seconds(report["time"])] = report
    assert len(reports) >= 5, f"gpspipe printed {len(reports)} positions"
    locations = {seconds(location["timestamp"]): location for event in events for location in event.locations}
    names = {
        "latitude": "lat", "longitude": "lon", "speed": "speed", "course": "track", "altitude": "altMSL",
        "ellipsoidalAltitude": "altHAE", "horizontalAccuracy": "eph", "verticalAccuracy": "epv",
    }
    first = min(locations)
    expected = [stamp for stamp in reports if first <= stamp <= max(locations)]
    missing = [stamp for stamp in expected if stamp not in locations]
    assert not missing and len(expected) >= 3, f"{missing} of {expected} are missing"
    for stamp in expected:
        for name, field in names.items():
            seen, report = locations[stamp][name], reports[stamp][field]
            assert abs(seen - report) < 1e-9, f"{name} {seen}, {field} {report}"
    return f"{len(expected)} locations"


@check("A killed gpsd is reported once, and locations resume after it is restarted")
def killed(board):
    job = start_watch(board)
    since = now(board)
    board.output("pkill --signal KILL --exact gpsd")
    board.run("sleep 2")
    until = start_gpsd(board)
    board.run("sleep 4")
    return assert_one_loss(finish(board, job), since, until, within=25, words=["gpsd"])


@check("An unplugged receiver is reported once, and locations resume after it is replugged and added to gpsd")
def unplugged(board):
    job = start_watch(board)
    since = now(board)
    board.receiver.unplug()
    # As Debian's unit gpsdctl@ does for the receivers named by its udev rules.
    board.output(
        f"""for i in $(seq 100); do [ -e {board.node} ] || break; sleep 0.1; done
        GPSD_SOCKET={CONTROL} gpsdctl remove {board.node}; sleep 14""")
    board.node = adapters.plug(board, "receiver", "GPS1")
    until = now(board)
    board.output(f"GPSD_SOCKET={CONTROL} gpsdctl add {board.node}")
    wait_for_position(board)
    board.run("sleep 3")
    return assert_one_loss(finish(board, job), since, until, within=25, words=["receiver"])


@check("Steps of the system clock do not change or omit locations")
def clock(board):
    job = start_watch(board)
    since = now(board)
    board.output("date --set='+1 hour' >/dev/null; sleep 3; date --set='-2 hours' >/dev/null; sleep 3; date --set='+1 hour' >/dev/null")
    until = now(board)
    board.run("sleep 3")
    events = finish(board, job)
    errors = [event.reason for event in events if event.is_error]
    assert not errors, errors
    stamps = [seconds(location["timestamp"]) for event in events for location in event.locations]
    wanted = [second for second in range(int(since), int(until)) if second > min(stamps)]
    missing = [second for second in wanted if second not in stamps]
    assert not missing, f"{missing} of {wanted} are missing"
    return f"{len(wanted)} locations meanwhile"


@check("Doctor names the receiver")
def doctor(board):
    text = board.doctor()
    line = next((line for line in text.splitlines() if "gpsd responds" in line), "")
    assert board.node in line, f"doctor does not name {board.node}: {line or text[:400]}"


@check("gpsd is reached at localhost without /etc/hosts, by default and by that name")
def localhost(board):
    board.output(f"mv {HOSTS} {HOSTS}.away")
    try:
        assert board.run("getent hosts localhost").status != 0, "localhost can still be resolved"
        for setting in ("", "DEVICE_SERVICES_GPSD=gpsd://localhost:2947", "DEVICE_SERVICES_GPSD=gpsd://localhost"):
            result = board.run(f"env {setting} sensorctl watch location --json --count 1 --duration 20")
            assert result.status == 0 and "latitude" in result.output, f"{setting or 'by default'}: {result}"
    finally:
        board.output(f"mv {HOSTS}.away {HOSTS}")
