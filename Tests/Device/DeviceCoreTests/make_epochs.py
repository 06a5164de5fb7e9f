#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Writes epochs.tsv: the expected report of each epoch in gpsd's corpus, determined without this package.

The TPV lines of each .chk file are processed in order. Successive lines with the same time form an epoch. A line without a
time is an epoch of its own and does not affect the previous one. Each epoch is one row: its last fix (mode 2 or 3 with lat
and lon), or its last line if it has no fix. The row contains the line number in the file, and the first line at which the
receiver was known to send two lines with one time.

Columns: file, line number of the row, "fix" or "none", first and last line number of the epoch's TPVs.
"""
import json
import pathlib

here = pathlib.Path(__file__).resolve().parent
traces = here / "../../../Simulators/Traces/gpsd"


def positions(path):
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.startswith(b"{"):
            continue
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if report.get("class") == "TPV":
            yield number, report


def has_fix(report):
    return report.get("mode", 0) >= 2 and "lat" in report and "lon" in report


with open(here / "epochs.tsv", "w") as out:
    for path in sorted(traces.glob("*.chk")):
        epochs, current = [], None
        for number, report in positions(path):
            time = report.get("time")
            if time is not None and current is not None and current["time"] == time:
                current["rows"].append((number, report))
            elif time is None:
                epochs.append({"time": None, "rows": [(number, report)]})
            else:
                current = {"time": time, "rows": [(number, report)]}
                epochs.append(current)
        for epoch in epochs:
            rows = epoch["rows"]
            fixes = [number for number, report in rows if has_fix(report)]
            chosen = fixes[-1] if fixes else rows[-1][0]
            print(path.name, chosen, "fix" if fixes else "none", rows[0][0], rows[-1][0], sep="\t", file=out)
