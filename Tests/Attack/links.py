# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Links of every kind in output paths, before and during writing: their targets remain unmodified."""
import contextlib
import hashlib
import os
import shutil
import signal
import stat
import time

import hostile
from mutated import open_bytes
from seeds import TRACES

KINDS = ["file", "folder", "dangling", "hard"]
# Commands that write a file, with their input: a file, or the gpsd for `record`.
WRITERS = {
    "convert": ["convert", "IN", "OUT"], "gpx": ["convert", "IN", "OUT", "--format", "gpx"],
    "iio": ["convert", "IN", "OUT", "--format", "iio"], "cut": ["cut", "IN", "OUT", "--format", "csv"],
    "merge": ["merge", "IN", "IN", "-o", "OUT", "--format", "mcap"], "scrub": ["scrub", "IN", "OUT", "--format", "nmea"],
    "synthesize": ["synthesize", "IN", "OUT", "--rate", "10"], "record": ["record", "OUT", "--duration", "0.2", "--parts", "position"],
    "ring": ["record", "OUT", "--ring", "5s", "--after", "1s", "--on", "end", "--duration", "0.2", "--parts", "position"],
    "talk": ["simulate", "accessory", "SCALE", "--", "TOOL", "talk", "Scale", "--record", "OUT", "--wait", "0.1"],
    "expected": ["replay", "IN", "location", "--expect", "OUT", "--update-expected"],
    "calibrate": ["calibrate", "mount", "--trace", "POSES", "--output", "OUT"],
}
# Paths that a user specifies may be intended: --overwrite and similar options follow the user's own links.
FOLLOWING = ("expected", "calibrate")
RING_NAMES = [".ring", ".ring.part", ".ring-former.part", ".ring-damaged.trace"]
# Commands that read delayed input, so that a link can be planted while they run.
PLANTED = {"convert": ["convert", "IN", "OUT"], "csv": ["convert", "IN", "OUT", "--format", "csv"],
           "scrub": ["scrub", "IN", "OUT"], "cut": ["cut", "IN", "OUT", "--format", "mcap"], "synthesize": ["synthesize", "IN", "OUT"]}


def prepare(attack, part):
    seeds = {seed.name: seed.path for seed in attack.seeds}
    return {"IN": seeds["whole.trace"], "SCALE": seeds["scale.umockdev"], "TOOL": attack.tool.path,
            "POSES": os.path.join(TRACES, "motion", "six-poses.trace")}


def cases(attack):
    found = [f"{verb} {kind} {how}" for verb in WRITERS for kind in KINDS for how in ("new", "overwrite")]
    found += [f"ring-{name} {kind} {how}" for name in RING_NAMES for kind in KINDS for how in ("folder", "path", "left")]
    return found + [f"planted-{verb} {kind} {how}" for verb in PLANTED for kind in KINDS for how in ("new", "overwrite")]


def snapshot(folder):
    """Returns the contents of a directory, to detect any change."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            status = os.lstat(path)
            data = open_bytes(path) if stat.S_ISREG(status.st_mode) else b""
            found[os.path.relpath(path, folder)] = (
                status.st_mode, status.st_uid, status.st_ino, status.st_mtime_ns, hashlib.sha256(data).hexdigest())
    return found


def victims(folder):
    """Creates a directory of another user that contains the files of a ring."""
    precious = os.path.join(folder, "precious")
    os.makedirs(os.path.join(precious, "inside"))
    header = '{"format":"device-services-trace","version":1,"ring":{"segment":1,"state":0}}\n'
    for name in ("file", "00000001.trace", "1.trace", "000000000001.trace", "inside/file"):
        hostile.write(os.path.join(precious, name), header + '{"t":1,"pressure":95}\n')
    return precious


def plant(path, kind, precious):
    """Creates a link at the path. Root acts as the other user here."""
    if kind == "hard":
        os.link(os.path.join(precious, "file"), path)
        return
    os.symlink({"file": os.path.join(precious, "file"), "folder": precious,
                "dangling": os.path.join(precious, "new")}[kind], path)
    if os.geteuid() == 0:
        os.lchown(path, 65534, 65534)


def run_case(attack, part, case, prepared):
    place = part.place(case.replace(" ", "-"))
    verb, kind, how = case.split(" ")
    shared = os.path.join(place, "shared")
    os.mkdir(shared)
    os.chmod(shared, 0o777)
    precious = victims(place)
    before = snapshot(precious)
    count = len(part.findings)
    if verb.startswith("ring-"):
        result = _ring(attack, part, case, shared, precious, verb[5:], kind, how, prepared)
    elif verb.startswith("planted-"):
        result = _planted(attack, part, case, shared, precious, verb[8:], kind, how, prepared)
    else:
        result = _named(attack, part, case, shared, precious, verb, kind, how, prepared)
    after = snapshot(precious)
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if changed:
        part.find(case, f"changed the target of a link: {', '.join(changed)}", result)
    if len(part.findings) == count:
        shutil.rmtree(place, ignore_errors=True)


def _words(words, out, prepared, more=()):
    return [{"OUT": out, **prepared}.get(word, word) for word in words] + list(more)


@contextlib.contextmanager
def _receiver():
    server = hostile.gpsd("x")
    try:
        yield {"DEVICE_SERVICES_GPSD": f"gpsd://127.0.0.1:{server.port}"}
    finally:
        server.close()


def _named(attack, part, case, shared, precious, verb, kind, how, prepared):
    """The link exists before the run, with the name of the output."""
    out = os.path.join(shared, "out.trace")
    plant(out, kind, precious)
    words = WRITERS[verb]
    # An option of `record` must precede the other arguments.
    more = ["--overwrite"] if how == "overwrite" and verb not in FOLLOWING else []
    # Without root privileges, the links belong to the user who runs the tool, and so do their targets.
    if os.geteuid() != 0 and (kind == "folder" or more or verb in FOLLOWING) or kind == "hard" and verb in FOLLOWING:
        return None
    with _receiver() as settings:
        result = attack.tool.run(_words(words, out, prepared, more), settings=settings)
    part.judge(case, result)
    if how == "new" and verb not in FOLLOWING and result.status not in (73, 74, 64) and not (verb == "ring"):
        part.find(case, f"ended with {result.end} although the output path is a link", result)
    return result


def _ring(attack, part, case, shared, precious, name, kind, how, prepared):
    """A link with a name that a ring uses, before it begins or after it was killed."""
    target = shared + "/" if how == "folder" else os.path.join(shared, "box.trace")
    path = os.path.join(shared, name if how == "folder" else "box.trace" + name)
    words = ["record", target, "--ring", "5s", "--after", "1s", "--on", "end", "--parts", "position", "--json"]
    with _receiver() as settings:
        if how == "left":
            run = attack.tool.start(words, settings=settings)
            run.wait_until(lambda run: b"started" in run.out)
            run.kill(signal.SIGKILL)
            run.wait()
        if not os.path.lexists(path):
            plant(path, kind, precious)
        result = attack.tool.run([*words, "--duration", "0.2"], settings=settings)
    part.judge(case, result)
    return result


def _planted(attack, part, case, shared, precious, verb, kind, how, prepared):
    """The link is created while the output is written."""
    out = os.path.join(shared, "out.trace")
    data = open_bytes(prepared["IN"])
    more = ["--overwrite"] if how == "overwrite" else []
    if more and os.geteuid() != 0 and kind != "hard":
        return None
    ours, theirs = os.pipe()
    run = attack.tool.start(_words(PLANTED[verb], out, {**prepared, "IN": "-"}, more), stdin=ours)
    os.close(ours)
    with contextlib.suppress(BrokenPipeError), open(theirs, "wb", buffering=0) as pipe:
        # The tool has checked the name of its output when it reads its input, which cannot be observed.
        time.sleep(0.3)
        pipe.write(data[:len(data) // 2])
        plant(out, kind, precious)
        pipe.write(data[len(data) // 2:])
    result = run.wait()
    part.judge(case, result)
    if result.status == 0 and how == "new":
        part.find(case, "ended with 0 although a link replaced the output path", result)
    return result
