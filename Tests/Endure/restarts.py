# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Restarts servers and unplugs accessories a thousand times per hour, all at the same time."""
import random
import time

from servers import PATIENCE


def restart(server, count, seconds, seed):
    """Distributes the given number of lives over the time in seconds."""
    chance = random.Random(f"{seed} {server.kind}")
    share, due = seconds / count, time.monotonic()
    for _ in range(count):
        # The server usually returns before the program reconnects; in some lives, an attempt fails first.
        away = chance.uniform(0, 0.1) if chance.random() < 0.95 else chance.uniform(0.5, 2)
        life = server.live(chance.uniform(0.05, max(0.1, 2 * (share - 0.6))), chance.choice(["quiet", "cut", "half"]))
        life.finish()
        # Later lives make up for delays of earlier ones.
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

    def attach(self, is_told=True):
        """Plugs in the accessory. The program has to report it, if it can."""
        self.number += 1
        self.programs.ask("attach", self.number)
        if is_told:
            self.await_told()

    def await_told(self):
        for told, what in ((self.app.connected, "was not told as connected"), (self.app.echoed, "did not answer")):
            if not self.app.wait_for(lambda: told[self.number], PATIENCE):
                self.faults.append(f"accessory {self.number} {what} in {PATIENCE} s")

    def detach(self):
        self.programs.ask("detach", self.number)
        if not self.app.wait_for(lambda: self.app.gone[self.number], PATIENCE):
            self.faults.append(f"accessory {self.number} was not told as gone in {PATIENCE} s")

    @property
    def told_once(self):
        """Returns the accessories that were connected exactly once, responded, and were disconnected exactly once."""
        told = self.app.connected, self.app.echoed, self.app.gone
        return sum(all(what[number] == 1 for what in told) for number in range(1, self.number + 1))
