#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The baseline for geocoding: PyPI's reverse_geocoder. Prints its results as one JSON object.

    reverse_geocoder_speed.py POINTS.TSV

Measures one place per call, which is the use on a device, and all places in one call, for which the package is designed.
"""
import json
import resource
import sys
import time
import unicodedata


def folded(text):
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in list(stream)[1:]]
    points = [(float(row[1]), float(row[2])) for row in rows]
    import reverse_geocoder
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    geocoder = reverse_geocoder.RGeocoder(mode=1, verbose=False)
    found = geocoder.query(points)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    countries = sum(f["cc"] == row[3] or (row[0] == "lake" and not row[3]) for f, row in zip(found, rows))
    cities = [(f, row) for f, row in zip(found, rows) if row[0] == "city"]
    localities = sum(folded(f["name"]) in (folded(row[5]), folded(row[6])) for f, row in cities)
    start = time.process_time()
    for _ in range(20):
        for point in points:
            geocoder.query([point])
    single = (time.process_time() - start) / 20 / len(points)
    start = time.process_time()
    for _ in range(20):
        geocoder.query(points * 10)
    batch = (time.process_time() - start) / 200 / len(points)
    print(json.dumps({"client": "reverse_geocoder", "mean_us": single * 1e6, "batch_us": batch * 1e6, "resident_kb": after - before,
                      "points": len(points), "countries": countries, "cities": len(cities), "localities": localities}))


if __name__ == "__main__":
    main()
