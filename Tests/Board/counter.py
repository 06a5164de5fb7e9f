# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The sample counter in the MPU-6050, which shows when a reading was measured, regardless of its time stamp.

Requires the parameter `count` of the chips, which replaces x of the gyroscope by the counter.
"""

import bisect

# The scale of the gyroscope at 2000 degrees per second, and the number at which the counter wraps.
GYRO_SCALE = 0.001064724
WRAP = 30000
# Logs the counter, followed by the seconds since boot.
SAMPLER = """
    while read -r samples </sys/module/vboard/parameters/samples; do
        read -r uptime rest </proc/uptime
        echo $uptime $samples
        sleep 0.1
    done >/run/counter.log"""
READ = "cat /sys/module/vboard/parameters/samples"
# The maximum error of a time stamp, in seconds.
TOLERANCE = 2


def start_log(board):
    return board.start(SAMPLER, timeout=3600)


def number(reading):
    return round(reading["x"] / GYRO_SCALE)


def unwrapped(number, last):
    """Returns the sample with this number in the chip's register: the last sample before the end of the log, or shortly
    after it."""
    limit = last + WRAP // 10
    return limit - (limit - number) % WRAP


def assert_timestamps(board, watch, early=TOLERANCE):
    """Asserts that no reading is repeated, and that each was measured at the time of its time stamp.

    early: the maximum error of a time stamp before the measurement, in seconds. With the host's clock, the chip omits samples
    under load; the driver counts its intervals and catches up slowly.
    """
    log = [line.split() for line in board.output("cat /run/counter.log").splitlines()]
    times, numbers = [float(time) for time, _ in log], [int(number) for _, number in log]
    # The first reading is read from registers, before the buffer is enabled.
    readings = [(event["timestamp"], unwrapped(number(event), numbers[-1])) for event in watch.readings[1:]]
    for before, after in zip(readings, readings[1:]):
        assert after[0] > before[0] and after[1] > before[1], f"repeated or out of order: {before}, {after}"
    for time, sample in readings:
        index = bisect.bisect_left(numbers, sample)
        if 2 <= index < len(log):
            earliest, latest = times[index - 2], times[index]
            note = f"sample {sample} was measured from {earliest} to {latest}, and delivered with {time:.2f}"
            assert earliest - early < time < latest + TOLERANCE, note


def assert_resumed(watch, after, within):
    """Asserts that there are readings after this sample, and that the first is at most the given number of samples
    later."""
    later = [sample for sample in map(number, watch.readings) if sample > after]
    assert later, f"no readings afterwards: {watch.problems} {watch.errors}"
    assert later[0] - after < within, f"{later[0] - after} samples are missing after the fault"
    return f"readings resumed after {later[0] - after} samples"
