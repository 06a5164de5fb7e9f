# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The final table, and the progress line."""
import sys
import threading
import time


class Table:
    """The number of events, the expected results and the observed ones."""

    def __init__(self):
        self.rows, self._lock = [], threading.Lock()

    def add(self, what, times, expected, seen, holds):
        with self._lock:
            self.rows.append((what, str(times), expected, seen, "yes" if holds else "NO"))

    def skip(self, what, reason):
        """Adds a row for a part that is impossible on this machine."""
        with self._lock:
            self.rows.append((what, "0", "", f"left out: {reason}", "-"))

    @property
    def holds(self):
        return all(row[-1] != "NO" for row in self.rows)

    def print(self):
        rows = [("what was done", "times", "expected", "seen", "holds"), *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            print("  ".join([row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2]), row[3].ljust(widths[3]),
                             row[4]]), flush=True)


class Progress:
    """Prints one line per part, every ten seconds on a terminal and every ten minutes elsewhere."""

    def __init__(self, tell):
        self._tell, self._began = tell, time.monotonic()
        self.part = ""
        # Keeps the log of a night short but shows the progress.
        self._pause = 10 if sys.stderr.isatty() else 600
        threading.Thread(target=self._repeat, daemon=True).start()

    def enter(self, part):
        self.part = part
        self._say()

    def _say(self):
        seconds = int(time.monotonic() - self._began)
        print(f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}  {self.part}  {self._tell()}", file=sys.stderr, flush=True)

    def _repeat(self):
        while True:
            time.sleep(self._pause)
            self._say()
