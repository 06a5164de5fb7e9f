# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The goals of the benchmarks and the results of a run: one row per measured figure."""

AT_MOST, AT_LEAST = "at most", "at least"

# The figures with a goal. Ratios are relative to the C program (for declination and field: GeographicLib).
GOALS = {
    "gpsd at 100 Hz, CPU": (AT_MOST, 1.6, "of C's"),
    "gpsd at 100 Hz, p50": (AT_MOST, 1.3, "of C's"),
    "gpsd at 1 kHz, CPU": (AT_MOST, 1.3, "of C's"),
    "gpsd at 1 kHz, p50": (AT_MOST, 1.1, "of C's"),
    "gpsd at 1 Hz, wake-ups": (AT_MOST, 1.2, "a report"),
    "IIO at 100 Hz, CMMotionManager, CPU": (AT_MOST, 1.8, "of C's"),
    "IIO at 100 Hz, CMMotionManager, p50": (AT_MOST, 1.3, "of C's"),
    "IIO buffer 4096, samples a second": (AT_LEAST, 1.0, "of C's"),
    "IIO buffer 1, CPU": (AT_MOST, 1.05, "of C's"),
    "IIO buffer 16, CPU": (AT_MOST, 1.05, "of C's"),
    "IIO buffer 256, CPU": (AT_MOST, 1.05, "of C's"),
    "flood of full TPV, CPU": (AT_MOST, 0.22, "of C's"),
    "flood of SKY 12, CPU": (AT_MOST, 0.22, "of C's"),
    "flood of SKY 40, CPU": (AT_MOST, 0.22, "of C's"),
    "declination": (AT_MOST, 0.10, "of C's"),
    "field with yearly change": (AT_MOST, 0.12, "of C's"),
    "an hour of nine axes": (AT_MOST, 0.45, "s"),
    "locations in virtual time": (AT_LEAST, 1.5e6, "a second"),
    "idle, silent gpsd, wake-ups": (AT_MOST, 0, "a minute"),
    "static Core Location, resident": (AT_MOST, 12, "MiB"),
    "static Core Location with LibGPS": (AT_MOST, 13, "MiB"),
    "accessory echo": (AT_MOST, 1.3, "of C's"),
    "accessory bulk": (AT_LEAST, 0.9, "of C's"),
    "accessory echo, busy": (AT_MOST, 1.3, "of C's"),
    "accessory bulk, busy": (AT_LEAST, 0.9, "of C's"),
}

_figures = {}


def reached(name, value):
    """Records a figure. A name without a goal is a programming error."""
    GOALS[name]
    _figures[name] = value


def report():
    """Prints the figures of this run and their goals."""
    if not _figures:
        return
    held = 0
    print("\nFigures beside their goals\n")
    for name, (sense, goal, unit) in GOALS.items():
        if name not in _figures:
            continue
        value = _figures[name]
        holds = value <= goal if sense == AT_MOST else value >= goal
        held += holds
        print(f"{name:37} {value:12,.2f} {unit:9} {sense} {goal:12,.2f}   {'holds' if holds else 'missed'}")
    print(f"{held} of {len(_figures)} hold.")
