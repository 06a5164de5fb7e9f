# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A rotation in parts, with its attitude and rate at any time in closed form.

A part is a rotation about a fixed body axis. Its rate rises and falls along half a cosine, so that neither the rate nor the
gyroscope readings change abruptly. Attitudes are matrices that rotate from body axes to east, north and up.
"""

import math
from collections import namedtuple

# The time in seconds in which a rate rises to its full value, and in which it falls.
RAMP = 0.8

Part = namedtuple("Part", "x y z seconds")  # in degrees per second about the body axes


def parse(text):
    """Parses parts from "x,y,z,seconds;..."."""
    return [Part(*map(float, part.split(","))) for part in text.split(";")]


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transpose(a):
    return [list(column) for column in zip(*a)]


def about(axis, angle):
    """Returns the rotation by an angle in radians about an axis, by Rodrigues' formula."""
    length = math.hypot(*axis)
    if length == 0:
        return [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    x, y, z = (component / length for component in axis)
    c, s = math.cos(angle), math.sin(angle)
    d = 1 - c
    return [
        [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
        [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
        [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
    ]


def progress(time, seconds):
    """Returns the fraction of the full rate at a time in a part, and its integral up to that time."""
    if time <= 0:
        return 0, 0
    if time >= seconds:
        return 0, seconds - RAMP
    if time < RAMP:
        phase = math.pi * time / RAMP
        return (1 - math.cos(phase)) / 2, (time - math.sin(phase) * RAMP / math.pi) / 2
    if time > seconds - RAMP:
        share, integral = progress(seconds - time, seconds)
        return share, seconds - RAMP - integral
    return 1, time - RAMP / 2


class Rotation:
    def __init__(self, parts):
        """Starts level, with the body's y axis to the north. A rotating part takes at least two ramps."""
        self.parts = parts
        self.starts = []
        time, attitude = 0, about((0, 0, 0), 0)
        for part in parts:
            self.starts.append((time, attitude))
            attitude = multiply(attitude, self.turn(part, part.seconds))
            time += part.seconds
        self.seconds = time

    @staticmethod
    def turn(part, time):
        return about(part[:3], math.radians(math.hypot(*part[:3])) * progress(time, part.seconds)[1])

    def state(self, time):
        """Returns the rate about the body axes in degrees per second, and the attitude, at seconds since the start."""
        index = max((i for i, (start, _) in enumerate(self.starts) if start <= time), default=0)
        part, (start, attitude) = self.parts[index], self.starts[index]
        share, _ = progress(time - start, part.seconds)
        return [share * rate for rate in part[:3]], multiply(attitude, self.turn(part, time - start))


def vector(a):
    """Returns the rotation as a vector along the axis. Its length is the angle in radians, below pi."""
    angle = math.acos(max(-1, min(1, (a[0][0] + a[1][1] + a[2][2] - 1) / 2)))
    factor = angle / (2 * math.sin(angle)) if angle > 1e-6 else 0.5
    return [factor * (a[2][1] - a[1][2]), factor * (a[0][2] - a[2][0]), factor * (a[1][0] - a[0][1])]


def angle_between(a, b):
    """Returns the angle of the rotation from one attitude to another, in degrees."""
    return math.degrees(math.hypot(*vector(multiply(transpose(a), b))))
