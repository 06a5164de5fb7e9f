# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The final table, and the progress line."""
import sys
import threading
import time


class Table:
    """The counts of events, and the expected and observed results."""

    def __init__(self):
        self.rows, self._lock = [], threading.Lock()

    def add(self, what, count, expected, observed, passed):
        with self._lock:
            self.rows.append((what, str(count), expected, observed, "yes" if passed else "NO"))

    def skip(self, what, reason):
        """Adds a row for a part that is impossible on this machine."""
        with self._lock:
            self.rows.append((what, "0", "", f"skipped: {reason}", "-"))

    @property
    def has_passed(self):
        return all(row[-1] != "NO" for row in self.rows)

    def print(self):
        rows = [("test", "count", "expected", "observed", "passed"), *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            print("  ".join([row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2]), row[3].ljust(widths[3]),
                             row[4]]), flush=True)


class Progress:
    """Prints one line per part, every ten seconds on a terminal and every ten minutes elsewhere."""

    def __init__(self, status):
        self._status, self._began = status, time.monotonic()
        self.part = ""
        # A run may take a night.
        self._interval = 10 if sys.stderr.isatty() else 600
        threading.Thread(target=self._repeat, daemon=True).start()

    def enter(self, part):
        self.part = part
        self._print()

    def _print(self):
        seconds = int(time.monotonic() - self._began)
        print(f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}  {self.part}  {self._status()}", file=sys.stderr, flush=True)

    def _repeat(self):
        while True:
            time.sleep(self._interval)
            self._print()
