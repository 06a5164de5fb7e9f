# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The trace that is shown, and the output of `sensorctl replay --json` for it."""
import bisect
import datetime
import json
import os
import subprocess

HOSTILE = '<img src=x onerror="document.title=1"><b>Scale</b>\u202e\u0000\u001b[31m"\'&amp;'
# : The time in seconds during which the accelerometer and gyroscope of the trace have no readings.
GAP = (100.0, 106.0)


def tool_output(tool, *arguments):
    done = subprocess.run([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 69):
        raise AssertionError(f"sensorctl {' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()[-400:]}")
    return done.stdout


def make_drive(tool, traces, folder):
    """A drive of five and a half minutes: recorded positions and sky reports, consistent motion, a dialogue with a scale, an
    accessory with a hostile name, a tunnel, and a gap of two sensors."""
    road = os.path.join(traces, "synthetic", "mountain-road.json")
    motion, drive = os.path.join(folder, "motion.trace"), os.path.join(folder, "drive.trace")
    tool_output(tool, "synthesize", road, motion, "--imu", "mpu6050", "--fix-rate", "0", "--level", "--overwrite")
    hostile = os.path.join(folder, "hostile.trace")
    with open(os.path.join(traces, "udev", "weigh-scale.trace"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        if "attach" in line:
            line["attach"]["name"] = HOSTILE
    with open(hostile, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    tool_output(tool, "merge", road, motion, hostile, os.path.join(traces, "udev", "weigh-scale.trace"), "--align", "start",
                "-o", drive)
    with open(drive, encoding="utf-8") as file:
        kept = [line for line in file if not _silent(line)]
    with open(drive, "w", encoding="utf-8") as file:
        file.writelines(kept)
    return drive


def _silent(line):
    if '"accelerometer":' not in line and '"gyroscope":' not in line or not line.startswith('{"t":'):
        return False
    return GAP[0] <= json.loads(line)["t"] < GAP[1]


class Expected:
    """The callbacks of a trace, by stream, with their times in seconds of the trace."""

    def __init__(self, tool, trace):
        self.tool, self.trace = tool, trace
        with open(trace, encoding="utf-8") as file:
            header = json.loads(file.readline())
            self.sky = []
            for line in file:
                if '"SKY"' in line:
                    self.sky.append((json.loads(line)["t"], json.loads(line)["gpsd"]))
        self.start = _moment(header["start"]["utc"])
        self.boot = header["start"].get("boot") or 0.0
        self.cache = {}

    def lines(self, stream, *options):
        key = (stream, *options)
        if key not in self.cache:
            text = tool_output(self.tool, "replay", self.trace, stream, "--json", *options).decode()
            self.cache[key] = [json.loads(line) for line in text.splitlines()]
        return self.cache[key]

    def fixes(self):
        """Returns times in seconds, and locations."""
        return [((_moment(location["timestamp"]) - self.start).total_seconds(), location)
                for line in self.lines("location") if line["callback"] == "didUpdateLocations"
                for location in line["locations"]]

    def rows(self, stream, *keys, options=()):
        """Returns times in seconds, and values of a motion stream. A key is a name, or a name and an index."""
        since_boot = stream in ("accelerometer", "gyro", "magnetometer", "pressure")
        rows = []
        for line in self.lines(stream, *options):
            if line["callback"] == "error" or "timestamp" not in line:
                continue
            time = line["timestamp"] - (self.boot if since_boot else 0)
            rows.append((time, [line[key] if isinstance(key, str) else line[key[0]][key[1]] for key in keys]))
        return rows


def at(rows, time):
    """Returns the row at this time, or the last one before it."""
    index = bisect.bisect_right([row[0] for row in rows], time + 1e-4) - 1
    return rows[index] if index >= 0 else None


def _moment(text):
    text = text.replace("Z", "")
    head, _, fraction = text.partition(".")
    moment = datetime.datetime.fromisoformat(head)
    return moment + datetime.timedelta(seconds=float("0." + fraction) if fraction else 0)
