# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Values, rates and times of sensors, against sysfs and the chips' own counters."""

import collections

import chips
from checks import Group

GRAVITY = 9.80665
# The scale of the MPU-6050's gyroscope at 2000 degrees a second.
GYRO_SCALE = 0.001064724

group = Group("values", "Values, rates and times", prepare=lambda board: chips.load(board, matrix="0;-1;0;1;0;0;0;0;1"))
check = group.check

# The sysfs type of each kind, and the factor from SI to what the tool prints.
KINDS = {
    "accelerometer": ("accel", -1 / GRAVITY),
    "gyro": ("anglvel", 1),
    "magnetometer": ("magn", 100),
    "pressure": ("pressure", 1),
}


def expected(board, folder, kind):
    """The value that raw, offset, scale and mount matrix in sysfs give."""
    name, factor = KINDS[kind]
    text = board.output(f"cd {folder} && grep -H . in_{name}* in_mount_matrix mount_matrix 2>/dev/null; true")
    files = dict(line.split(":", 1) for line in text.replace("\0", "").splitlines())

    def number(channel, what, default):
        for file in (f"in_{channel}_{what}", f"in_{name}_{what}"):
            if file in files:
                return float(files[file])
        return default

    if kind == "pressure":
        if "in_pressure_input" in files:
            return [float(files["in_pressure_input"])]
        return [(number("pressure", "raw", 0) + number("pressure", "offset", 0)) * number("pressure", "scale", 1)]
    channels = [f"{name}_{axis}" for axis in "xyz"]
    vector = [(number(c, "raw", 0) + number(c, "offset", 0)) * number(c, "scale", 1) for c in channels]
    matrix = next((files[file] for file in (f"in_{name}_mount_matrix", "in_mount_matrix", "mount_matrix") if file in files), None)
    rows = [[float(x) for x in row.split(",")] for row in matrix.split(";")] if matrix else [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    return [factor * sum(row[i] * vector[i] for i in range(3)) for row in rows]


def compare(board, name, kind):
    """Asserts that readings of the only sensor of a kind equal what sysfs gives."""
    want = expected(board, board.device(name), kind)
    watch = board.watch(kind, "--count", "3", "--duration", "8", "--interval", "0.05")
    assert watch.readings, f"{name} {kind}: {watch.errors}"
    reading = watch.readings[-1]
    got = [reading["pressure"]] if kind == "pressure" else [reading[axis] for axis in "xyz"]
    for ours, theirs in zip(got, want):
        assert abs(ours - theirs) <= 1e-4 * max(1, abs(theirs)), f"{name} {kind}: {got}, sysfs {want}"


@check("Readings of the chips equal raw, offset, scale and mount matrix of sysfs")
def chip_units(board):
    board.set(accel="4000,-9000,13000", gyro="300,-200,100", magn="120,-340,250")
    chips.use(board, "mpu6050", "ak8975", "bmp280")
    for name, kind in [
        ("mpu6050", "accelerometer"), ("mpu6050", "gyro"), ("ak8975", "magnetometer"), ("bmp280", "pressure"),
    ]:
        compare(board, name, kind)
    chips.use(board, "bmi160")
    compare(board, "bmi160", "accelerometer")
    compare(board, "bmi160", "gyro")
    board.set(accel="0,0,16384", gyro="0,0,0")


@check("No sample is lost, doubled or late at 10 to 500 Hz, by the chip's own counter")
def counter(board):
    board.set(count=1)
    chips.use(board, "mpu6050")
    notes = []
    for interval in (0.1, 0.02, 0.01, 0.005, 0.002):
        wanted = round(3 / interval)
        watch = board.watch("gyro", "--interval", str(interval), "--count", str(wanted), "--duration", "40")
        # The mount matrix turns x into y.
        counts = [round(abs(reading["y"]) / GYRO_SCALE) for reading in watch.readings]
        steps = collections.Counter(b - a for a, b in zip(counts[1:], counts[2:]) if b > a)
        times = watch.times[1:]
        assert len(counts) == wanted, f"{interval} s: {len(counts)} readings: {watch.errors}"
        assert all(b > a for a, b in zip(times, times[1:])), f"{interval} s: a time goes back"
        (step, number), = steps.most_common(1)
        assert number == sum(steps.values()), f"{interval} s: steps of the counter {dict(steps)}"
        notes.append(f"{interval} s: {len(counts)}")
    board.set(count=0)
    return ", ".join(notes)


@check("Readings of a HID sensor hub equal raw, offset, scale and mount matrix of sysfs")
def hub_units(board):
    chips.use(board)
    chips.start_hub(board)
    for name, kind in [
        ("accel_3d", "accelerometer"), ("gyro_3d", "gyro"), ("magn_3d", "magnetometer"), ("press", "pressure"),
    ]:
        compare(board, name, kind)
