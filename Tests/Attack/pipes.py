# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Recordings through all kinds of pipes: the result is that of the file, even if the writer starts later."""
import contextlib
import os
import re
import shutil
import signal
import threading
import time

from mutated import open_bytes

KINDS = ["stdin", "dash", "substitution", "fifo", "late-fifo", "pieces"]
# The other part of an umockdev recording is a file next to it, which does not exist for a pipe.
BESIDE = (".umockdev", ".script")


@contextlib.contextmanager
def writer(path, data, late=False, pieces=False):
    """A FIFO, and the writer of its data. The data is bytes, or a function that yields blocks."""
    os.mkfifo(path)

    def write():
        try:
            if late:
                # The test cannot observe that a process waits in open().
                time.sleep(0.3)
            with open(path, "wb", buffering=0) as file:
                blocks = data() if callable(data) else [data]
                if pieces:
                    blocks = [data[at:at + 97] for at in range(0, len(data), 97)]
                for block in blocks:
                    file.write(block)
        except (BrokenPipeError, FileNotFoundError):
            pass

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield path
    finally:
        # A writer whose output has not been read is still waiting; a writer with remaining data finds its reader
        # closed.
        while thread.is_alive():
            with contextlib.suppress(FileNotFoundError):
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            thread.join(0.05)


def prepare(attack, part):
    return None


def cases(attack):
    seeds = [seed for seed in attack.seeds if not seed.is_folder]
    found = [f"{seed.name} {kind}" for seed in seeds for kind in KINDS]
    return [*found, *(f"no-writer {number}" for number in ("SIGINT", "SIGTERM")), "late merge", "empty writer"]


def run_case(attack, part, case, _):
    folder = part.place(case.replace(" ", "-"))
    name, _, kind = case.partition(" ")
    before = len(part.findings)
    if name == "no-writer":
        _without_writer(attack, part, case, folder, signal.Signals[kind])
    elif name in ("late", "empty"):
        _merge(attack, part, case, folder)
    else:
        _compare(attack, part, case, folder, next(seed for seed in attack.seeds if seed.name == name), kind)
    if len(part.findings) == before:
        shutil.rmtree(folder, ignore_errors=True)


def _uses(seed, path):
    """Returns the arguments to read a file of this kind."""
    return {
        "route": [["synthesize", path, "-", "--rate", "5"]],
        "model": [["field", "--latitude", "50", "--longitude", "6", "--date", "2026", "--json", "--model", path]],
        "accessory": [["simulate", "accessory", path, "--", "true"]],
        "configuration": [["list", "--json"]],
        "expectation": [["replay", *seed.options, "location", "--expect", path]],
    }.get(seed.use) or [["info", path, *seed.options], ["convert", path, "--format", "trace", "-", *seed.options]]


def _compare(attack, part, case, folder, seed, kind):
    if seed.name.endswith(BESIDE) or (kind == "dash" and seed.use not in ("recording", "route")):
        return
    # The extension identifies a file of an accessory, which a pipe does not have. A starting program does not wait for
    # settings that are never written.
    if seed.use == "accessory" or (kind == "late-fifo" and seed.use in ("model", "configuration")):
        return
    data = open_bytes(seed.path)
    for number, arguments in enumerate(_uses(seed, "PATH")):
        def run(path, before=(), **options):
            words = [path if word == "PATH" else word for word in arguments]
            settings = {"DEVICE_SERVICES_CONFIG": path} if seed.use == "configuration" else None
            result = attack.tool.run(words, settings=settings, before=before, **options)
            part.judge(case, result, is_data=True)
            return result

        whole = run(seed.path)
        fifo = os.path.join(folder, f"fifo{number}")
        with writer(fifo, data, late=kind == "late-fifo", pieces=kind == "pieces"):
            if kind == "stdin":
                path, result = "/dev/stdin", run("/dev/stdin", stdin=fifo)
            elif kind == "dash":
                path, result = "-", run("-", stdin=fifo)
            elif kind == "substitution":
                # The path that a shell creates for <(cat FILE).
                path, result = "/dev/fd/9", run("/dev/fd/9", before=["sh", "-c", 'exec 9<"$0"; exec "$@"', fifo])
            else:
                path, result = fifo, run(fifo)
        if result.status != whole.status or _plain(result.out, path) != _plain(whole.out, seed.path):
            part.find(case, f"the output for the pipe ({result.end}) differs from that for the file ({whole.end})", result)


def _plain(data, path):
    """Returns the output, without the name of the recording."""
    data = data.replace(os.fsencode(path), b"NAME") if path != "-" else data
    return re.sub(rb'("(?:source|file|name|path)":|Recording +|source"?:? *)"?(?:NAME|-|[Ss]tandard input)"?', rb"\1NAME", data)


def _without_writer(attack, part, case, folder, number):
    """A run that waits for a writer can be ended, and leaves no files."""
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    run = attack.tool.start(["convert", fifo, os.path.join(folder, "out.trace")])
    # The signal handlers are installed by then, which cannot be observed.
    time.sleep(0.5)
    run.kill(number)
    result = run.wait()
    if result.late or result.signal not in (None, number) or result.status not in (None, 0):
        part.find(case, f"ended with {result.end} after {number.name}", result)
    if os.listdir(folder) != ["fifo"]:
        part.find(case, f"did not remove {os.listdir(folder)}", result)


def _merge(attack, part, case, folder):
    """Two recordings through two pipes, whose writers start late or write nothing."""
    whole = next(seed.path for seed in attack.seeds if seed.name == "whole.trace")
    data = open_bytes(whole) if case.startswith("late") else b""
    with writer(os.path.join(folder, "a"), data, late=True) as first, \
            writer(os.path.join(folder, "b"), data, late=True) as second:
        result = attack.tool.run(["merge", first, second, "-o", os.path.join(folder, "out.trace")])
    part.judge(case, result)
    expected = 0 if data else 65
    if result.status != expected:
        part.find(case, f"ended with {result.end} instead of {expected}", result)
