# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Checks runs of the tool, and collects the findings of each part of the attack."""
import collections
import os
import re
import shutil
import threading
import time

# The documented exit statuses, and that of the program under `simulate`, which ends with 0 in these tests.
STATUSES = {0, 1, 64, 65, 66, 69, 73, 74, 77}
# The memory limit of all runs, in MiB.
MEMORY = 200

# The escape sequences that the tool itself writes to a terminal: colours, and the codes of its pictures.
OWN_CODES = re.compile(
    rb"\x1b\[(?:[0-9;]*m|\?(?:1049|25|2026)[hl]|2J|[0-9]+;1H|[0-9]+A|2K|J)|\r\n|\r(?=\x1b\[2K)")
# C0 except \n and \t, DEL, C1, and bidirectional controls.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Part:
    """The cases and findings of a part of the attack."""

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
        """Reports that a case is impossible on this machine."""
        self.skipped.append(f"{what}: {reason}")

    def place(self, case):
        """Returns a directory for one case, which is deleted if nothing was found."""
        folder = os.path.join(self.folder, str(case))
        os.makedirs(folder, exist_ok=True)
        return folder

    def find(self, case, what, result=None, output=b""):
        """Records a finding, with the data to reproduce it."""
        output = output or (result.err or result.out if result else b"")
        with self._lock:
            self.findings.append((str(case), what, result.command if result else "", _shown(output)))

    def judge(self, case, result, statuses=STATUSES, memory=MEMORY, own_codes=False, is_data=False):
        """Counts a run, and checks it against the rules for all runs. Returns True if it complies.

        `is_data` is true if standard output contains a recording, which may contain any bytes.
        """
        with self._lock:
            self.runs += 1
            self.ends[result.end] += 1
            self.peak = max(self.peak, result.peak)
            before = len(self.findings)
        if result.late:
            self.find(case, f"did not end within {result.seconds:.0f} s", result)
        elif result.signal is not None:
            self.find(case, f"was terminated by {result.end}", result)
        elif result.status not in statuses:
            self.find(case, f"ended with {result.status}", result)
        if result.peak > memory << 10:
            self.find(case, f"used {result.peak >> 10} MiB", result)
        # A difference (status 1) is data on standard output, and so is the output of doctor.
        if result.status not in (0, 1, None) and "doctor" not in result.arguments and not (result.err or own_codes):
            self.find(case, f"ended with {result.status} without an error message", result)
        for data, where in ((b"" if is_data else result.out, "standard output"), (result.err, "standard error")):
            control = raw_control(data, own_codes)
            if control:
                self.find(case, f"{control} on {'the terminal' if own_codes else where}", result, data)
        with self._lock:
            return len(self.findings) == before


def raw_control(data, own_codes=False):
    """Returns the part of the output that could control a terminal, or None."""
    data = data.removesuffix(b"\x04\x08\x08") if own_codes else data
    if own_codes:
        data = OWN_CODES.sub(lambda match: b"\n" if match[0] == b"\r\n" else b"", data)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        # The output is truncated at a limit, possibly within a character.
        if error.end < len(data) - 3:
            return f"invalid UTF-8 ({data[max(error.start - 20, 0):error.end + 8]!r})"
        text = data.decode(errors="ignore")
    match = CONTROLS.search(text)
    if match:
        return f"U+{ord(match[0]):04X} ({text[max(match.start() - 30, 0):match.end() + 12]!r})"
    return None


def _shown(data):
    """Returns the first lines of an output, without control characters."""
    text = data[:2000].decode(errors="backslashreplace")
    lines = [line for line in text.splitlines() if line.strip()][:3]
    return [CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", line)[:240] for line in lines]


def unlike(folder, expected):
    """Returns the unexpected contents of a directory."""
    return sorted(set(os.listdir(folder)) - set(expected))


class Impossible(Exception):
    """A part cannot be run on this machine. The text contains the reason."""
