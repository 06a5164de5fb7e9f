# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Endless and huge input, shrinking files, and failing output: bounded memory, an error, no remaining files."""
import os
import shutil
import threading

import hostile
from findings import unlike
from mutated import open_bytes
from pipes import writer

GIGABYTE = 1 << 30
# All ways to read a file, with /dev/zero as the file.
READERS = {
    "info": ["info", "{}"], "convert": ["convert", "{}", "OUT/out.gpx"], "cut": ["cut", "{}", "OUT/out.trace"],
    "merge": ["merge", "{}", "SEED", "-o", "OUT/out.trace"], "scrub": ["scrub", "{}", "OUT/out.mcap"],
    "replay": ["replay", "{}", "location"], "columns": ["info", "{}", "--columns", "time=#1,lat=#2,lon=#3,header=no"],
    "synthesize": ["synthesize", "{}", "OUT/out.trace"], "model": ["field", "--latitude", "1", "--longitude", "2", "--model", "{}"],
    "expect": ["replay", "SEED", "location", "--expect", "{}"], "calibrate": ["calibrate", "--trace", "{}"],
    "demo": ["demo", "{}"], "gpsd": ["simulate", "gpsd", "{}", "--", "true"], "iio": ["simulate", "iio", "{}", "--", "true"],
    "accessory": ["simulate", "accessory", "{}", "--", "true"], "simulate": ["simulate", "{}", "--", "true"],
    "script": ["simulate", "accessory", "SCALE", "--", "TOOL", "talk", "Scale", "--script", "{}"], "configuration": ["list"],
}
# The beginning of an endless input, and the part that is repeated after it.
ENDLESS = {
    "zeros": (b"", b"\0" * 65536), "text": (b"", b"a" * 65536), "blank-lines": (b"", b"\n" * 65536),
    "gpx": (b"<gpx><trk><name>", b" " * 65536), "gpx-points": (b"<gpx><trk><trkseg>", b'<trkpt lat="1" lon="2"/>\n' * 2000),
    "context": (b'<?xml version="1.0"?><context name="a"><device id="', b"a" * 65536),
    "context-devices": (b'<context name="a">', b'<device id="d" name="n"></device>\n' * 2000),
    "table": (b"t,ax,ay,az\n", b"1,0,0,9.8\n" * 6000), "cell": (b"t,ax,ay,az\n1,0,0,", b"9" * 65536),
    "sentences": (b"", b"$GPGGA,092204.999,4250.5589,S,14718.5084,E,1,04,24.4,19.7,M,,,,0000*1F\r\n" * 800),
    "reports": (b"", b'{"class":"TPV","mode":3,"lat":1.5,"lon":2.5}\n' * 1400),
    "trace": (b'{"format":"device-services-trace","version":1}\n', b'{"t":1,"accelerometer":[0,0,9.8]}\n' * 1900),
    "mcap": (b"\x89MCAP0\r\n\x05" + b"\xff" * 7 + b"\x7f", b"a" * 65536),
    "device": (b"P: /devices/a\nE: A=", b"a" * 65536), "script": (b"d 0 /dev/a\nr 0 ", b"a" * 65536),
    "waypoints": (b"48,11\n", b"48,11,5\n48.1,11,6\n" * 3000),
}
SPARSE = {"gpx": b"<gpx><trk>", "context": b'<?xml version="1.0"?><context name="a">', "zeros": b"", "table": b"t,ax,ay,az\n1,0,0,9\n",
          "trace": b'{"format":"device-services-trace","version":1}\n', "mcap": b"\x89MCAP0\r\n"}
SHRINKING = {"trace": 70 << 20, "json": 70 << 20, "nmea": 70 << 20, "gpx": 8 << 20, "mcap": 70 << 20, "small": 8 << 20}


def prepare(attack, part):
    return {name: next(seed.path for seed in attack.seeds if seed.name == file)
            for name, file in (("SEED", "whole.trace"), ("SCALE", "scale.umockdev"))}


def cases(attack):
    return [*(f"path {name}" for name in READERS), *(f"endless {name}" for name in ENDLESS),
            *(f"sparse {name}" for name in SPARSE), "iiod 2147483647", "iiod 99999999999999999999", "iiod -5",
            *(f"shrinking {name}" for name in SHRINKING), *(f"full {name}" for name in ("file", "stdout", "limit"))]


def run_case(attack, part, case, prepared):
    folder = part.place(case.replace(" ", "-"))
    kind, _, name = case.partition(" ")
    before = len(part.findings)
    TOPICS[kind](attack, part, case, folder, name, prepared)
    left = unlike(folder, ["in", "input"])
    if left:
        part.find(case, f"did not remove {', '.join(left)}")
    if len(part.findings) == before:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        # Truncates large files, because the directory is kept.
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False) and entry.stat().st_size > 32 << 20:
                os.truncate(entry.path, 1 << 20)


def _words(attack, arguments, path, folder, prepared):
    names = {"{}": path, "TOOL": attack.tool.path, **prepared}
    return [names.get(word, word).replace("OUT/", folder + "/") for word in arguments]


def path(attack, part, case, folder, name, prepared):
    """A path of an endless file."""
    settings = {"DEVICE_SERVICES_CONFIG": "/dev/zero"} if name == "configuration" else None
    part.judge(case, attack.tool.run(_words(attack, READERS[name], "/dev/zero", folder, prepared), settings=settings))


def endless(attack, part, case, folder, name, prepared):
    """An endless pipe."""
    begin, block = ENDLESS[name]

    def blocks():
        yield begin
        for _ in range(2 * GIGABYTE // len(block)):
            yield block

    verb = ["synthesize", "-", os.path.join(folder, "out.trace")] if name == "waypoints" else ["info", "-"]
    with writer(os.path.join(folder, "in"), blocks) as fifo:
        # A gigabyte through a pipe takes longer.
        part.judge(case, attack.tool.run(verb, stdin=fifo, limit=6 * attack.tool.limit))


def sparse(attack, part, case, folder, name, prepared):
    """A file of one gigabyte that consists almost entirely of zeros."""
    path = hostile.write(os.path.join(folder, "in"), SPARSE[name])
    os.truncate(path, GIGABYTE)
    result = attack.tool.run(["convert", path, os.path.join(folder, "out.trace")], limit=4 * attack.tool.limit)
    part.judge(case, result)
    if result.status == 0:
        os.unlink(os.path.join(folder, "out.trace"))


def iiod(attack, part, case, folder, name, prepared):
    """An iiod that announces a context of this size, and sends as much as possible."""
    server = hostile.iiod(b'<?xml version="1.0"?><context name="a">', int(name))
    try:
        part.judge(case, attack.tool.run(["list"], settings={"DEVICE_SERVICES_IIO": f"ip:127.0.0.1:{server.port}"},
                                         limit=3 * attack.tool.limit))
    finally:
        server.close()


def shrinking(attack, part, case, folder, name, prepared):
    """A file that shrinks while it is read: the end is reported, and the program is not terminated."""
    path = os.path.join(folder, "in")
    begin, block = ENDLESS[{"json": "reports", "nmea": "sentences", "gpx": "gpx-points", "mcap": "mcap"}.get(name, "trace")]
    if name == "mcap":
        begin, block = begin[:8], b"\x0f\x04" + b"\0" * 11
        block *= 5000
    with open(path, "wb") as file:
        file.write(begin)
        for _ in range(SHRINKING[name] // len(block)):
            file.write(block)
    ours, theirs = os.pipe()
    run = attack.tool.start(["convert", path, "--format", "gpsd" if name in ("json", "nmea", "gpx") else "trace", "-"], stdout=theirs,
                            limit=4 * attack.tool.limit)
    os.close(theirs)

    counted = [0]

    def shrink():
        # The first part is in the pipe, and the tool is waiting for a reader or reading on.
        with open(ours, "rb", buffering=0) as pipe:
            counted[0] += pipe.read(1).count(b"\n")
            os.truncate(path, 1 << 20)
            for data in iter(lambda: pipe.read(1 << 16), b""):
                counted[0] += data.count(b"\n")

    thread = threading.Thread(target=shrink, daemon=True)
    thread.start()
    result = run.wait()
    thread.join(attack.tool.limit)
    part.judge(case, result)
    # Input that is not memory-mapped has been read before the file shrank.
    is_whole = begin.count(b"\n") + block.count(b"\n") * (SHRINKING[name] // len(block)) == counted[0]
    if result.status == 0 and not result.err and not is_whole:
        part.find(case, "read a file that shrank without reporting it", result)


def full(attack, part, case, folder, name, prepared):
    """A full disk: exit status 74, a reason, and no partial file."""
    whole = prepared["SEED"]
    formats = ("trace", "gpsd", "nmea", "gpx", "kml", "geojson", "csv", "mcap")
    for form in formats:
        if name == "file":
            result = attack.tool.run(["convert", whole, "/dev/full", "--format", form, "--overwrite"])
        elif name == "stdout":
            result = attack.tool.run(["convert", whole, "-", "--format", form], stdout="/dev/full")
        else:
            # Limited to half a kilobyte. The signal at the limit is ignored, as on a full disk.
            result = attack.tool.run(["convert", whole, os.path.join(folder, "out"), "--format", form],
                                     before=["sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"'])
        part.judge(case, result)
        big = name != "limit" or result.status != 0
        if big and result.status not in (73, 74):
            part.find(case, f"ended with {result.end} instead of 73 or 74 ({form})", result)
        if name == "limit" and result.status == 0:
            os.unlink(os.path.join(folder, "out"))
    for verb in (["info", whole], ["replay", whole, "location"], ["replay", whole, "gyro", "--json"], ["list"], ["rules"],
                 ["field", "--latitude", "1", "--longitude", "2"], ["demo", whole]):
        if name == "stdout":
            result = attack.tool.run(verb, stdout="/dev/full")
            part.judge(case, result)
            if result.status != 74:
                part.find(case, f"ended with {result.end} instead of 74", result)


TOPICS = {topic.__name__: topic for topic in (path, endless, sparse, iiod, shrinking, full)}
