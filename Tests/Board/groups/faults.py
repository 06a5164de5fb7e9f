# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Faults of chips, buses, drivers and clocks while a program reads."""

import bisect

import chips
from checks import Group

GYRO_SCALE = 0.001064724
# A hub that rotates by 60 degrees per second and logs its reports.
HUB = "exec python3 /opt/board/hidmotion.py 0,0,60,999"

group = Group("faults", "Faults while a program reads", prepare=lambda board: (chips.load(board), board.set(count=1)))
check = group.check


def during(board, fault, seconds=6, interval=0.02):
    """Watches the gyroscope before, during and after a fault. Returns the watch, and the uptime at the end of the
    fault."""
    chips.use(board, "mpu6050")
    job = board.start_watch("gyro", "--interval", str(interval))
    board.run("sleep 4")
    fault()
    end = board.ended
    board.run(f"sleep {seconds}")
    watch = board.finish(job)
    assert watch.readings, watch.errors
    return watch, end


def assert_resumed(watch, end, within, is_polled=False):
    """Asserts that readings arrive within this time after the end of the fault, and that none is old or repeated.

    Values of a polled sensor may repeat, its times may not.
    """
    times = watch.times
    assert all(b > a for a, b in zip(times, times[1:])), "a timestamp is repeated or decreases"
    later = [time for time in times if time > end]
    assert later, f"no readings after the fault: {watch.problems} {watch.errors}"
    assert later[0] - end < within, f"the first reading was delivered {later[0] - end:.1f} s after the fault"
    counts = [round(reading["x"] / GYRO_SCALE) for reading in watch.readings]
    assert is_polled or all(b != a for a, b in zip(counts[1:], counts[2:])), "a sample was delivered twice"
    return f"readings resumed after {later[0] - end:.1f} s"


def during_parameter(board, parameter, value, seconds):
    """Like `during`, with a chip parameter that has a value for some seconds and is 0 afterwards."""

    def fault():
        board.set(**{parameter: value})
        board.run(f"sleep {seconds}")
        board.set(**{parameter: 0})

    return during(board, fault, seconds=10)


@check("Readings resume after failed I2C transfers for 0.1 and 1 s")
def refused(board):
    # EREMOTEIO is the error of I2C adapters for a transfer that the chip does not acknowledge.
    notes = []
    for seconds in (0.1, 1):
        watch, end = during_parameter(board, "fail", 121, seconds)
        notes.append(f"{seconds} s: {assert_resumed(watch, end, within=9)}")
    return ", ".join(notes)


@check("Failed I2C transfers for 5 s are reported, and readings resume after the driver is bound again", short=False)
def refused_longer(board):
    def fault():
        board.set(fail=121)
        board.run("sleep 5")
        board.set(fail=0)
        board.run("sleep 2")
        # The kernel does not use a chip that it could not suspend until its driver is bound again.
        if board.read("/sys/bus/i2c/devices/1-0068/power/runtime_status") == "error":
            chips.unbind(board, "mpu6050")
            chips.bind(board, "mpu6050")

    watch, end = during(board, fault, seconds=8)
    assert watch.problems, f"no error was reported: {watch.events[-3:]}"
    return assert_resumed(watch, end, within=5)


@check("Readings resume after missing interrupts for 5 s")
def interrupt(board):
    watch, end = during_parameter(board, "irq_off", 1, seconds=5)
    return assert_resumed(watch, end, within=9, is_polled=True)


@check("A driver that is unbound for 2 s is reported, and readings resume within 3 s of its return")
def unbound(board):
    def fault():
        chips.unbind(board, "mpu6050")
        board.run("sleep 2")
        chips.bind(board, "mpu6050")

    watch, end = during(board, fault, seconds=6)
    assert watch.problems, f"no error was reported: {watch.events[-3:]}"
    return assert_resumed(watch, end, within=3)


@check("A driver that is unloaded for 2 s is reported, and readings resume within 3 s of its return")
def removed(board):
    def fault():
        board.output("modprobe -r inv-mpu6050-i2c; sleep 2; modprobe inv-mpu6050-i2c")

    watch, end = during(board, fault, seconds=6)
    assert len(watch.problems) == 1, f"errors: {watch.problems}"
    return assert_resumed(watch, end, within=3)


def during_hub(board, fault, seconds):
    """Watches the gyroscope of a HID hub. Returns the watch, the times of the hub's reports, and the end of the
    fault."""
    chips.use(board)
    hub = board.start(HUB, timeout=600)
    chips.wait(board, 3)
    job = board.start_watch("gyro", "--interval", "0")
    board.output("for i in $(seq 200); do grep -q 1 /sys/bus/iio/devices/*/buffer/enable && break; sleep 0.1; done; sleep 2")
    hub = fault(hub) or hub
    end = board.ended
    board.run(f"sleep {seconds}")
    watch = board.finish(job)
    board.output("echo quit >/run/hid.ctl")
    hub.wait()
    assert all(b > a for a, b in zip(watch.times, watch.times[1:])), "a timestamp is repeated or decreases"
    log = board.output("cat /run/motion.log").splitlines()
    return watch, [float(line.split()[1]) for line in log if line.startswith("gyro")], end


def assert_delivered(watch, reports, end, within):
    """Asserts that readings arrive after the end of the fault, and that they are those of successive reports."""
    later = [time for time in watch.times if time > end]
    assert later, f"no readings afterwards: {watch.problems} {watch.errors}"
    assert later[0] - end < within, f"the first reading was delivered {later[0] - end:.1f} s after the fault"
    # The first reading may be from the time before the buffer was enabled.
    indices = [bisect.bisect_right(reports, time) - 1 for time in later[1:]]
    assert all(b - a == 1 for a, b in zip(indices, indices[1:])), "a report was lost, or delivered twice"
    return f"readings resumed after {later[0] - end:.1f} s"


@check("No loss is reported for a HID sensor without changes for 8 s, and readings resume")
def mute(board):
    def fault(hub):
        board.output("echo mute gyro >/run/hid.ctl; sleep 8; echo unmute gyro >/run/hid.ctl")

    watch, reports, end = during_hub(board, fault, seconds=4)
    assert not watch.problems, watch.problems
    assert max(watch.gaps(1), default=0) > 6, f"the sensor was not silent: {watch.gaps(1)}"
    return assert_delivered(watch, reports, end, within=2)


@check("A HID hub that is unplugged for 2 s is reported once, and readings resume within 5 s of its return")
def unplugged(board):
    def fault(hub):
        board.output("echo quit >/run/hid.ctl; sleep 2")
        hub.wait()
        hub = board.start(HUB, timeout=600)
        chips.wait(board, 3)
        return hub

    watch, reports, end = during_hub(board, fault, seconds=7)
    assert len(watch.problems) == 1, f"errors: {watch.problems}"
    return assert_delivered(watch, reports, end, within=5)


@check("Steps of the system clock do not change timestamps")
def clock(board):
    def fault():
        board.output("date --set='+1 day' >/dev/null; sleep 2; date --set='-2 days' >/dev/null; sleep 2; date --set='+1 day' >/dev/null")

    watch, _ = during(board, fault, seconds=2)
    times = watch.times
    assert all(0 < b - a < 0.5 for a, b in zip(times[2:], times[3:])), watch.gaps(0.5)
    assert not watch.problems, watch.problems


@check("The second program at a chip logs the process that uses it, and reads the chip after that process ends")
def two_programs(board):
    chips.use(board, "mpu6050")
    first = board.start_watch("gyro", "--interval", "0.02")
    board.run("sleep 3")
    second = board.start_watch("gyro", "--interval", "0.02")
    board.run("sleep 5")
    one = board.finish(first)
    board.run("sleep 6")
    two = board.finish(second)
    assert len(one.readings) > 100, one.errors
    assert "sensorctl.bin (process " in str(two.problems), f"the process is not named: {two.events[:3]}"
    assert len(two.readings) > 50, f"{len(two.readings)} readings: {two.errors}"


@check("A program loses no sample while another program tries to read its chip")
def rival(board):
    chips.use(board, "mpu6050")
    job = board.start_watch("gyro", "--interval", "0.02")
    board.run("sleep 3")
    other = board.watch("gyro", "--interval", "0.02", seconds=4)
    board.run("sleep 2")
    watch = board.finish(job)
    assert other.problems and len(other.readings) < 2, f"the other program has read: {other.events[:3]}"
    assert not watch.problems, watch.problems
    counts = [round(reading["x"] / GYRO_SCALE) for reading in watch.readings[1:]]
    assert len(counts) > 100, watch.errors
    steps = {b - a for a, b in zip(counts, counts[1:])}
    assert steps == {1}, f"steps of the counter {steps}"


@check("At the end, no buffer is enabled and no descriptor is open")
def rest(board):
    board.run("sleep 1")
    assert not board.enabled_buffers(), board.enabled_buffers()
    assert board.run("fuser /dev/iio:device*").status != 0
