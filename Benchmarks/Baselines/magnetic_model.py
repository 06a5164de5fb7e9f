#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Writes a coefficient file of the World Magnetic Model in the format of GeographicLib.

    magnetic_model.py WMM2025.COF FOLDER        # writes FOLDER/wmm.wmm and FOLDER/wmm.wmm.cof

The first file is a text that describes the model. The second contains eight bytes of identification and then, for the epoch
and for the annual change, the degree and order as 32-bit integers and the coefficients as doubles, order by order: the
cosine coefficients, then the sine coefficients, which have no order 0. See
https://geographiclib.sourceforge.io/C++/doc/magnetic.html
"""
import os
import struct
import sys

IDENTIFICATION = b"WMM2025A"


def main(source, folder):
    with open(source) as file:
        lines = file.read().split("\n")
    epoch = float(lines[0].split()[0])
    rows = {}
    for line in lines[1:]:
        if line.startswith("9999"):
            break
        n, m, *values = line.split()
        rows[int(n), int(m)] = [float(value) for value in values]
    degree = max(n for n, _ in rows)

    with open(os.path.join(folder, "wmm.wmm"), "w") as file:
        file.write(f"""WMMF-1
Name wmm
Description World Magnetic Model
ReleaseDate 2024-12-17
Radius 6371200
NumModels 1
Epoch {epoch:g}
DeltaEpoch 5
MinTime {epoch:g}
MaxTime {epoch + 5:g}
MinHeight -1000
MaxHeight 850000
Normalization schmidt
Type linear
ByteOrder little
ID {IDENTIFICATION.decode()}
""")
    with open(os.path.join(folder, "wmm.wmm.cof"), "wb") as file:
        file.write(IDENTIFICATION)
        for cosine, sine in ((0, 1), (2, 3)):
            file.write(struct.pack("<ii", degree, degree))
            for first, column in ((0, cosine), (1, sine)):
                for m in range(first, degree + 1):
                    for n in range(m, degree + 1):
                        file.write(struct.pack("<d", rows[n, m][column] if n > 0 else 0.0))


main(*sys.argv[1:])
