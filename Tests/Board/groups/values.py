# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Values, rates and times of sensors, against sysfs and the chips' own counters."""

import collections
import json
import signal

import chips
import counter
from checks import Group

GRAVITY = 9.80665

group = Group("values", "Values, rates and times", prepare=lambda board: chips.load(board, matrix="0;-1;0;1;0;0;0;0;1"))
check = group.check

# The sysfs type of each kind, and the factor from SI units to the tool's output.
KINDS = {
    "accelerometer": ("accel", -1 / GRAVITY),
    "gyro": ("anglvel", 1),
    "magnetometer": ("magn", 100),
    "pressure": ("pressure", 1),
}


def expected(board, folder, kind):
    """Returns the value according to raw, offset, scale and mount matrix in sysfs."""
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
    """Asserts that the readings of the only sensor of a kind equal the values in sysfs."""
    want = expected(board, board.device(name), kind)
    watch = board.watch(kind, "--count", "3", "--duration", "8", "--interval", "0.05")
    assert watch.readings, f"{name} {kind}: {watch.errors}"
    reading = watch.readings[-1]
    got = [reading["pressure"]] if kind == "pressure" else [reading[axis] for axis in "xyz"]
    for ours, theirs in zip(got, want):
        assert abs(ours - theirs) <= 1e-4 * max(1, abs(theirs)), f"{name} {kind}: {got}, sysfs {want}"


@check("Readings of the chips equal raw, offset, scale and mount matrix in sysfs")
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


@check("According to the chip's counter, no sample at 10 to 500 Hz is lost, repeated or late")
def rates(board):
    board.set(count=1)
    chips.use(board, "mpu6050")
    notes = []
    for interval in (0.1, 0.02, 0.01, 0.005, 0.002):
        wanted = round(3 / interval)
        watch = board.watch("gyro", "--interval", str(interval), "--count", str(wanted), "--duration", "40")
        # The mount matrix rotates x to y.
        counts = [round(abs(reading["y"]) / counter.GYRO_SCALE) for reading in watch.readings]
        steps = collections.Counter(b - a for a, b in zip(counts[1:], counts[2:]) if b > a)
        times = watch.times[1:]
        assert len(counts) == wanted, f"{interval} s: {len(counts)} readings: {watch.errors}"
        assert all(b > a for a, b in zip(times, times[1:])), f"{interval} s: a timestamp decreases"
        (step, number), = steps.most_common(1)
        assert number == sum(steps.values()), f"{interval} s: steps of the counter {dict(steps)}"
        notes.append(f"{interval} s: {len(counts)}")
    board.set(count=0)
    return ", ".join(notes)


@check("According to its counter, no sample of the MPU-6050 at 100 Hz is lost or repeated within 60 s", short=False)
def long_counter(board):
    board.set(count=1)
    chips.use(board, "mpu6050")
    watch = board.watch("gyro", "--interval", "0.01", seconds=60)
    board.set(count=0)
    numbers = [round(abs(reading["y"]) / counter.GYRO_SCALE) for reading in watch.readings[1:]]
    times = watch.times[1:]
    assert len(numbers) > 1000, f"{len(numbers)} readings: {watch.errors}"
    assert all(after > before for before, after in zip(times, times[1:])), "a timestamp is repeated or decreases"
    steps = {(after - before) % counter.WRAP for before, after in zip(numbers, numbers[1:])}
    assert steps == {1}, f"steps of the counter {steps}"
    return f"{len(numbers)} readings, {rate(watch):.1f} Hz"


@check("According to its interrupts, no sample of the BMI160 with a 100 Hz timer is lost or repeated within 60 s", short=False)
def long_timer(board):
    chips.use(board, "bmi160")
    job = board.start_watch("gyro", "--interval", "0.01")
    marks = []
    for seconds in (5, 60):
        # The number of interrupts, and the seconds since boot before and after reading it.
        text = board.output(
            f"""sleep {seconds}; read -r before rest </proc/uptime; grep bmi160_consumer /proc/interrupts
            read -r after rest </proc/uptime; echo $before $after""")
        *_, line, times = text.splitlines()
        marks.append((sum(int(word) for word in line.split()[1:] if word.isdigit()), *map(float, times.split())))
    timer = float(board.output("cat /sys/bus/iio/devices/trigger*/sampling_frequency"))
    watch = board.finish(job)
    times = watch.times[1:]
    assert timer == 100, f"the timer has {timer} Hz"
    assert all(after > before for before, after in zip(times, times[1:])), "a timestamp is repeated or decreases"
    (first, begin, begun), (last, end, ended) = marks
    fewest, most = (sum(start < time <= stop for time in times) for start, stop in [(begun, end), (begin, ended)])
    fired = last - first
    assert fewest - 2 <= fired <= most + 2, f"{fewest} to {most} readings, {fired} interrupts"
    return f"{most} readings, {fired} interrupts, {rate(watch):.1f} Hz"


def rate(watch):
    """Returns the mean rate of readings, in hertz."""
    return (len(watch.times) - 2) / (watch.times[-1] - watch.times[1])


@check("Readings of a HID sensor hub equal raw, offset, scale and mount matrix in sysfs")
def hub_units(board):
    chips.use(board)
    chips.start_hub(board)
    for name, kind in [
        ("accel_3d", "accelerometer"), ("gyro_3d", "gyro"), ("magn_3d", "magnetometer"), ("press", "pressure"),
    ]:
        compare(board, name, kind)


# The kernel's values of a battery, and the corresponding values in a trace.
BATTERY_STATES = {"Charging": "charging", "Discharging": "unplugged", "Full": "full"}


@check("The level and state of a battery equal sysfs at the start and after each change", short=False)
def battery(board):
    chips.use(board)
    board.output("modprobe test_power")
    parameters = "/sys/module/test_power/parameters"

    def state():
        level = float(board.read("/sys/class/power_supply/test_battery/capacity")) / 100
        return {"level": level, "state": BATTERY_STATES[board.read("/sys/class/power_supply/test_battery/status")]}

    def change(capacity, status):
        board.write(f"{parameters}/battery_capacity", capacity)
        board.write(f"{parameters}/battery_status", status)

    change(35, "discharging")
    states = [state()]
    job = board.start("rm -f /tmp/b.trace; exec sensorctl record --parts battery /tmp/b.trace")
    board.output("for i in $(seq 200); do [ -s /tmp/b.trace ] && break; sleep 0.1; done; [ -s /tmp/b.trace ]")
    for capacity, status in [(36, "charging"), (100, "full"), (99, "discharging")]:
        change(capacity, status)
        states.append(state())
        pattern = f'"level":{states[-1]["level"]},"state":"{states[-1]["state"]}"'
        board.output(f"for i in $(seq 150); do grep -q '{pattern}' /tmp/b.trace && break; sleep 0.1; done")
    result = job.stop(signal.SIGINT)
    board.output("modprobe -r test_power")
    lines = [json.loads(line) for line in board.output("cat /tmp/b.trace").splitlines()]
    recorded = [line["battery"] for line in lines if "battery" in line]
    # A reading between the two writes of a change has the new level and the old state.
    between = [{"level": new["level"], "state": old["state"]} for old, new in zip(states, states[1:])]
    assert [state for state in recorded if state not in between] == states, f"{recorded}, sysfs {states}: {result}"
    return f"{len(recorded)} states"
