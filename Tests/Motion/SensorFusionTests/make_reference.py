#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates Reference/butterworth.txt and ellipsoid.txt with scipy (1.17 was used): python3 make_reference.py

Each line of the first file contains: interval, input, output. The filter starts at rest at zero, and an input is constant
during its interval. The second file contains the hard iron, the three rows of the symmetric soft iron with determinant 1,
and then the readings.
"""
import os

import numpy as np
from scipy import linalg, optimize, signal

rng = np.random.default_rng(20)
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Reference")
os.makedirs(folder, exist_ok=True)


def analog(cutoff):
    return signal.tf2ss(*signal.butter(2, 2 * np.pi * cutoff, analog=True))


def regular(cutoff, dt, inputs):
    """Zero-order hold by cont2discrete. The input of an interval is the sample at its end."""
    a, b, c, d, _ = signal.cont2discrete(analog(cutoff), dt, method="zoh")
    x, outputs = np.zeros((2, 1)), []
    for u in inputs:
        x = a @ x + b * u
        outputs.append(float((c @ x)[0, 0]))
    return outputs


def irregular(cutoff, intervals, inputs):
    """The same filter by a separate matrix exponential for each interval."""
    a, b, c, _ = analog(cutoff)
    x, outputs = np.zeros((2, 1)), []
    for dt, u in zip(intervals, inputs):
        block = linalg.expm(np.block([[a, b], [np.zeros((1, 3))]]) * dt)
        x = block[:2, :2] @ x + block[:2, 2:] * u
        outputs.append(float((c @ x)[0, 0]))
    return outputs


with open(os.path.join(folder, "butterworth.txt"), "w") as out:

    def write(cutoff, intervals, inputs, outputs):
        for dt, u, y in zip(intervals, inputs, outputs):
            out.write(f"{float(dt)!r} {float(u)!r} {float(y)!r}\n")

    for cutoff, dt in [(1, 0.01), (5, 0.02), (30, 0.02)]:
        out.write(f"# regular {cutoff}\n")
        u = rng.normal(size=60)
        write(cutoff, np.full(60, dt), u, regular(cutoff, dt, u))
    for cutoff in [0.5, 3, 40]:
        out.write(f"# irregular {cutoff}\n")
        u, dt = rng.normal(size=120), 10 ** rng.uniform(-4, -0.3, size=120)
        write(cutoff, dt, u, irregular(cutoff, dt, u))
    # The usual digital filter (bilinear transform), at frequencies at which it is equivalent: far below half the sample
    # rate.
    out.write("# digital 1\n")
    t = np.arange(800) / 400
    u = np.sin(2 * np.pi * 0.7 * t) + 0.5 * np.sin(2 * np.pi * 2 * t)
    b, a = signal.butter(2, 1, fs=400)
    write(1, np.full(800, 1 / 400), u, signal.lfilter(b, a, u))

with open(os.path.join(folder, "ellipsoid.txt"), "w") as out:
    rng = np.random.default_rng(4)
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    shape = np.array([[1.12, 0.05, -0.05], [0.05, 0.88, 0.05], [-0.05, 0.05, 1.0]])
    points = np.round(48 * directions @ shape.T + [25, -40, 15] + rng.normal(scale=0.5, size=(300, 3)), 3)

    def corrected(p):
        w = np.array([[p[0], p[3], p[4]], [p[3], p[1], p[5]], [p[4], p[5], p[2]]])
        return w, (points - p[6:9]) @ w.T

    begin = np.concatenate([np.full(3, 1 / 50), np.zeros(3), points.mean(axis=0)])
    fit = optimize.least_squares(
        lambda p: np.linalg.norm(corrected(p)[1], axis=1) - 1, begin, x_scale=np.abs(begin) + 0.01, xtol=1e-14,
        ftol=1e-14, gtol=1e-14)
    w, _ = corrected(fit.x)
    w /= np.cbrt(np.linalg.det(w))
    out.write("# hard iron, soft iron by rows, readings\n")
    for row in [fit.x[6:9], *w, *points]:
        out.write(" ".join(repr(float(x)) for x in row) + "\n")
