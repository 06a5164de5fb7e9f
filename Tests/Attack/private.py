# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Recordings are private: files are created with mode 0600 and directories with 0700."""
import os
import shutil
import signal

import hostile
import verbs
from links import WRITERS, prepare  # noqa: F401, which attack.py calls

OPEN = ["sh", "-c", 'umask 0; exec "$0" "$@"']


def cases(attack):
    return [*(f"{verb} {mode}" for verb in WRITERS if verb != "ring" for mode in ("own", "0644")),
            *(f"{form} own" for form in verbs.FORMATS), "ring own", "replaced own"]


def run_case(attack, part, case, prepared):
    folder = part.place(case.replace(" ", "-"))
    verb, mode = case.split(" ")
    out = os.path.join(folder, "new")
    os.mkdir(out)
    before = len(part.findings)
    server = hostile.gpsd("x")
    settings = {"DEVICE_SERVICES_GPSD": f"gpsd://127.0.0.1:{server.port}"}
    try:
        if verb == "ring":
            result = _ring(attack, part, case, out, settings)
        elif verb == "replaced":
            result = _replaced(attack, part, case, out, prepared)
        else:
            words = WRITERS.get(verb) or ["convert", "IN", "OUT", "--format", verb]
            words = [{"OUT": os.path.join(out, "out.trace"), **prepared}.get(word, word) for word in words]
            result = attack.tool.run([*words, *(["--mode", "644"] if mode != "own" else [])], settings=settings, before=OPEN)
            part.judge(case, result)
            # Not all commands have the option.
            if mode != "own" and result.status == 64 and b"--mode" in result.err:
                mode = "own"
    finally:
        server.close()
    if result:
        # A calibration does not reveal a position. Its mode is that of the user's other files, here without a umask.
        own = 0o666 if verb == "calibrate" else 0o600
        _modes(part, case, out, {"own": own, "0644": 0o644}[mode], result)
    if len(part.findings) == before:
        shutil.rmtree(folder, ignore_errors=True)


def _modes(part, case, folder, expected, result):
    for root, folders, files in os.walk(folder):
        for name in files + folders:
            mode = os.lstat(os.path.join(root, name)).st_mode & 0o777
            wanted = expected if name in files else 0o700 if expected == 0o600 else 0o755
            if mode != wanted:
                part.find(case, f"created {name} with mode {mode:04o} instead of {wanted:04o}", result)


def _ring(attack, part, case, out, settings):
    """The directory of a ring and its segments, during recording."""
    run = attack.tool.start(["record", out + "/", "--ring", "5s", "--after", "1s", "--on", "end", "--parts", "position", "--json"],
                            settings=settings, before=OPEN)
    run.wait_until(lambda run: b"started" in run.out)
    names = os.listdir(out)
    if names != [".ring"] or os.lstat(os.path.join(out, ".ring")).st_mode & 0o777 != 0o700:
        part.find(case, f"the ring's directory does not have mode 0700, or has siblings: {names}")
    for entry in os.scandir(os.path.join(out, ".ring")) if names else ():
        if entry.stat().st_mode & 0o777 != 0o600:
            part.find(case, f"{entry.name} has mode {entry.stat().st_mode & 0o777:04o}")
    run.kill(signal.SIGTERM)
    result = run.wait()
    part.judge(case, result)
    return result


def _replaced(attack, part, case, out, prepared):
    """A replaced file keeps the mode that its owner set."""
    path = hostile.write(os.path.join(out, "out.trace"), "")
    os.chmod(path, 0o640)
    result = attack.tool.run(["convert", prepared["IN"], path, "--overwrite"], before=OPEN)
    part.judge(case, result)
    mode = os.lstat(path).st_mode & 0o777
    if mode != 0o640:
        part.find(case, f"replaced a file of mode 0640 by one of {mode:04o}", result)
    return None
