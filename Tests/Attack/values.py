# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Impossible numbers in every format of positions and motion: they are omitted and reported."""
import os
import shutil

import hostile
import plausible

# A quantity, and its impossible values.
IMPOSSIBLE = {
    "lat": ["91", "-1e300", "1e308"], "lon": ["181", "1e300"], "height": ["1e308", "-1e30", "1e7"],
    "speed": ["1e300", "-5", "1e6"], "course": ["1e300", "1e9"], "error": ["0", "1e308", "-3", "1e300"],
}
USUAL = {"lat": "48.5", "lon": "11.5", "height": "520", "speed": "3.5", "course": "90", "error": "5"}
FORMATS = {
    "gpsd": ("in.json", '{{"class":"TPV","device":"a","mode":3,"time":"2026-05-01T10:00:0{n}.000Z","lat":{lat},"lon":{lon},'
             '"altMSL":{height},"altHAE":{height},"speed":{speed},"climb":{speed},"track":{course},"eph":{error},"epx":{error},'
             '"epy":{error},"epv":{error}}}\n', "", []),
    "trace": ("in.trace", '{{"t":{n},"gpsd":{{"class":"TPV","mode":3,"time":"2026-05-01T10:00:0{n}.000Z","lat":{lat},"lon":{lon},'
              '"altMSL":{height},"speed":{speed},"track":{course},"eph":{error},"epv":{error}}}}}\n',
              '{"format":"device-services-trace","version":1}\n', []),
    "gpx": ("in.gpx", '<trkpt lat="{lat}" lon="{lon}"><ele>{height}</ele><time>2026-05-01T10:00:0{n}Z</time><extensions><speed>'
            "{speed}</speed><course>{course}</course><hacc>{error}</hacc><vacc>{error}</vacc></extensions></trkpt>\n",
            "<gpx><trk><trkseg>\n", []),
    "table": ("in.csv", "{n},{lat},{lon},{height},{speed},{course},{error}\n", "t,lat,lon,h,v,c,e\n",
              ["--columns", "time=t,lat=lat,lon=lon,alt.msl=h,speed=v,course=c,acc.h=e,acc.v=e"]),
    "phyphox": ("in.csv", "{n},{lat},{lon},{height},{speed},{course},{error},{error}\n",
                '"Time (s)","Latitude (°)","Longitude (°)","Altitude (m)","Velocity (m/s)","Direction (°)","Horizontal Accuracy (m)",'
                '"Vertical Accuracy (m)"\n', []),
}
# Quantities that only some formats contain, and formats in which a sign or 0 means unknown.
UNKNOWN = {("table", "speed", "-5"), ("table", "error", "-3"), ("table", "course", "-1"), ("phyphox", "error", "-3"),
           ("phyphox", "error", "0"), ("gpx", "error", "-3"), ("gpx", "error", "0"), ("table", "error", "0")}
ACCELERATIONS = ["1e300", "1e10", "-1e308"]


def prepare(attack, part):
    return None


def cases(attack):
    found = [f"{form} {name} {value}" for form in FORMATS for name, values in IMPOSSIBLE.items() for value in values]
    return [*found, *(f"motion {kind} {value}" for kind in ("trace", "csv") for value in ACCELERATIONS)]


def run_case(attack, part, case, _):
    folder = part.place(case.replace(" ", "-"))
    form, name, value = case.split(" ")
    before = len(part.findings)
    if form == "motion":
        _motion(attack, part, case, folder, name, value)
    else:
        file, row, head, options = FORMATS[form]
        rows = [row.format(n=n, **{**USUAL, **({name: value} if n == 2 else {})}) for n in range(1, 5)]
        end = "</trkseg></trk></gpx>" if form == "gpx" else ""
        path = hostile.write(os.path.join(folder, file), head + "".join(rows) + end)
        reported = _outputs(attack, part, case, folder, path, options)
        if not reported and (form, name, value) not in UNKNOWN:
            part.find(case, "no command reported the invalid number")
    if len(part.findings) == before:
        shutil.rmtree(folder, ignore_errors=True)


def _outputs(attack, part, case, folder, path, options):
    """Checks the result. Returns True if the value was reported."""
    reported = False
    for arguments, kind in ((["replay", path, "location", "--json"], "json"), (["convert", path, "-", "--format", "gpx"], "gpx"),
                            (["convert", path, "-", "--format", "nmea"], "nmea"), (["info", path, "--json"], "json")):
        result = attack.tool.run([*arguments, *options])
        part.judge(case, result, is_data=kind != "json")
        found = plausible.wrong(kind, result.out) if result.status == 0 else None
        if found:
            part.find(case, f"the output {found}", result, result.out)
        reported |= any(word in result.err for word in (b"cannot be", b"skipped", b"omitted", b"impossible", b"not a ", b"unknown", b"range"))
    return reported


def _motion(attack, part, case, folder, kind, value):
    """An acceleration beyond the range of all sensors is omitted with a warning."""
    if kind == "trace":
        rows = "".join(f'{{"t":{n},"accelerometer":[0,{value if n == 2 else 0},9.8]}}\n' for n in range(5))
        path = hostile.write(os.path.join(folder, "in.trace"), '{"format":"device-services-trace","version":1}\n' + rows)
    else:
        rows = "".join(f"{n},0,{value if n == 2 else 0},9.8\n" for n in range(5))
        path = hostile.write(os.path.join(folder, "in.csv"), "t,ax,ay,az\n" + rows)
    result = attack.tool.run(["replay", path, "accelerometer", "--json"])
    part.judge(case, result)
    if result.status == 0 and (value.lstrip("-").encode() in result.out.replace(b"e+", b"e") or not result.err):
        part.find(case, "an invalid acceleration was delivered, or omitted without a warning", result)
