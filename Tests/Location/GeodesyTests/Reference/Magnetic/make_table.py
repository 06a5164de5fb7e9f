#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates the table Sources/Location/Geodesy/MagneticModel/MagneticModel+WMM2025.swift from the adjacent WMM2025.COF.

    python3 make_table.py        # in any directory

Numbers are copied without change.
"""
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(FOLDER, *[".."] * 5, "Sources", "Location", "Geodesy", "MagneticModel", "MagneticModel+WMM2025.swift")

with open(os.path.join(FOLDER, "WMM2025.COF")) as file:
    lines = file.read().split("\n")
epoch, name, date = lines[0].split()
rows = [line.split() for line in lines[1:] if line and not line.startswith("9999")]
degree = int(rows[-1][0])
assert [(int(row[0]), int(row[1])) for row in rows] == [(n, m) for n in range(1, degree + 1) for m in range(n + 1)]

text = f"""// SPDX-License-Identifier: Apache-2.0

// Made by Tests/Location/GeodesyTests/Reference/Magnetic/make_table.py of the coefficient file beside it; a test compares them.

extension MagneticModel {{
    /// The World Magnetic Model 2025, for the years 2025.0 to 2030.0.
    ///
    /// By NOAA's National Centers for Environmental Information and the British Geological Survey, released on
    /// 17 December 2024; a work of the government of the United States, in the public domain.
    package static let wmm2025 = MagneticModel(
        name: "{name}", epoch: {epoch}, releaseDate: "{date}", degree: {degree}, rows: wmm2025Rows)

    /// `g`, `h` and their changes a year, in nT: degree by degree, order 0 first.
    static let wmm2025Rows = stride(from: 0, to: numbers.count, by: 4).map {{ place in
        MagneticRow(
            g: numbers[place], h: numbers[place + 1], gRate: numbers[place + 2], hRate: numbers[place + 3])
    }}

    // swift-format-ignore
    private static let numbers: [Double] = [
"""
for row in rows:
    cell = " ".join(number + "," for number in row[2:])
    if row[1] == "0":
        text += f"        // Degree {row[0]}\n        "
        length = 8
    elif length + 2 + len(cell) > 120:
        text += "\n        "
        length = 8
    else:
        text += "  "
        length += 2
    text += cell
    length += len(cell)
    if row[0] == row[1]:
        text += "\n"
text += "    ]\n}\n"
with open(TARGET, "w") as file:
    file.write(text)
