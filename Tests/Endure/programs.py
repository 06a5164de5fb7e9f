# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The programs that exchange lines with the test: requests, responses and events."""
import collections
import json
import os
import re
import subprocess
import threading
import time


class Ended(Exception):
    """A program that should be running has ended or does not respond."""


class Program:
    """A process of `endurance`. Its responses contain the id of the request."""

    def __init__(self, words, environment, log):
        self.name, self.log = words[1], log
        with open(log, "wb") as errors:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment,
                                            text=True)
        self.news = threading.Condition()
        self.ready = None
        # The time in milliseconds during which the machine did not schedule a thread of the program.
        self.held_up = 0
        self._answers, self._last, self._has_ended = {}, 0, False
        threading.Thread(target=self._read, daemon=True).start()
        self.wait_for(lambda: self.ready is not None, 60)

    def _read(self):
        for line in self.process.stdout:
            said = json.loads(line)
            with self.news:
                if said["event"] == "answer":
                    self._answers[said["id"]] = said
                elif said["event"] == "ready":
                    self.ready = said
                elif said["event"] == "held-up":
                    self.held_up += said["milliseconds"]
                else:
                    self.take(said)
                self.news.notify_all()
        with self.news:
            self._has_ended = True
            self.news.notify_all()

    def take(self, said):
        """Processes an event of the program. Called with `news` held."""

    def wait_for(self, condition, limit):
        """Waits until the condition is true. Returns False after the time limit."""
        end = time.monotonic() + limit
        with self.news:
            while not condition():
                left = end - time.monotonic()
                if self._has_ended:
                    raise Ended(f"{self.name} has ended with {self.process.wait()}; see {self.log}")
                if left <= 0:
                    return False
                self.news.wait(left)
        return True

    def begin(self, *words):
        """Sends a request. Returns the id of the response."""
        with self.news:
            self._last += 1
            number = self._last
            try:
                self.process.stdin.write(" ".join(str(word) for word in (number, *words)) + "\n")
                self.process.stdin.flush()
            except OSError as error:
                raise Ended(f"{self.name} takes no more words: {error}; see {self.log}") from error
        return number

    def answer(self, number, limit):
        """Waits for a response."""
        if not self.wait_for(lambda: number in self._answers, limit):
            raise Ended(f"{self.name} has not answered for {limit:.0f} s; see {self.log}")
        with self.news:
            return self._answers.pop(number)

    def ask(self, *words, limit=60):
        return self.answer(self.begin(*words), limit)

    def end(self):
        self.process.stdin.close()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class App(Program):
    """The program under test."""

    def __init__(self, *arguments):
        # Its reports by stream: losses, the current run, the number of returns, the readings of each run.
        self.losses, self.run, self.returns = collections.Counter(), collections.Counter(), collections.Counter()
        self.runs, self.lost = {}, set()
        # The number of losses when a stream last returned. A short life may have ended since.
        self.losses_then = collections.Counter()
        # The number of connections, responses and disconnections of each accessory, by its number.
        self.connected, self.echoed, self.gone = (collections.Counter() for _ in range(3))
        super().__init__(*arguments)

    def take(self, said):
        stream = said.get("of")
        if said["event"] == "lost":
            self.losses[stream] += 1
            self.lost.add(stream)
        elif said["event"] == "heard":
            self.run[stream] = said["run"]
            self.lost.discard(stream)
            self.losses_then[stream] = self.losses[stream]
            self.returns[stream] += 1
        elif said["event"] == "run":
            # A run may be reported in several parts.
            sums = self.runs.setdefault((stream, said["run"]), collections.Counter())
            sums.update({what: said[what] for what in ("heard", "missing", "repeated", "mistimed")})
        else:
            {"connected": self.connected, "echoed": self.echoed, "gone": self.gone}[said["event"]][said["number"]] += 1

    def open_files(self):
        """Returns the open descriptors by kind."""
        found = collections.Counter()
        for name in os.listdir(f"/proc/{self.process.pid}/fd"):
            try:
                # Sockets and pipes have numbers.
                found[re.sub(r":\[\d+\]$", "", os.readlink(f"/proc/{self.process.pid}/fd/{name}"))] += 1
            except OSError:
                pass  # It was closed in the meantime.
        return found

    def state(self):
        return self.ask("state", limit=180)
