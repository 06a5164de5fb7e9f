#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A rotating HID sensor hub: its accelerometer, gyroscope and magnetometer report a rotation, see rotation.py.

    hidmotion.py "x,y,z,seconds;..." [x,y,z]    the parts of the rotation, which starts with the first input report, and
                                                the field of iron that rotates with the hub, in milligauss

/run/motion.log contains a line for each report: the sensor, the seconds since boot, and the values. The kernel's time stamp
of a report is between the time of the report and that of the sensor's next report. The rotation starts at the first line.
The gyroscope reports the mean rate of the last 10 ms, like chips that measure at 100 Hz.
"""

import math
import os
import sys
import time

import hidsensors
import rotation

FIELD = (0, 200, -430)  # mGauss to the east, north and up
NAMES = ["accel", "gyro", "magn"]
INTERVAL = 0.01  # seconds
PRIORITY = 20


class TurningHub(hidsensors.SensorHub):
    def __init__(self, turning, iron):
        super().__init__({name: [0, 0, 0] for name in NAMES}, "Turning sensor hub", "0002")
        self.turning = turning
        self.iron = iron
        self.start = None
        self.log = open("/run/motion.log", "w", buffering=1)

    def measure(self, name, elapsed):
        """Returns the values of a sensor at seconds since the start."""
        _, attitude = self.turning.state(elapsed)
        body = rotation.transpose(attitude)
        if name == "accel":
            return [1000 * row[2] for row in body]
        if name == "magn":
            return [sum(a * b for a, b in zip(row, FIELD)) + iron for row, iron in zip(body, self.iron)]
        _, before = self.turning.state(elapsed - INTERVAL)
        turned = rotation.vector(rotation.multiply(rotation.transpose(before), attitude))
        return [10 * math.degrees(angle) / INTERVAL for angle in turned]

    def input_report(self, report_id):
        name = self.names[report_id]
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        if self.start is None:
            self.start = now
        self.values[name] = [round(value) for value in self.measure(name, now - self.start)]
        self.log.write(f"{name} {now:.6f} {' '.join(map(str, self.values[name]))}\n")
        return super().input_report(report_id)


def main():
    # Reports are due at their times even if other programs run.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    parts, iron = (sys.argv[1:] + ["0,0,0"])[:2]
    hub = TurningHub(rotation.Rotation(rotation.parse(parts)), [float(value) for value in iron.split(",")])
    hidsensors.serve(hub)


if __name__ == "__main__":
    main()
