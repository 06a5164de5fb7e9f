#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Prints mountain-road.json, a synthetic drive in the format of gpsd.

    python3 make-mountain-road.py > mountain-road.json

The road is a list of straights and bends. A car follows it with limited acceleration. A receiver measures its position with
correlated noise, loses reception in a tunnel and regains it in steps. The seed is fixed, so the output is reproducible.
"""
import datetime
import json
import math
import random

SEED = 20260621
START = datetime.datetime(2026, 6, 21, 9, 30, 0)
LATITUDE, LONGITUDE, ALTITUDE = 46.5537, 7.9012, 812.0
GEOID = 50.4
REPORT, SKY = 0.5, 6.0

# Length in metres, change of direction in degrees (right is positive), speed limit in km/h, grade in per cent.
ROAD = [
    (90, 0, 50, 0), (70, -40, 40, 0), (120, 10, 50, 1), (0, 0, 0, 0),         # a village, and a stop sign
    (40, 80, 25, 1), (240, -60, 70, 2), (200, 62, 80, 3),
    (40, 50, 28, 1), (62, -150, 28, 1), (40, 60, 28, 1),                      # a roundabout, third exit
    (260, -25, 85, 5), (130, 176, 38, 6), (330, 14, 70, 8), (120, -186, 36, 6),   # hairpins
    (330, -6, 70, 8), (125, 178, 36, 6), (300, 10, 70, 8), (120, -150, 38, 6),
    (160, 34, 75, 5),
    (430, -30, 80, 0.5),                                                      # the tunnel
    (190, 80, 80, -2), (240, 110, 85, -3), (250, 72, 85, -3), (200, -50, 80, -4),
    (170, -70, 60, -4), (240, 38, 80, -5), (190, 120, 60, -3), (160, -30, 50, -1), (110, 14, 40, 0), (0, 0, 0, 0),
]
TUNNEL = (19, 20)

SYSTEMS = [(0, 9), (6, 6), (2, 7), (3, 5), (1, 1)]
BASE = {0: 0, 6: 64, 2: 300, 3: 400, 1: 119}


def centreline():
    """Returns one point per metre: east, north, up, speed limit in m/s, whether it is in the tunnel."""
    points, east, north, up, heading = [], 0.0, 0.0, 0.0, math.radians(62)
    for index, (length, bend, limit, grade) in enumerate(ROAD):
        if length == 0:
            points.extend([(east, north, up, 0.0, False)] * 2)
            continue
        for _ in range(length):
            heading += math.radians(bend) / length
            east += math.sin(heading)
            north += math.cos(heading)
            up += grade / 100
            points.append((east, north, up, limit / 3.6, TUNNEL[0] <= index < TUNNEL[1]))
    return points


def drive(points):
    """Returns the car's distance along the road and its speed, ten times per second."""
    allowed = [point[3] for point in points]
    for index in range(len(allowed) - 2, -1, -1):  # brakes in time: 2.2 m/s^2
        allowed[index] = min(allowed[index], math.sqrt(allowed[index + 1] ** 2 + 2 * 2.2))
    way, speed, waiting, passed = 0.0, 0.0, 2.0, set()
    while True:
        index = int(way)
        if index >= len(points) - 3:
            break
        if waiting > 0:
            waiting -= 0.1
            speed = 0.0
        else:
            target = allowed[index]
            speed = min(target, speed + 0.16) if target > speed else max(target, speed - 0.24)
            stop = next((i for i in range(index, index + 4) if points[i][3] == 0 and i not in passed), None)
            if stop is not None and speed < 4.5:
                passed.update((stop, stop + 1, stop + 2))
                waiting, way, speed = 3.0, stop + 2.0, 0.0
            else:
                speed = max(speed, 0.7)
                way += speed * 0.1
        yield way, speed
    for _ in range(30):
        yield way, 0.0


def rounded(value, digits):
    return round(value, digits)


def main():
    noise = random.Random(SEED)
    points = centreline()
    metre_north = 1 / 111_150
    metre_east = metre_north / math.cos(math.radians(LATITUDE))
    sky = []
    for system, count in SYSTEMS:
        for number in range(1, count + 1):
            azimuth = (len(sky) * 137.5 + noise.uniform(-15, 15)) % 360
            elevation = 8 + 76 * noise.random() ** 1.5
            sky.append([system, number * 3 - 1, azimuth, elevation, noise.uniform(-0.02, 0.02)])

    print("# A synthetic drive, made by make-mountain-road.py: no receiver has recorded it, and no such road exists.")

    def say(report):
        print(json.dumps(report, separators=(",", ":")))

    device = "/dev/synthetic0"
    say({"class": "DEVICES", "devices": [{"class": "DEVICE", "path": device, "driver": "synthetic",
                                          "subtype": "mountain-road", "activated": "2026-06-21T09:30:00.000Z",
                                          "cycle": REPORT}]})
    error_east = error_north = error_up = 0.0
    dark, light = 0.0, 100.0  # seconds without and with satellites
    heading, last = 62.0, None
    for step, (way, speed) in enumerate(drive(points)):
        now = step * 0.1
        keep, push = 0.985, 0.11
        error_east = keep * error_east + push * noise.gauss(0, 1)
        error_north = keep * error_north + push * noise.gauss(0, 1)
        error_up = keep * error_up + 2 * push * noise.gauss(0, 1)
        index = min(int(way), len(points) - 2)
        part = min(way - index, 1.0)
        east, north, up = (points[index][i] + part * (points[index + 1][i] - points[index][i]) for i in range(3))
        grade = points[min(index + 1, len(points) - 1)][2] - points[index][2]
        inside = points[index][4]
        dark, light = (dark + 0.1, 0.0) if inside else (0.0 if light > 3 else dark, light + 0.1)
        if last and math.hypot(east - last[0], north - last[1]) > 0.05:
            heading = math.degrees(math.atan2(east - last[0], north - last[1])) % 360
        last = (east, north)
        stamp = (START + datetime.timedelta(seconds=now)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        mode = 1 if inside and dark > 1.2 or light < 1.0 else 2 if light < 3.0 else 3
        widening = 1 + (3.5 if dark > 0 and inside else 0) + 9 * math.exp(-light / 2.5)

        if step % round(SKY * 10) == 0:
            satellites = []
            used = 0
            for system, number, azimuth, elevation, drift in sky:
                az = (azimuth + drift * now) % 360
                # The mountain hides a third of the sky, and another third on the other side of a hairpin.
                hidden = elevation < 32 and abs((az - 200 - 0.25 * now + 180) % 360 - 180) < 60
                signal = 27 + elevation * 0.24 + noise.gauss(0, 1.5) - (15 if hidden else 0)
                if mode == 1:
                    signal = max(0, signal - 32)
                is_used = mode > 1 and signal > 27 and system != 1
                used += is_used
                entry = {"PRN": BASE[system] + number, "el": round(elevation), "az": round(az),
                         "ss": round(max(signal, 0)), "used": is_used, "gnssid": system, "svid": number}
                satellites.append(entry)
            say({"class": "SKY", "device": device, "time": stamp,
                 "hdop": rounded(0.62 * widening, 2), "vdop": rounded(0.98 * widening, 2),
                 "pdop": rounded(1.16 * widening, 2), "nSat": len(satellites), "uSat": used,
                 "satellites": satellites})

        if step % round(REPORT * 10) == 0:
            report = {"class": "TPV", "device": device, "mode": mode, "time": stamp, "ept": 0.005}
            if mode > 1:
                report["lat"] = rounded(LATITUDE + (north + error_north * widening ** 0.7) * metre_north, 9)
                report["lon"] = rounded(LONGITUDE + (east + error_east * widening ** 0.7) * metre_east, 9)
                if mode > 2:
                    sea = ALTITUDE + up + error_up
                    report["altHAE"] = rounded(sea + GEOID, 4)
                    report["altMSL"] = rounded(sea, 4)
                    report["epv"] = rounded(3.9 * widening + 0.4 * abs(error_up), 3)
                if speed > 0.5:
                    report["track"] = rounded((heading + noise.gauss(0, 0.4)) % 360, 4)
                    report["epd"] = rounded(0.6 * widening, 4)
                report["speed"] = rounded(max(0, speed + noise.gauss(0, 0.04)), 3)
                if mode > 2:
                    report["climb"] = rounded(speed * grade, 3)
                report["eps"] = rounded(0.13 * widening, 2)
                report["geoidSep"] = GEOID
                report["eph"] = rounded(2.6 * widening + 0.3 * math.hypot(error_east, error_north), 3)
            say(report)


if __name__ == "__main__":
    main()
