#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace of a drive: accelerometer, gyroscope and magnetometer at 100 Hz, one fix per second.

    make_drive.py FILE [SECONDS]

The car drives gentle bends at varying speed. The readings are those of an MPU-9250: integer steps of its scale, in the
format of a recorder. The same arguments result in the same bytes.
"""
import datetime
import json
import math
import random
import sys

RATE = 100
ACCELEROMETER = 0.000598  # m/s^2 per step, +-2 g
GYROSCOPE = 0.000133158  # rad/s per step, +-250 degrees/s
MAGNETOMETER = 0.0015  # gauss per step
GRAVITY = 9.80665
FIELD = (0.0, 0.212, -0.435)  # gauss, east, north, up, near 48 N 11 E
START = datetime.datetime(2026, 5, 1, 10, tzinfo=datetime.timezone.utc)


def header():
    def sensor(kind, rates):
        return {"id": kind, "kind": kind, "name": "mpu9250", "rates": rates, "clock": "boottime"}
    return {
        "format": "device-services-trace", "version": 1,
        "start": {"utc": "2026-05-01T10:00:00.000000000Z", "boot": 100.0}, "clock": "CLOCK_BOOTTIME",
        "devices": [{"kind": "gpsd", "path": "/dev/ttyACM0", "driver": "u-blox", "bps": 9600, "cycle": 1.0}],
        "sensors": [sensor("accelerometer", [50, 100, 200]), sensor("gyroscope", [50, 100, 200]),
                    sensor("magnetometer", [100])],
        "frame": "sensor", "recorder": "make_drive.py",
    }


def write(path, seconds):
    noise = random.Random(6)
    heading, speed = 0.3, 12.0
    north, east = 0.0, 0.0

    def steps(values, scale, sigma):
        return ",".join(repr(round(noise.gauss(v, sigma) / scale) * scale) for v in values)

    with open(path, "w") as out:
        def line(text):
            out.write(text + "\n")

        line(json.dumps(header(), separators=(",", ":")))
        for index in range(seconds * RATE):
            t = index / RATE
            # Bends of one minute with superimposed shorter ones. Stops are irrelevant here.
            turn = 0.12 * math.sin(t / 9.5) + 0.05 * math.sin(t / 3.1 + 1)
            push = 0.8 * math.sin(t / 14) + 0.3 * math.sin(t / 5)
            roll, pitch = 0.03 * math.sin(t * 1.9), 0.02 * math.sin(t * 2.3 + 0.5)
            heading += turn / RATE  # from north, clockwise
            speed = max(0.5, speed + push / RATE)
            north += speed * math.cos(heading) / RATE
            east += speed * math.sin(heading) / RATE
            # x to the right, y forward, z up.
            acceleration = (speed * turn - GRAVITY * math.sin(roll), push + GRAVITY * math.sin(pitch),
                            GRAVITY * math.cos(roll) * math.cos(pitch))
            rate = (0.046 * math.cos(t * 2.3 + 0.5), 0.057 * math.cos(t * 1.9), -turn)
            ahead = FIELD[1] * math.cos(heading) + FIELD[2] * math.sin(pitch)
            field = (-FIELD[1] * math.sin(heading) - FIELD[2] * math.sin(roll), ahead, FIELD[2])
            measured = index * 10_000_000 + 1_234_567
            arrival = measured + 700_000 + noise.randrange(200_000)

            def reading(kind, text, late):
                at = arrival + late
                line(f'{{"t":{at // 10**9}.{at % 10**9:09},"{kind}":[{text}],'
                     f'"stamp":{measured // 10**9}.{measured % 10**9:09}}}')

            reading("gyroscope", steps(rate, GYROSCOPE, 0.002), 0)
            reading("accelerometer", steps(acceleration, ACCELEROMETER, 0.05), 40_000)
            reading("magnetometer", steps(field, MAGNETOMETER, 0.003), 90_000)
            if index % RATE == 0:
                at = arrival + 100_000
                when = (START + datetime.timedelta(seconds=t)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
                fix = (f'{{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"{when}","ept":0.005,'
                       f'"lat":{48 + north / 111_200:.9f},"lon":{11.5 + east / 74_500:.9f},"altHAE":545.2000,'
                       f'"altMSL":499.8000,"alt":499.8000,"epx":2.438,"epy":3.249,"epv":8.750,'
                       f'"track":{math.degrees(heading) % 360:.4f},"magtrack":{(math.degrees(heading) - 3.9) % 360:.4f},'
                       f'"magvar":3.9,"speed":{speed:.3f},"climb":0.000,"eps":0.50,"epc":1.50,"geoidSep":45.400,'
                       f'"eph":4.440,"sep":9.220}}')
                line(f'{{"t":{at // 10**9}.{at % 10**9:09},"gpsd":{fix}}}')


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3600)
