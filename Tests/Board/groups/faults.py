# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Faults of chips, buses, drivers and clocks while a program reads."""

import chips
from checks import Group

GYRO_SCALE = 0.001064724

group = Group("faults", "Faults while a program reads", prepare=lambda board: (chips.load(board), board.set(count=1)))
check = group.check


def during(board, fault, seconds=6, interval=0.02):
    """Watches the gyroscope before, during and after a fault. Returns the watch, and the uptime when the fault ended."""
    chips.use(board, "mpu6050")
    job = board.start_watch("gyro", "--interval", str(interval))
    board.run("sleep 4")
    fault()
    end = float(board.output("cut -d' ' -f1 /proc/uptime"))
    board.run(f"sleep {seconds}")
    watch = board.finish(job)
    assert watch.readings, watch.errors
    return watch, end


def assert_resumed(watch, end, within, is_polled=False):
    """Asserts that readings come again within that time after the end of the fault, and that none is old or repeated.

    Values of a sensor that is polled meanwhile may repeat; their times may not.
    """
    times = watch.times
    assert all(b > a for a, b in zip(times, times[1:])), "a time goes back or is repeated"
    later = [time for time in times if time > end]
    assert later, f"nothing came after the fault: {watch.problems} {watch.errors}"
    assert later[0] - end < within, f"readings came {later[0] - end:.1f} s after the fault"
    counts = [round(reading["x"] / GYRO_SCALE) for reading in watch.readings]
    assert is_polled or all(b != a for a, b in zip(counts[1:], counts[2:])), "a sample was delivered twice"
    return f"readings again after {later[0] - end:.1f} s"


def during_parameter(board, parameter, value, seconds):
    """As `during`, with a parameter of the chips that has a value for some seconds and 0 afterwards."""

    def fault():
        board.set(**{parameter: value})
        board.run(f"sleep {seconds}")
        board.set(**{parameter: 0})

    return during(board, fault, seconds=10)


@check("Readings go on after refused transfers of 0.3 s")
def refused(board):
    # EREMOTEIO, with which I2C adapters report a transfer that the chip does not acknowledge.
    watch, end = during_parameter(board, "fail", 121, seconds=0.3)
    return assert_resumed(watch, end, within=9)


@check("Readings go on after an interrupt line that was cut for 5 s")
def interrupt(board):
    watch, end = during_parameter(board, "irq_off", 1, seconds=5)
    return assert_resumed(watch, end, within=9, is_polled=True)


@check("A driver that is unbound for 2 s is reported, and read again within 3 s of its return")
def unbound(board):
    def fault():
        chips.unbind(board, "mpu6050")
        board.run("sleep 2")
        chips.bind(board, "mpu6050")

    watch, end = during(board, fault, seconds=6)
    assert watch.problems, f"no error was reported: {watch.events[-3:]}"
    return assert_resumed(watch, end, within=3)


@check("Steps of the system clock change no time stamp")
def clock(board):
    def fault():
        board.output("date --set='+1 day' >/dev/null; sleep 2; date --set='-2 days' >/dev/null; sleep 2; date --set='+1 day' >/dev/null")

    watch, _ = during(board, fault, seconds=2)
    times = watch.times
    assert all(0 < b - a < 0.5 for a, b in zip(times[2:], times[3:])), watch.gaps(0.5)
    assert not watch.problems, watch.problems


@check("Two programs read one chip: the second one is told who holds it, and takes over")
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
    assert "sensorctl.bin (process " in str(two.problems), f"the holder is not named: {two.events[:3]}"
    assert len(two.readings) > 50, f"{len(two.readings)} readings: {two.errors}"


@check("No buffer is enabled and no descriptor is open in the end")
def rest(board):
    board.run("sleep 1")
    assert not board.enabled_buffers(), board.enabled_buffers()
    assert board.run("fuser /dev/iio:device*").status != 0
