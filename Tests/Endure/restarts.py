# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Restarts servers and unplugs accessories in parallel, a thousand times per hour each."""
import random
import time

from servers import TIMEOUT


def restart(server, count, seconds, seed):
    """Restarts the server `count` times, distributed over the given seconds."""
    chance = random.Random(f"{seed} {server.kind}")
    share, due = seconds / count, time.monotonic()
    for _ in range(count):
        # The server usually returns before the program reconnects. In some runs, an attempt to connect fails first.
        away = chance.uniform(0, 0.1) if chance.random() < 0.95 else chance.uniform(0.5, 2)
        run = server.start_run(chance.uniform(0.05, max(0.1, 2 * (share - 0.6))), chance.choice(["quiet", "cut", "half"]))
        run.finish()
        # Later runs make up for delays of earlier ones.
        due += share
        time.sleep(max(away, due - time.monotonic() if chance.random() < 0.5 else 0))


class Plug:
    """An accessory that is plugged in and unplugged, with a different number each time."""

    def __init__(self, programs, app):
        self.programs, self.app = programs, app
        self.number, self.faults = 0, []

    def replug(self, count, seconds, seed):
        chance = random.Random(f"{seed} plug")
        share = seconds / count
        for _ in range(count):
            began = time.monotonic()
            self.attach()
            time.sleep(chance.uniform(0, share / 3))
            self.detach()
            time.sleep(max(0, began + share - time.monotonic()) * chance.random())

    def attach(self, is_reported=True):
        """Plugs in the accessory. If `is_reported`, the program must report it."""
        self.number += 1
        self.programs.request("attach", self.number)
        if is_reported:
            self.await_reports()

    def await_reports(self):
        for reports, failure in ((self.app.connected, "was not reported as connected"), (self.app.echoed, "did not respond")):
            if not self.app.wait_for(lambda: reports[self.number], TIMEOUT):
                self.faults.append(f"accessory {self.number} {failure} within {TIMEOUT} s")

    def detach(self):
        self.programs.request("detach", self.number)
        if not self.app.wait_for(lambda: self.app.disconnected[self.number], TIMEOUT):
            self.faults.append(f"accessory {self.number} was not reported as disconnected within {TIMEOUT} s")

    @property
    def reported_once(self):
        """The number of accessories that were reported once as connected, once as echoing, and once as disconnected."""
        reports = self.app.connected, self.app.echoed, self.app.disconnected
        return sum(all(counts[number] == 1 for counts in reports) for number in range(1, self.number + 1))
