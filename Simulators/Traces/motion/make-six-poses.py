#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Prints six-poses.trace: a device on each of its six sides. The output is reproducible.

    python3 make-six-poses.py > six-poses.trace
"""
import json
import math
import random

GRAVITY = 9.80665
FIELD = (0.0, 0.2, -0.43)  # in gauss, lying flat with the top edge to the north: x right, y up (top edge), z out
MATRIX = "0, 1, 0; 1, 0, 0; 0, 0, -1"  # device = matrix * sensor; it is its own inverse
REST, TURN = 1.6, 0.4  # seconds on each side, and seconds of the rotation to the next

# The rotations about the device's own axes from each side to the next: face up, top edge up, right edge up (left edge
# down), bottom edge up, left edge up, face down.
TURNS = [("x", 90), ("z", 90), ("z", 90), ("z", 90), ("y", 90)]
POSES = ["face up", "top up", "right up", "bottom up", "left up", "face down"]


def rotate(vector, axis, angle):
    """Returns the vector in axes that are rotated about one of them by an angle."""
    x, y, z = vector
    c, s = math.cos(angle), math.sin(angle)
    if axis == "x":
        return (x, c * y + s * z, c * z - s * y)
    if axis == "y":
        return (c * x - s * z, y, c * z + s * x)
    return (c * x + s * y, c * y - s * x, z)


def pose(time):
    """Returns up and the magnetic field in the device's axes, and the angular rate, at a time."""
    up, field, rate = (0.0, 0.0, 1.0), FIELD, [0.0, 0.0, 0.0]
    for number, (axis, degrees) in enumerate(TURNS):
        begin = (number + 1) * REST + number * TURN
        if time <= begin:
            break
        whole = math.radians(degrees)
        part = min((time - begin) / TURN, 1)
        # Half a cosine: the rotation begins and ends at rest.
        angle = whole * (1 - math.cos(math.pi * part)) / 2
        if part < 1:
            rate["xyz".index(axis)] = whole * math.pi / TURN * math.sin(math.pi * part) / 2
        up, field = rotate(up, axis, angle), rotate(field, axis, angle)
    return up, field, rate


def sensor_axes(vector):
    x, y, z = vector
    return (y, x, -z)


def main():
    random.seed(6)

    def noisy(vector, sigma):
        return [round(value + random.gauss(0, sigma), 5) + 0.0 for value in vector]

    end = len(POSES) * REST + len(TURNS) * TURN
    sensors = [
        {"id": kind, "kind": kind, "name": name, "rates": [rate], "mountMatrix": MATRIX,
         "mountMatrixOrigin": "made up", "clock": "boottime"}
        for kind, name, rate in (
            ("accelerometer", "mpu6050", 50.0), ("gyroscope", "mpu6050", 50.0), ("magnetometer", "ak8963", 20.0))
    ]
    sensors.append({"id": "pressure", "kind": "pressure", "name": "bmp280", "rates": [5.0], "clock": "boottime"})
    header = {
        "format": "device-services-trace", "version": 1,
        "start": {"utc": "2026-05-01T10:00:00.000000000Z", "boot": 0}, "clock": "CLOCK_BOOTTIME", "devices": [],
        "sensors": sensors,
        "units": {"accelerometer": "m/s^2", "gyroscope": "rad/s", "magnetometer": "gauss", "pressure": "kPa", "t": "s"},
        "battery": {"level": 0.5, "state": "unplugged"}, "frame": "sensor", "recorder": "make-six-poses.py"}
    # The start with all nine decimals, as written by the library.
    print(json.dumps(header, separators=(",", ":")).replace('"boot":0', '"boot":100.000000000'))

    events = []

    def event(order, measured, delay, text):
        events.append((measured + delay, order, measured, text))

    for step in range(1, round(end * 100)):
        time = step * 10_000_000  # nanoseconds
        up, field, rate = pose(step / 100)
        if step % 2 == 0:
            # Buffered: two samples arrive together, alternately for both sensors.
            delay = 2_000_000 if step % 4 == 0 else 22_000_000
            value = noisy(sensor_axes([GRAVITY * part for part in up]), 0.02)
            event(0, time, delay, '"accelerometer":' + json.dumps(value, separators=(",", ":")))
            value = noisy(sensor_axes(rate), 0.002)
            event(1, time, delay, '"gyroscope":' + json.dumps(value, separators=(",", ":")))
        if step % 5 == 0:
            value = noisy(sensor_axes(field), 0.002)
            event(2, time, 1_000_000, '"magnetometer":' + json.dumps(value, separators=(",", ":")))
        if step % 20 == 0:
            # Polled: the time stamp is the arrival.
            event(3, time, 0, '"pressure":%r' % round(101.325 + random.gauss(0, 0.001), 5))
    for time, battery in ((4_000_000_000, {"level": 0.49, "state": "unplugged"}),
                          (8_000_000_000, {"level": 0.49, "state": "charging"})):
        event(4, time, 0, '"battery":' + json.dumps(battery, separators=(",", ":")))

    def seconds(nanoseconds):
        return "%d.%09d" % divmod(nanoseconds, 1_000_000_000)

    for arrival, _, measured, text in sorted(events):
        stamp = "" if measured == arrival else ',"stamp":' + seconds(measured)
        print('{"t":%s,%s%s}' % (seconds(arrival), text, stamp))


main()
