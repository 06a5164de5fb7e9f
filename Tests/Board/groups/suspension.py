# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A program or a machine that is stopped while it reads, and goes on."""

import time

import chips
import counter
from checks import Group

def prepare(board):
    chips.load(board)
    board.set(count=1)
    counter.start_log(board)


group = Group("suspension", "Programs and machines that are stopped", prepare=prepare)
check = group.check


def uptime(board):
    return float(board.output("cut -d' ' -f1 /proc/uptime"))


def during(board, stop, seconds=5):
    """Watches the gyroscope before, during and after a stop. Returns the watch, and the uptime after the stop."""
    chips.use(board, "mpu6050")
    job = board.start_watch("gyro", "--interval", "0.02")
    is_enabled = f"grep -q 1 {board.device('mpu6050')}/buffer/enable"
    board.output(f"for i in $(seq 200); do {is_enabled} && break; sleep 0.1; done; sleep 2; {is_enabled}")
    stop()
    after = uptime(board)
    board.run(f"sleep {seconds}")
    watch = board.finish(job)
    assert watch.readings, watch.errors
    assert not board.enabled_buffers(), f"a buffer is enabled in the end: {board.enabled_buffers()}"
    return watch, after


def assert_resumed(watch, after, within):
    """Asserts that readings that were measured after the stop came soon."""
    later = [time for time in watch.times if time > after]
    assert later, f"nothing came afterwards: {watch.problems} {watch.errors}"
    assert later[0] - after < within, f"readings came {later[0] - after:.1f} s after the stop"
    return f"readings again after {later[0] - after:.1f} s"


@check("A program that was stopped for 20 s delivers what the kernel kept, with its times, and then goes on", short=False)
def program(board):
    stopped = []

    def stop():
        stopped.append(float(board.output("pkill --signal STOP sensorctl.bin; cut -d' ' -f1 /proc/uptime")))
        board.output("sleep 20; pkill --signal CONT sensorctl.bin")

    watch, after = during(board, stop)
    counter.assert_true(board, watch)
    kept = [time for time in watch.times if stopped[0] < time < stopped[0] + 19]
    assert kept, f"nothing that was measured while the program was stopped: {watch.problems} {watch.errors}"
    assert kept[-1] < stopped[0] + 10, f"the program was not stopped: {kept[-1]:.1f}, {stopped}"
    return f"{len(kept)} readings were kept, {assert_resumed(watch, after, within=3)}"


@check("A machine that was stopped for 30 s delivers nothing twice, and nothing old as new", short=False)
def machine(board):
    def stop():
        board.machine.pause()
        time.sleep(30)
        board.machine.resume()

    watch, after = during(board, stop)
    counter.assert_true(board, watch)
    # The clocks of the machine stand still with it.
    assert not watch.gaps(5), f"gaps of {watch.gaps(5)}"
    return assert_resumed(watch, after, within=3)


@check("After suspend to idle readings go on, and nothing old is delivered as new")
def idle(board):
    slept = []

    def stop():
        job = board.start("read -r before rest </proc/uptime; echo freeze >/sys/power/state; echo $before")
        time.sleep(8)
        # The power button wakes the machine; it is pressed again, in case the first time was before it slept.
        while not job.finished.wait(5):
            board.machine.monitor("system_powerdown")
        result = job.wait()
        assert result.status == 0, result
        slept.append(float(result.output))

    watch, after = during(board, stop)
    counter.assert_true(board, watch)
    assert after - slept[0] > 5, f"the machine slept {after - slept[0]:.1f} s"
    return f"slept {after - slept[0]:.0f} s, {assert_resumed(watch, after, within=6)}"
