# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Detection of growth: a least-squares line through measurements, and the standard error of its slope."""
import math
import statistics


def slope(points):
    """Returns the slope through pairs of x and y, and its standard error."""
    count = len(points)
    middle_x = sum(x for x, _ in points) / count
    middle_y = sum(y for _, y in points) / count
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    if count < 3 or spread == 0:
        return 0.0, math.inf
    found = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread
    rest = sum((y - middle_y - found * (x - middle_x)) ** 2 for x, y in points)
    return found, math.sqrt(rest / (count - 2) / spread)


def grows(points, minimum):
    """Returns True if the slope is above `minimum` by more than twice its error, and a text with both values."""
    found, error = slope(points)
    return found - 2 * error > minimum, found, 2 * error


def lasting(points, parts=5):
    """Returns the median of the slopes of the given number of parts. A leak increases all parts, a single allocation
    only one."""
    size = max(1, len(points) // parts)
    return statistics.median(slope(points[start:start + size])[0] for start in range(0, size * parts, size))
