#!/usr/bin/python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The Python baseline: gpsd's own module. Prints its results as one JSON object.

    gps_client.py PORT [paced]

CPU is user + system time from the first report on. Latency (only with "paced"): see gpsd-flood.c.
"""
import json
import resource
import sys
import time

import gps


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_memory():
    # ru_maxrss could be that of the parent process, if larger.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def main():
    paced = "paced" in sys.argv[2:]
    session = gps.gps(host="127.0.0.1", port=sys.argv[1], mode=gps.WATCH_ENABLE | gps.WATCH_JSON)
    tpv = sky = 0
    wall = used = total = 0.0
    latencies = []
    last = None
    while session.read() == 0:
        if session.data is last:  # read() also returns 0 for an incomplete line
            continue
        last = session.data
        kind = last["class"]
        if kind not in ("TPV", "SKY"):
            continue
        if tpv + sky == 0:
            wall, used = time.monotonic(), cpu()
        if kind == "SKY":
            sky += 1
            total += session.satellites[0].ss
            continue
        tpv += 1
        total += session.fix.latitude + session.fix.longitude
        if paced:
            sent = round((session.fix.latitude - 48.1) * 1e9) * 10
            latencies.append((time.monotonic_ns() - sent) % 1000000000 / 1000)
    wall, used = time.monotonic() - wall, cpu() - used
    reports = tpv + sky
    result = {
        "client": "python3-gps " + gps.__version__,
        "reports": reports,
        "tpv": tpv,
        "sky": sky,
        "wall_s": round(wall, 4),
        "cpu_s": round(used, 4),
        "cpu_us_per_report": round(used * 1e6 / max(reports, 1), 3),
        "reports_per_s": round(reports / wall),
        "max_rss_kb": peak_memory(),
    }
    if latencies:
        latencies.sort()
        count = len(latencies)
        result["latency_us"] = {
            "p50": round(latencies[count // 2], 1),
            "p90": round(latencies[count * 9 // 10], 1),
            "p99": round(latencies[count * 99 // 100], 1),
            "max": round(latencies[-1], 1),
        }
    print(json.dumps(result))


main()
