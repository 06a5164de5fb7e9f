#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs a client against gpsd-flood in every mode and prints its output, one JSON object per line.

    measure.py [--repeat 3] [--scale 1.0] [--mode MODE]... CLIENT [ARGUMENT]...

The port is appended to the client's arguments, followed by "paced" in modes that measure latency.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {  # name: (mode, reports, reports per second)
    "tpv-short": ("tpv-short", 200000, 0),
    "tpv-full": ("tpv-full", 200000, 0),
    "sky12": ("sky12", 100000, 0),
    "sky40": ("sky40", 30000, 0),
    "mixed": ("mixed", 100000, 0),
    "paced-100": ("tpv-full", 300, 100),
    "paced-1000": ("tpv-full", 3000, 1000),
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--scale", type=float, default=1.0, help="of the number of reports in the unpaced modes")
    options.add_argument("--mode", action="append", choices=list(MODES))
    options.add_argument("client", nargs=argparse.REMAINDER)
    given = options.parse_args()
    for name in given.mode or MODES:
        mode, count, rate = MODES[name]
        if rate == 0:
            count = max(1, int(count * given.scale))
        for _ in range(given.repeat):
            command = [os.path.join(HERE, "gpsd-flood"), "--mode", mode, "--count", str(count), "--rate", str(rate)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
                try:
                    port = server.stdout.readline().split()[1]
                    run = subprocess.run(
                        given.client + [port] + (["paced"] if rate else []), stdout=subprocess.PIPE, text=True, timeout=300
                    )
                    result = {"mode": name, "sent": count, **json.loads(run.stdout)}
                    if result["reports"] != count:
                        result["lost"] = count - result["reports"]
                    print(json.dumps(result), flush=True)
                finally:
                    server.kill()


sys.exit(main())
