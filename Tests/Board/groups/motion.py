# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Rotating sensors: readings, attitude and heading compared with a rotation in closed form, see guest/rotation.py."""

import bisect
import math
import signal
from collections import namedtuple

from board import Watch
from checks import Group
from guest import rotation

GRAVITY = 9.80665
# Factors from the reports of the hub to the tool's output: mG to g, 0.1 deg/s to rad/s, mGauss to microtesla.
FACTORS = {"accel": -1e-3, "gyro": math.radians(0.1), "magn": 0.1}
STREAMS = {"accel": "accelerometer", "gyro": "gyro", "magn": "magnetometer"}
# Rotations about the vertical, and slanted poses. The last part is longer than any watch.
ATTITUDES = "0,0,0,1.5;0,0,60,6.8;0,0,0,1;30,0,0,2.3;0,0,0,1;0,45,0,1.8;0,0,0,1;0,-45,0,1.8;-30,0,0,2.3;0,0,-45,99"
HEADINGS = "0,0,0,1.5;0,0,60,12.8;0,0,0,1;30,0,0,2.3;0,0,0,2;-30,0,0,2.3;0,0,-45,99"
ALL_AXES = "40,30,20,99"
# The field of the device's own iron, which exceeds the horizontal field of the earth.
IRON = "250,-400,150"  # mGauss
# The axes of device motion frames: x to the north, y to the west.
FRAME = rotation.about((0, 0, 1), -math.pi / 2)

group = Group("motion", "Motion against a known rotation", prepare=lambda board: board.output("modprobe uhid"))
check = group.check

Report = namedtuple("Report", "time values")


def turn(board, parts, *commands, seconds, iron="0,0,0"):
    """Watches a rotating hub. Returns the watch of each command, and the reports of each sensor."""
    board.output("rm -rf /var/lib/device-services")
    hub = board.start(f"exec python3 /opt/board/hidmotion.py '{parts}' {iron}", timeout=600)
    count = "$(ls /sys/bus/iio/devices 2>/dev/null | grep -c iio:)"
    board.output(f"for i in $(seq 200); do [ {count} = 3 ] && break; sleep 0.1; done; udevadm settle; [ {count} = 3 ]")
    watches = [board.start(f"timeout --signal=INT {seconds} sensorctl watch {command} --json") for command in commands]
    watches = [Watch(job.wait()) for job in watches]
    board.output(f"echo quit >/run/hid.ctl; for i in $(seq 100); do [ {count} = 0 ] && break; sleep 0.1; done")
    assert hub.stop(signal.SIGKILL).errors == "", hub.result
    reports = {name: [] for name in FACTORS}
    for line in board.output("cat /run/motion.log").splitlines():
        name, time, *values = line.split()
        reports[name].append(Report(float(time), [int(value) for value in values]))
    return watches, reports


def assert_complete(watch, reports):
    """Asserts by their times that the readings are those of successive reports. Returns the report of each reading."""
    times = [report.time for report in reports]
    indices = [bisect.bisect_right(times, time) - 1 for time in watch.times]
    # The first reading may be from the time before the buffer was enabled.
    steps = [after - before for before, after in zip(indices, indices[1:])]
    others = [(index, step) for index, step in enumerate(steps) if step != 1]
    assert all(index == 0 and step > 0 for index, step in others), f"reports lost or repeated, by index: {others[:9]}"
    return [reports[index] for index in indices]


def matrix(quaternion):
    x, y, z, w = quaternion
    return rotation.about((x, y, z), 2 * math.atan2(math.hypot(x, y, z), w))


@check("Three sensors at 100 Hz deliver each report of the hub once, in order, with its values and increasing times")
def streams(board):
    commands = [f"{stream} --interval 0 --count 300" for stream in STREAMS.values()]
    watches, reports = turn(board, ALL_AXES, *commands, seconds=60)
    notes = []
    for watch, (name, factor) in zip(watches, FACTORS.items()):
        times = watch.times
        assert len(times) == 300, f"{name}: {len(times)} readings: {watch.problems} {watch.errors}"
        assert all(after > before for before, after in zip(times, times[1:])), f"{name}: a timestamp decreases"
        if name == "magn":
            # Linux 6.1 does not time-stamp readings of HID magnetometers. Reports of different attitudes may be equal:
            # the last match before the reading is used.
            first = [round(watch.readings[1][axis] / factor) for axis in "xyz"]
            starts = [index for index, report in enumerate(reports[name])
                      if report.values == first and report.time < times[1]]
            sent = [None, *reports[name][starts[-1]:]] if starts else []
        else:
            sent = assert_complete(watch, reports[name])
        assert len(sent) >= len(watch.readings), f"{name}: readings that were not sent"
        # The first reading is read from sysfs axis by axis, from three reports.
        for reading, report in list(zip(watch.readings, sent))[1:]:
            got, want = [reading[axis] for axis in "xyz"], [factor * value for value in report.values]
            assert all(abs(a - b) <= 1e-4 * max(1, abs(b)) for a, b in zip(got, want)), f"{name}: {got}, sent {want}"
        notes.append(f"{STREAMS[name]}: {len(times)}")
    return ", ".join(notes)


@check("No sample of a hub's gyroscope at 100 Hz is lost or repeated within 60 s", short=False)
def minute(board):
    (watch,), reports = turn(board, ALL_AXES, "gyro --interval 0", seconds=60)
    sent = assert_complete(watch, reports["gyro"])
    assert len(sent) > 1000 and not watch.problems, f"{len(sent)} readings: {watch.problems} {watch.errors}"
    return f"{len(sent)} readings, {(len(sent) - 1) / (watch.times[-1] - watch.times[0]):.1f} Hz"


def attitude_errors(board):
    """Watches the attitude of a rotating hub. Returns error, tilt and time of each reading."""
    (watch,), reports = turn(board, ATTITUDES, "attitude --frame magnetic --interval 0", seconds=23)
    turning = rotation.Rotation(rotation.parse(ATTITUDES))
    assert watch.readings and not watch.problems, f"{watch.problems} {watch.errors}"
    assert_complete(watch, reports["gyro"])
    start = min(report[0].time for report in reports.values())
    errors = []
    for reading in watch.readings:
        want = rotation.multiply(FRAME, turning.state(reading["timestamp"] - start)[1])
        got = matrix(reading["quaternion"])
        tilt = math.acos(min(1, sum(a * b for a, b in zip(want[2], got[2]))))
        errors.append((rotation.angle_between(want, got), math.degrees(tilt), reading["timestamp"] - start))
    return errors


@check("The attitude is within 1.5 degrees of the rotation, and each gyroscope reading is used once")
def attitude(board):
    errors = attitude_errors(board)
    assert len(errors) > 2000, f"{len(errors)} readings"
    total, tilt = max(errors), max(error[1] for error in errors)
    assert total[0] < 1.5, f"{total[0]:.2f} degrees off {total[2]:.2f} s after the start, tilt at most {tilt:.2f}"
    assert tilt < 0.5, f"the inclination is {tilt:.2f} degrees off"
    return f"at most {total[0]:.2f} degrees, {tilt:.2f} in tilt, of {len(errors)} readings"


@check("The heading error of a device that contains iron never exceeds the reported accuracy", short=False)
def heading(board):
    (watch,), reports = turn(board, HEADINGS, "heading --interval 0", seconds=28, iron=IRON)
    turning = rotation.Rotation(rotation.parse(HEADINGS))
    start = min(report[0].time for report in reports.values())
    times = watch.times
    assert all(after > before for before, after in zip(times, times[1:])), "a timestamp decreases"
    claimed = [reading for reading in watch.readings if reading["headingAccuracy"] >= 0]
    best = 180
    for reading in claimed:
        east, north = (row[1] for row in turning.state(reading["timestamp"] - start)[1][:2])
        error = abs((reading["magneticHeading"] - math.degrees(math.atan2(east, north)) + 180) % 360 - 180)
        accuracy = reading["headingAccuracy"]
        seconds = reading["timestamp"] - start
        assert error <= accuracy, f"{error:.1f} degrees off, {accuracy:.1f} claimed, {seconds:.1f} s after the start"
        best = min(best, accuracy)
    note = f"{len(claimed)} of {len(watch.readings)} headings had an accuracy, the best {best:.1f} degrees"
    assert len(claimed) > len(watch.readings) / 4 and best < 12, f"{note}: {watch.problems}"
    return note
