#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates Reference/vqf.txt with PyPI vqf (2.1.2 was used) from Simulators/Traces/broad: python3 make_attitude_reference.py

After a line with the name of a recording, each line contains: row, 6D quaternion (w, x, y, z), 9D quaternion, bias in
rad/s, its standard deviation, rest, disturbance. Every 200th row and the last row are written.
"""
import glob
import os

import numpy as np
from vqf import VQF

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "Reference", "vqf.txt"), "w") as out:
    for path in sorted(glob.glob(os.path.join(here, "..", "..", "..", "Simulators", "Traces", "broad", "broad_*.csv"))):
        with open(path) as file:
            rows = [line.split(",")[:9] for line in file.read().split("\n")[1:] if line]
        data = np.array(rows, float)
        gyr, acc, mag = (np.ascontiguousarray(data[:, 3 * i : 3 * i + 3] * s) for i, s in enumerate((1e-4, 1e-3, 0.1)))
        result = VQF(0.0105).updateBatch(gyr, acc, mag)
        out.write(f"# {os.path.basename(path)[:-4]}\n")
        for row in sorted({*range(0, len(data), 200), len(data) - 1}):
            numbers = [*result["quat6D"][row], *result["quat9D"][row], *result["bias"][row], result["biasSigma"][row]]
            flags = [int(result["restDetected"][row]), int(result["magDistDetected"][row])]
            out.write(" ".join([str(row)] + [repr(float(v)) for v in numbers] + [str(v) for v in flags]) + "\n")
