# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A program or a machine that is stopped while it reads, and resumed."""

import time

import chips
import counter
from checks import Group


def prepare(board):
    chips.load(board)
    board.set(count=1)
    counter.start_log(board)


group = Group("suspension", "Programs and machines that are stopped", prepare=prepare, clock="host")
check = group.check


def during(board, stop, seconds=6):
    """Watches the gyroscope before, during and after a stop. Returns the watch, and the chip's counter after the
    stop."""
    chips.use(board, "mpu6050")
    job = board.start_watch("gyro", "--interval", "0.02")
    is_enabled = f"grep -q 1 {board.device('mpu6050')}/buffer/enable"
    board.output(f"for i in $(seq 200); do {is_enabled} && break; sleep 0.1; done; sleep 2; {is_enabled}")
    stop()
    after = int(board.output(counter.READ))
    board.run(f"sleep {seconds}")
    watch = board.finish(job)
    assert watch.readings, watch.errors
    assert not board.enabled_buffers(), f"a buffer is still enabled: {board.enabled_buffers()}"
    return watch, after


@check("After a stop of 20 s, a program delivers the samples in the kernel's buffer with their times, and then new ones", short=False)
def program(board):
    marks = []

    def stop():
        text = board.output(
            f"pkill --signal STOP sensorctl.bin; {counter.READ}; sleep 20; {counter.READ}; pkill --signal CONT sensorctl.bin")
        marks.extend(int(line) for line in text.splitlines())

    watch, after = during(board, stop)
    counter.assert_timestamps(board, watch, early=15)
    begin, end = marks
    kept = sum(begin < counter.number(reading) < end for reading in watch.readings)
    assert kept, f"no reading from the time while the program was stopped: {watch.problems} {watch.errors}"
    assert kept < (end - begin) / 3, f"{kept} readings of {end - begin}: the program was not stopped"
    return f"{kept} readings of {end - begin} were buffered, {counter.assert_resumed(watch, after, within=150)}"


@check("After the machine is stopped for 30 s, no reading is delivered twice, and no old reading with a new time", short=False)
def machine(board):
    def stop():
        board.machine.pause()
        time.sleep(30)
        board.machine.resume()

    watch, after = during(board, stop)
    counter.assert_timestamps(board, watch, early=15)
    # The clocks of the machine stop with it.
    assert not watch.gaps(5), f"gaps of {watch.gaps(5)}"
    return counter.assert_resumed(watch, after, within=150)


@check("After suspend-to-idle, readings resume, and no old reading is delivered with a new time")
def idle(board):
    def stop():
        job = board.start("echo freeze >/sys/power/state")
        time.sleep(8)
        # The power button wakes the machine. It is pressed again in case the machine was not asleep yet.
        for _ in range(20):
            if job.finished.wait(5):
                break
            board.machine.monitor("system_powerdown")
        result = job.wait()
        assert result.status == 0, result

    watch, after = during(board, stop)
    counter.assert_timestamps(board, watch, early=15)
    gap = max(watch.gaps(5), default=0)
    assert gap, f"the machine did not sleep: {watch.gaps(1)}"
    return f"slept {gap:.0f} s, {counter.assert_resumed(watch, after, within=300)}"
