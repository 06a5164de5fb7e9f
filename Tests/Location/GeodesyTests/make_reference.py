#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates the reference data in Reference/ with another program: geographiclib from PyPI (version 2.1 was used).

    pip install geographiclib
    python3 make_reference.py        # in any directory; the seed is fixed, so the files are reproducible

inverse.txt   lat1 lon1 lat2 lon2 distance azimuth1 azimuth2 reducedLength   (degrees, metres)
direct.txt    lat1 lon1 azimuth1 distance lat2 lon2 azimuth2                 (degrees, metres)

A line that starts with "#" begins a category. The azimuth "-" has two correct values.
Points less than a millimetre apart are calculated here to first order from the radii of curvature, because the rounding of
the program, some nanometres, would be too coarse. The omitted terms are 1e-20 of the length.
"""
import math
import os
import random

from geographiclib.geodesic import Geodesic

EARTH = Geodesic.WGS84
MASK = Geodesic.STANDARD | Geodesic.REDUCEDLENGTH
random.seed(20130112)
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Reference")
os.makedirs(folder, exist_ok=True)


def number(value, digits):
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if text.startswith("0.") or text.startswith("-0."):
        text = text.replace("0.", ".", 1)
    return "0" if text in ("-0", "", "-") else text


def wrap(longitude):
    return math.remainder(longitude, 360)


def latitude_on_sphere():
    return math.degrees(math.asin(random.uniform(-1, 1)))


def anywhere(digits=6):
    return round(latitude_on_sphere(), digits), round(random.uniform(-180, 180), digits)


def near(point, low, high, digits):
    """Returns a second point at a distance between low and high (uniform in the logarithm)."""
    distance = math.exp(random.uniform(math.log(low), math.log(high)))
    there = EARTH.Direct(point[0], point[1], random.uniform(-180, 180), distance)
    return round(there["lat2"], digits), wrap(round(there["lon2"], digits))


def category(name, pairs):
    lines = ["# " + name]
    for (lat1, lon1), (lat2, lon2) in pairs:
        g = EARTH.Inverse(lat1, lon1, lat2, lon2, MASK)
        azimuths = [number(g["azi1"], 13), number(g["azi2"], 13)]
        # Antipodal points: the path around the other side, or over the other pole, is equally long.
        if lat1 == -lat2 and g["s12"] > 19.9e6 or g["s12"] == 0:
            azimuths = ["-", "-"]
        lines.append(" ".join(
            [repr(lat1), repr(lon1), repr(lat2), repr(lon2), number(g["s12"], 9)]
            + azimuths + [number(g["m12"], 0)]))
    return lines


def millimetre(count):
    lines = ["# under a millimetre"]
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    while len(lines) <= count:
        lat1 = random.uniform(-75, 75)
        lon1 = random.uniform(-180, 180)
        lat2 = lat1 + random.uniform(-4e-9, 4e-9)
        lon2 = lon1 + random.uniform(-4e-9, 4e-9)
        # Differences of adjacent doubles are exact.
        dlat, dlon = math.radians(lat2 - lat1), math.radians(lon2 - lon1)
        if abs(lon2) > 180 or (dlat == 0 and dlon == 0):
            continue
        phi = math.radians(lat1)
        w2 = 1 - e2 * math.sin(phi) ** 2
        north = a * (1 - e2) / w2 ** 1.5 * dlat
        east = a / math.sqrt(w2) * math.cos(phi) * dlon
        length = math.hypot(north, east)
        azimuth = math.degrees(math.atan2(east, north))
        lines.append(" ".join(
            [repr(lat1), repr(lon1), repr(lat2), repr(lon2), f"{length:.12e}"]
            + 2 * [number(azimuth, 10)] + ["0"]))
    return lines


def antipodal(count):
    for i in range(count):
        lat1, lon1 = anywhere()
        spread = random.choice([0.7, 0.7, 0.1, 0.01, 1e-4, 1e-6])
        dlat = round(random.uniform(-spread, spread), 9)
        dlon = round(random.uniform(-spread, spread), 9)
        if i % 10 == 0:
            dlat = 0.0
        if i % 17 == 0:
            dlon = 0.0
        if i % 7 == 0:
            lat1 = round(lat1 * 1e-3, 6)
        lat2 = max(-90.0, min(90.0, round(-lat1 + dlat, 9)))
        yield (lat1, lon1), (lat2, wrap(round(lon1 + 180 + dlon, 9)))


def meridional(count):
    for i in range(count):
        lat1, lon1 = anywhere()
        lat2, _ = anywhere()
        yield (lat1, lon1), (lat2, lon1 if i % 2 else wrap(round(lon1 + 180, 6)))


def equatorial(count):
    for i in range(count):
        lon1 = round(random.uniform(-180, 180), 4)
        apart = random.uniform(-180, 180)
        if i % 3 == 0:
            apart = random.uniform(179.3, 180)
        tiny = random.choice([0.0, 0.0, 1e-4, -1e-7, 1e-12])
        yield (0.0, lon1), (tiny, wrap(round(lon1 + apart, 4)))


def polar(count):
    for i in range(count):
        pole = random.choice([90.0, -90.0])
        lon1 = round(random.uniform(-180, 180), 3)
        close = lambda sign: sign * round(90 - 10 ** random.uniform(-9, 0), 10)
        if i % 4 == 0:
            yield (pole, lon1), anywhere()
        elif i % 4 == 1:
            yield (close(1), lon1), (close(-1), round(random.uniform(-180, 180), 3))
        elif i % 4 == 2:
            yield (close(math.copysign(1, pole)), lon1), anywhere()
        else:
            yield (pole, lon1), (close(math.copysign(1, pole)), round(random.uniform(-180, 180), 3))


def high_latitude(count):
    for _ in range(count):
        lat = random.choice([1, -1]) * round(90 - 10 ** random.uniform(-6, 0.5), 9)
        point = (lat, round(random.uniform(-180, 180), 6))
        yield point, near(point, 0.1, 30e3, 11)


def date_line(count):
    for i in range(count):
        lat = round(latitude_on_sphere(), 6)
        lon = round(wrap(180 + random.uniform(-0.02, 0.02)), 8)
        point = (lat, random.choice([180.0, -180.0]) if i % 5 == 0 else lon)
        yield point, near(point, 0.5, 5e3 if i % 2 else 5e6, 8)


def around(count, low, high, digits):
    for _ in range(count):
        point = anywhere(digits)
        yield point, near(point, low, high, digits)


inverse = ["# geographiclib 2.1; see make_reference.py"]
inverse += category("anywhere", [(anywhere(), anywhere()) for _ in range(2500)])
inverse += category("under 2 km", around(1500, 5, 2000, 8))
inverse += category("under 10 m", around(800, 0.01, 10, 10))
inverse += millimetre(500)
inverse += category("2 km to 60 km", around(1200, 2000, 60000, 7))
inverse += category("nearly antipodal", antipodal(1500))
inverse += category("along a meridian", meridional(500))
inverse += category("along the equator", equatorial(500))
inverse += category("polar", polar(600))
inverse += category("short at high latitude", high_latitude(700))
inverse += category("across the date line", date_line(500))

direct = ["# geographiclib 2.1; see make_reference.py"]
direct.append("# direct")
for i in range(1500):
    lat1, lon1 = anywhere()
    azimuth = round(random.uniform(-180, 180), 6)
    if i % 10 == 0:
        azimuth = random.choice([0.0, 90.0, 180.0, -90.0])
    if i % 13 == 0:
        lat1 = random.choice([0.0, 90.0, -90.0])
    length = round(random.choice([1.0, 1.0, 1e-3, 1e-6, 2.0]) * random.uniform(-20003931, 20003931), 6)
    g = EARTH.Direct(lat1, lon1, azimuth, length)
    direct.append(" ".join(
        [repr(lat1), repr(lon1), repr(azimuth), repr(length)]
        + [number(g["lat2"], 13), number(g["lon2"], 13), number(g["azi2"], 13)]))

for name, lines in (("inverse.txt", inverse), ("direct.txt", direct)):
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    print(name, sum(not line.startswith("#") for line in lines), "lines")
