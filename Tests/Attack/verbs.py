# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The commands that read files, with the arguments for the attack."""

FORMATS = {"trace": "trace", "gpsd": "json", "nmea": "nmea", "gpx": "gpx", "xcode": "gpx", "kml": "kml",
           "geojson": "geojson", "csv": "csv", "iio": "iio", "mcap": "mcap"}
STREAMS = ["location", "heading", "attitude", "accelerometer", "gyro", "magnetometer", "pressure", "orientation",
           "accessories"]
TOPICS = ["gyro", "accelerometer", "mount", "magnetometer"]
FAULTS = ["nofix@1s+1s", "drop=0.3", "duplicate=0.3", "jitter=200ms", "loss@1s+1s", "restart@1s", "clockstep=-2s"]


class Use:
    """A run on a recording: its arguments, the file that it writes (or None), and the kind of its output for
    `plausible`."""

    def __init__(self, arguments, output=None, kind=None):
        self.arguments, self.output, self.kind = arguments, output, kind


def choose(chance, seed, path, folder, whole):
    """Returns a random use of a recording. `whole` is an undamaged recording for `merge`."""
    options = seed.options
    if seed.use == "route":
        return Use(["synthesize", path, "-", "--rate", "1"], kind="trace")
    if seed.use == "model":
        return Use(["field", "--latitude", "50", "--longitude", "6", "--date", "2026.5", "--json", "--model", path], kind="json")
    if seed.use == "accessory":
        return Use(["simulate", "accessory", path, "--", "true"])
    if seed.use == "configuration":
        return Use([chance.choice(("list", "doctor")), "--json"], kind="json")
    if seed.use == "expectation":
        return Use(["replay", *options, "location", "--expect", path])
    kind = chance.choices(
        ("info", "convert", "edit", "replay", "merge", "demo", "calibrate", "synthesize", "simulate"),
        (3, 8, 4, 8, 2, 1, 1, 1, 1))[0]
    if kind == "info":
        return Use(["info", path, *options, *chance.choice(([], ["--json"]))])
    if kind == "convert":
        return _written(chance, ["convert", path, *options], folder)
    if kind == "edit":
        verb = chance.choice((["cut", path, "--from", "0.5", "--to", "3"], ["scrub", path],
                              ["convert", path, "--fault", chance.choice(FAULTS), "--seed", "7"]))
        return _written(chance, [*verb, *options], folder)
    if kind == "merge":
        return _written(chance, ["merge", path, whole, "--align", "start", *options], folder, before="--output")
    if kind == "replay":
        form = chance.choice(("json", "json", None))
        return Use(["replay", path, chance.choice(STREAMS), *options, *(["--json"] if form else [])], kind=form)
    if kind == "demo":
        return Use(["demo", path])
    if kind == "calibrate":
        return Use(["calibrate", chance.choice(TOPICS), "--trace", path, *options])
    if kind == "synthesize":
        output = f"{folder}/out.trace"
        return Use(["synthesize", path, output, "--rate", "1"], output, "trace")
    servers = chance.choice((["gpsd", "--speed", "max", "--at-once"], ["iio", "--speed", "max"], ["accessory"], []))
    return Use(["simulate", *servers, path, *(options if servers != ["accessory"] else []), "--", "true"])


def _written(chance, arguments, folder, before=None):
    name = chance.choice(list(FORMATS))
    output = f"{folder}/out.{FORMATS[name]}"
    if chance.random() < 0.2 and name != "iio":
        return Use([*arguments, "--format", name, *([before] if before else []), "-"], kind=name)
    return Use([*arguments, "--format", name, *([before] if before else []), output], output, name)
