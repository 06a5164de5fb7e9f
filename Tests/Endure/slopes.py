# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Whether something grows: a line of least squares through what was measured, and how sure its slope is."""
import math
import statistics


def slope(points):
    """The slope through pairs of x and y, and its standard error."""
    count = len(points)
    middle_x = sum(x for x, _ in points) / count
    middle_y = sum(y for _, y in points) / count
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    if count < 3 or spread == 0:
        return 0.0, math.inf
    found = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread
    rest = sum((y - middle_y - found * (x - middle_x)) ** 2 for x, y in points)
    return found, math.sqrt(rest / (count - 2) / spread)


def grows(points, least):
    """True when the slope is above `least` beyond doubt, and what to say of it: the figure and twice its error."""
    found, error = slope(points)
    return found - 2 * error > least, found, 2 * error


def lasting(points, parts=5):
    """The median of the slopes of so many parts: what leaks does so in all of them, what is taken once in one."""
    size = max(1, len(points) // parts)
    return statistics.median(slope(points[start:start + size])[0] for start in range(0, size * parts, size))
