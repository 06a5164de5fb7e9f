# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Judges runs of the tool, and collects what was found in each part of the attack."""
import collections
import os
import re
import shutil
import threading
import time

# The documented ones, and what `simulate` hands on of its program, which these tests let end with 0.
STATUSES = {0, 1, 64, 65, 66, 69, 73, 74, 77}
# MiB that nothing may exceed.
MEMORY = 200

# What the tool itself writes to a terminal: colours, and the codes of its pictures.
OWN_CODES = re.compile(
    rb"\x1b\[(?:[0-9;]*m|\?(?:1049|25|2026)[hl]|2J|[0-9]+;1H|[0-9]+A|2K|J)|\r\n|\r(?=\x1b\[2K)")
# C0 but \n and \t, DEL, C1, the controls of two directions.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Part:
    """What a part of the attack did and found."""

    def __init__(self, name, work, seed):
        self.name, self.seed = name, seed
        self.folder = os.path.join(work, name)
        os.makedirs(self.folder, exist_ok=True)
        self.runs, self.peak = 0, 0
        self.ends = collections.Counter()
        self.findings, self.skipped = [], []
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self.seconds = 0

    def finish(self):
        self.seconds = time.monotonic() - self._begin
        if not self.findings:
            shutil.rmtree(self.folder, ignore_errors=True)

    def skip(self, what, reason):
        """Says that something cannot be tried here."""
        self.skipped.append(f"{what}: {reason}")

    def place(self, case):
        """A folder for one case, which goes when nothing was found in it."""
        folder = os.path.join(self.folder, str(case))
        os.makedirs(folder, exist_ok=True)
        return folder

    def find(self, case, what, result=None, said=b""):
        """Notes a finding, with what is needed to repeat it."""
        said = said or (result.err or result.out if result else b"")
        with self._lock:
            self.findings.append((str(case), what, result.command if result else "", _shown(said)))

    def judge(self, case, result, statuses=STATUSES, memory=MEMORY, own_codes=False, is_data=False):
        """Counts a run, and notes what no run may do. True when it was as it should be.

        `is_data` says that standard output holds a recording, whose bytes are its own.
        """
        with self._lock:
            self.runs += 1
            self.ends[result.end] += 1
            self.peak = max(self.peak, result.peak)
            before = len(self.findings)
        if result.late:
            self.find(case, f"did not end within {result.seconds:.0f} s", result)
        elif result.signal is not None:
            self.find(case, f"was ended by {result.end}", result)
        elif result.status not in statuses:
            self.find(case, f"ended with {result.status}", result)
        if result.peak > memory << 10:
            self.find(case, f"took {result.peak >> 10} MiB", result)
        # A difference (1) is data, which standard output has; so is what doctor says.
        if result.status not in (0, 1, None) and "doctor" not in result.arguments and not (result.err or own_codes):
            self.find(case, f"ended with {result.status} and did not say why", result)
        for data, where in ((b"" if is_data else result.out, "standard output"), (result.err, "standard error")):
            control = raw_control(data, own_codes)
            if control:
                self.find(case, f"{control} on {'the terminal' if own_codes else where}", result, data)
        with self._lock:
            return len(self.findings) == before


def raw_control(data, own_codes=False):
    """What in the output could do something to a terminal, or None."""
    data = data.removesuffix(b"\x04\x08\x08") if own_codes else data
    if own_codes:
        data = OWN_CODES.sub(lambda match: b"\n" if match[0] == b"\r\n" else b"", data)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        # The output is kept up to a limit, which may part a character.
        if error.end < len(data) - 3:
            return f"invalid UTF-8 ({data[max(error.start - 20, 0):error.end + 8]!r})"
        text = data.decode(errors="ignore")
    match = CONTROLS.search(text)
    if match:
        return f"U+{ord(match[0]):04X} ({text[max(match.start() - 30, 0):match.end() + 12]!r})"
    return None


def _shown(data):
    """The first lines of what was said, harmless."""
    text = data[:2000].decode(errors="backslashreplace")
    lines = [line for line in text.splitlines() if line.strip()][:3]
    return [CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", line)[:240] for line in lines]


def unlike(folder, expected):
    """What lies in a folder that is not expected there."""
    return sorted(set(os.listdir(folder)) - set(expected))


class Impossible(Exception):
    """A part cannot be run on this machine, for the reason that is told."""
