#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates pygeomag.txt with another program: pygeomag from PyPI (version 1.1.0 was used), from the adjacent WMM2025.COF.

    pip install pygeomag
    python3 make_reference.py        # in any directory; the seed is fixed, so the file is reproducible

Columns: year, latitude, longitude (degrees), altitude (km), x, y, z (nT), declination, inclination (degrees).
A line that starts with "#" begins a category.
"""
import os
import random

from pygeomag import GeoMag

FOLDER = os.path.dirname(os.path.abspath(__file__))
model = GeoMag(coefficients_file=os.path.join(FOLDER, "WMM2025.COF"))
random.seed(20241217)


def line(year, latitude, longitude, altitude):
    result = model.calculate(glat=latitude, glon=longitude, alt=altitude, time=year, allow_date_outside_lifespan=True)
    values = [result.x, result.y, result.z, result.d, result.i]
    return " ".join([repr(v) for v in (year, latitude, longitude, altitude)] + [f"{v:.9f}" for v in values]) + "\n"


with open(os.path.join(FOLDER, "pygeomag.txt"), "w") as file:
    file.write("# anywhere\n")
    for _ in range(300):
        file.write(line(
            round(random.uniform(2025, 2030), 4), round(random.uniform(-90, 90), 6), round(random.uniform(-180, 180), 6),
            round(random.uniform(-1, 850), 3)))
    file.write("# round\n")
    for latitude in (-75.0, -45.0, -0.0, 30.0, 60.0):
        for longitude in (-180.0, -135.0, -90.0, -45.0, 0.0, 45.0, 90.0, 135.0, 180.0):
            file.write(line(2027.5, latitude, longitude, 0.0))
    file.write("# near the poles\n")
    for latitude in (89.9, 89.999, 89.99999, -89.9, -89.999, -89.99999):
        for longitude in (-180.0, -97.25, -90.0, 0.0, 12.5, 90.0, 179.5):
            file.write(line(2026.25, latitude, longitude, 1.0))
    file.write("# other years\n")
    for year in (2015.0, 2024.9, 2030.5, 2050.0):
        for _ in range(10):
            file.write(line(year, round(random.uniform(-90, 90), 3), round(random.uniform(-180, 180), 3), 0.0))
