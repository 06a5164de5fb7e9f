# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Recordings in the notations of other programs: no point is lost, and every unreadable value is reported."""
import json
import os
import random
import re
import shutil

import seeds

# The recorded logs that are rewritten, and the number of points used from each.
LOGS = ("beidou-bd", "bt451", "foretrex-201", "hemi", "humminbird-M37", "isync", "tcp-torture", "ublox-8")
POINTS = 40
MAP = "time=t:iso,lat=lat,lon=lon,alt.msl=ele,speed=speed,hdop=hdop"


class Spelling:
    """A recording in one format and the change made to it. Its description is an argument of `--only spellings:…`."""

    def __init__(self, log, form, change):
        self.log, self.form, self.change = log, form, change

    def __str__(self):
        return f"{self.log}/{self.form}/{self.change}"


# --- The three formats, from the same points.

def _gpx(points):
    rows = "".join(
        f'<trkpt lat="{p["lat"]}" lon="{p["lon"]}"><ele>{p["ele"]}</ele><time>{p["time"]}</time><hdop>{p["hdop"]}</hdop>'
        f'<extensions><speed>{p["speed"]}</speed></extensions></trkpt>\n' for p in points)
    return f"<gpx><trk><trkseg>\n{rows}</trkseg></trk></gpx>\n"


def _table(points):
    rows = "".join(",".join(str(p[key]) for key in ("time", "lat", "lon", "ele", "speed", "hdop")) + "\n" for p in points)
    return "t,lat,lon,ele,speed,hdop\n" + rows


def _sentence(text):
    total = 0
    for byte in text.encode():
        total ^= byte
    return f"${text}*{total:02X}\r\n"


def _angle(value, digits, letters):
    if not isinstance(value, float):
        return f"{value},{letters[0]}"
    minutes = round(abs(value) * 60, 6)
    return f"{int(minutes // 60):0{digits}}{minutes % 60:09.6f},{letters[value < 0]}"


def _nmea(points):
    text = ""
    for p in points:
        date, _, time = str(p["time"]).partition("T")
        clock = time.rstrip("Z").replace(":", "") or p["time"]
        place = _angle(p["lat"], 2, "NS") + "," + _angle(p["lon"], 3, "EW")
        knots = p["speed"] if isinstance(p["speed"], str) else f'{p["speed"] * 3600 / 1852:.3f}'
        day = date[8:10] + date[5:7] + date[2:4]
        text += _sentence(f"GPRMC,{clock},A,{place},{knots},,{day},,,A")
        text += _sentence(f'GPGGA,{clock},{place},1,8,{p["hdop"]},{p["ele"]},M,0.0,M,,')
    return text


FORMS = {"gpx": ("in.gpx", _gpx, []), "table": ("in.csv", _table, ["--columns", MAP]), "nmea": ("in.nmea", _nmea, [])}


# --- The changes, each of which modifies the points in place.

def _whole_seconds(chance, points):
    for p in points:
        p["time"] = re.sub(r"\.[0-9]+", "", p["time"])


def _five_a_second(chance, points):
    for n, p in enumerate(points):
        p["time"] = f"2024-05-01T10:{n // 300:02}:{n // 5 % 60:02}Z"


def _one_time(chance, points):
    for p in points:
        p["time"] = "2024-05-01T10:00:00Z"


def _first_second(chance, points):
    for p in points:
        p["time"] = "1970-01-01T00:00:00Z"


def _point_of_1970(chance, points):
    chance.choice(points[1:])["time"] = "1970-01-01T00:00:00Z"


def _word(key, word):
    def change(chance, points):
        for p in chance.sample(points[1:], 3):
            p[key] = word
    return change


def _comma(key):
    def change(chance, points):
        for p in chance.sample(points[1:], 3):
            p[key] = f"{p[key]:.1f}".replace(".", ",")
    return change


# For each change: its function, the formats that it applies to, and the text that has to be reported, or None.
CHANGES = {
    "plain": (lambda chance, points: None, FORMS, None), "whole-seconds": (_whole_seconds, FORMS, None),
    "five-a-second": (_five_a_second, FORMS, b"spread"), "one-time": (_one_time, ("gpx", "table"), b"one second apart"),
    "first-second": (_first_second, ("gpx", "table"), b"clock that was not set"),
    "1970": (_point_of_1970, ("gpx", "table"), b"clock that was not set"),
    "high": (_word("ele", "high"), FORMS, b"high"), "fast": (_word("speed", "fast"), FORMS, b"fast"),
    "good": (_word("hdop", "good"), FORMS, b"good"), "comma-ele": (_comma("ele"), ("gpx", "nmea"), b"decimal comma"),
    "comma-speed": (_comma("speed"), ("gpx", "nmea"), b"decimal comma"),
    "noon": (_word("time", "noon"), ("gpx", "table"), b"noon"), "north": (_word("lat", "north"), FORMS, b"north"),
}
# The number of points that a change removes: a point without a latitude cannot be kept.
LOST = {"north": 3}


def prepare(attack, part):
    """The points of each log."""
    return {log: _points(attack, log) for log in LOGS}


def cases(attack):
    return [Spelling(log, form, change) for log in LOGS for change, (_, forms, _) in CHANGES.items() for form in forms]


def run_case(attack, part, case, points):
    folder = part.place(str(case).replace("/", "-"))
    chance = random.Random(f"{attack.seed} {case}")
    chosen = [dict(p) for p in points[case.log]]
    change, _, reported = CHANGES[case.change]
    change(chance, chosen)
    file, write, options = FORMS[case.form]
    path = os.path.join(folder, file)
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(write(chosen))
    before = len(part.findings)
    result = attack.tool.run(["convert", path, "--format", "trace", "-", *options])
    part.judge(case, result, is_data=True)
    found = {place for place in _fixes(result.out)}
    expected = len({(p["lat"], p["lon"]) for p in points[case.log]}) - LOST.get(case.change, 0)
    if result.status != 0 or len(found) < expected:
        part.find(case, f"output {len(found)} positions instead of {expected}", result)
    if reported and reported not in result.err:
        part.find(case, f"{reported.decode()} was not reported", result)
    if len(part.findings) == before:
        shutil.rmtree(folder, ignore_errors=True)


def _points(attack, log):
    """Points with fractional seconds and distinct positions."""
    path = os.path.join(seeds.TRACES, "gpsd", log + ".log")
    result = attack.tool.run(["convert", path, "--format", "trace", "-"])
    points, places = [], set()
    for number, place in enumerate(_fixes(result.out)):
        if place in places or len(points) >= POINTS:
            continue
        places.add(place)
        n = len(points)
        points.append({
            "lat": place[0], "lon": place[1], "ele": 100.5 + n, "speed": 1.5 + n % 7, "hdop": 0.9 + n % 3 / 10,
            "time": f"2024-05-01T10:{n // 60:02}:{n % 60:02}.250Z"})
    # Extends short logs to the north.
    while points and len(points) < POINTS:
        last = dict(points[-1])
        n = len(points)
        last.update(lat=round(last["lat"] + 0.0001, 7), ele=100.5 + n,
                    time=f"2024-05-01T10:{n // 60:02}:{n % 60:02}.250Z")
        points.append(last)
    return points


def _fixes(trace):
    """The positions of a trace, rounded to the resolution of NMEA sentences."""
    for line in trace.splitlines():
        report = json.loads(line).get("gpsd", {})
        if report.get("class") == "TPV" and report.get("mode", 0) >= 2:
            yield round(report["lat"], 7), round(report["lon"], 7)
