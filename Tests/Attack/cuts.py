# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Truncated recordings: no value that the complete recording does not contain, and no unreported loss."""
import json
import os
import random
import re
import shutil

from mutated import open_bytes

# Measured values of positions and motion. Counted values, such as satellites, may differ in a shorter recording.
MEASURED = {"lat", "lon", "altHAE", "altMSL", "alt", "speed", "track", "climb", "eph", "epv", "epx", "epy", "eps", "epd",
            "accelerometer", "gyroscope", "magnetometer", "pressure", "level", "in", "out"}
# The last row of a table is truncated at each byte. FEW is the number of truncations in other last lines and similar
# tables, ELSEWHERE the number of earlier ones in each recording.
FEW = 12
ELSEWHERE = 6
TWINS = ("table.txt", "logger-android", "Magnetometer.csv", "Battery.csv", "stamped.json", "log.gpx")
# The number of rows of the tables in seeds.py that are converted to libiio buffers.
SCANS = 24


class Cut:
    """A file of a seed, and its truncated size. The text form is the argument of `--only cuts:…`."""

    def __init__(self, seed, file, size, ends=b"\n"):
        self.seed, self.file, self.size, self.ends = seed, file, size, ends

    def __str__(self):
        return "/".join(filter(None, (self.seed.name, self.file, "crlf" if len(self.ends) > 1 else ""))) + f"@{self.size}"


def _chosen(seed):
    return seed.use == "recording" and seed.name not in ("walk.trace", "fido.script") and not seed.name.startswith("foxglove")


def _sizes(chance, seed, file, data):
    last = range(data.rfind(b"\n", 0, len(data) - 1) + 1, len(data))
    is_table = (file or seed.name).endswith(".csv") and seed.name not in TWINS and file not in TWINS
    return sorted({*(last if is_table else chance.sample(last, min(FEW, len(last)))),
                   *(chance.randrange(1, len(data)) for _ in range(ELSEWHERE))})


def _loses(seed, file, whole, size):
    """Returns whether the truncation leaves a detectably incomplete row or line, if the line counts."""
    if file.endswith(".bin"):
        return size % (len(whole) // SCANS) != 0
    if seed.name.endswith((".gpx", ".mcap", ".umockdev")):
        return True
    line = whole[:size].rpartition(b"\n")[2]
    # In a log with reports and sentences, the sentences do not count.
    return bool(line) and whole[size:size + 1] not in (b"\r", b"\n") and (seed.name != "hnr.log" or line.startswith(b"{"))


def prepare(attack, part):
    """Returns values, outputs and messages of the complete recordings, by seed."""
    wholes = {}
    for seed in filter(_chosen, attack.seeds):
        path = seed.copy(part.place("whole"))
        wholes[seed.name] = _read(attack, part, seed, path, seed.name)
    return wholes


def cases(attack):
    found = []
    for seed in filter(_chosen, attack.seeds):
        chance = random.Random(f"{attack.seed} cuts {seed.name}")
        for file in seed.files():
            path = os.path.join(seed.path, file) if file else seed.path
            if not os.path.isfile(path):
                continue
            data = open_bytes(path)
            # The files for Android resemble those for iOS.
            if seed.name == "logger-android" and file not in ("Location.csv", "TotalAcceleration.csv"):
                continue
            found += [Cut(seed, file, size) for size in _sizes(chance, seed, file, data)]
            if seed.name in ("si.csv", "plain.csv"):
                longer = len(data) + data.count(b"\n")
                found += [Cut(seed, file, longer - rest, b"\r\n") for rest in range(1, FEW)]
    return found


def run_case(attack, part, case, wholes):
    folder = part.place(str(case).replace("/", "-"))
    path = case.seed.copy(folder)
    target = os.path.join(path, case.file) if case.file else path
    whole = open_bytes(target).replace(b"\n", case.ends) if len(case.ends) > 1 else open_bytes(target)
    with open(target, "wb") as file:
        file.write(whole[:case.size])
    result, values, output, words = _read(attack, part, case.seed, path, case)
    _, whole_values, whole_output, whole_words = wholes[case.seed.name]
    good = True
    new = sorted(values - whole_values, key=str)
    # Without its reports, a log with both is read as sentences, which have more digits.
    if new and case.seed.name != "hnr.log":
        good = part.find(case, f"output values that the complete recording does not contain: {new[:3]}", result)
    is_told = result.status != 0 or words - whole_words
    if output != whole_output and not is_told and _loses(case.seed, case.file, whole, case.size):
        good = part.find(case, "lost data without reporting it", result, whole[max(case.size - 80, 0):case.size])
    if good:
        shutil.rmtree(folder, ignore_errors=True)


def _read(attack, part, seed, path, case):
    result = attack.tool.run(["convert", path, "--format", "trace", "-", *seed.options])
    part.judge(case, result, is_data=True)
    values, output = set(), []
    for line in result.out.splitlines():
        event = json.loads(line)
        if "format" not in event:
            output.append(line)
            values.update(_values(event))
    # Remarks that differ only in their numbers are equal.
    words = {re.sub(r"[0-9]+", "#", line.replace(path, "FILE")) for line in result.err.decode(errors="replace").splitlines()}
    return result, values, output, words


def _values(value, name=""):
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _values(member, key)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _values(member, name if isinstance(member, dict) else (name, index))
    elif (name[0] if isinstance(name, tuple) else name) in MEASURED:
        yield name, value
