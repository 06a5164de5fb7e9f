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
        self.changed = threading.Condition()
        self.ready = None
        # The time in milliseconds during which the machine did not schedule a thread of the program.
        self.unscheduled = 0
        self._responses, self._last, self._has_ended = {}, 0, False
        threading.Thread(target=self._read, daemon=True).start()
        self.wait_for(lambda: self.ready is not None, 60)

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.changed:
                if message["event"] == "response":
                    self._responses[message["id"]] = message
                elif message["event"] == "ready":
                    self.ready = message
                elif message["event"] == "unscheduled":
                    self.unscheduled += message["milliseconds"]
                else:
                    self.process_event(message)
                self.changed.notify_all()
        with self.changed:
            self._has_ended = True
            self.changed.notify_all()

    def process_event(self, message):
        """Processes an event of the program. Called with `changed` locked."""

    def wait_for(self, condition, limit):
        """Waits until the condition is true. Returns False after the time limit."""
        end = time.monotonic() + limit
        with self.changed:
            while not condition():
                left = end - time.monotonic()
                if self._has_ended:
                    raise Ended(f"{self.name} has ended with status {self.process.wait()}; see {self.log}")
                if left <= 0:
                    return False
                self.changed.wait(left)
        return True

    def send(self, *words):
        """Sends a request. Returns the id of the response."""
        with self.changed:
            self._last += 1
            number = self._last
            try:
                self.process.stdin.write(" ".join(str(word) for word in (number, *words)) + "\n")
                self.process.stdin.flush()
            except OSError as error:
                raise Ended(f"{self.name} does not read requests: {error}; see {self.log}") from error
        return number

    def response(self, number, limit):
        """Waits for a response."""
        if not self.wait_for(lambda: number in self._responses, limit):
            raise Ended(f"{self.name} has not responded for {limit:.0f} s; see {self.log}")
        with self.changed:
            return self._responses.pop(number)

    def request(self, *words, limit=60):
        return self.response(self.send(*words), limit)

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
        # By stream: the number of losses, the current run, the number of returns, and the readings of each run.
        self.losses, self.run, self.returns = collections.Counter(), collections.Counter(), collections.Counter()
        self.runs, self.lost = {}, set()
        # The number of losses when a stream last returned. A short run may have ended since then.
        self.losses_then = collections.Counter()
        # The number of connections, responses and disconnections of each accessory, by its number.
        self.connected, self.echoed, self.disconnected = (collections.Counter() for _ in range(3))
        super().__init__(*arguments)

    def process_event(self, message):
        stream = message.get("of")
        if message["event"] == "lost":
            self.losses[stream] += 1
            self.lost.add(stream)
        elif message["event"] == "returned":
            self.run[stream] = message["run"]
            self.lost.discard(stream)
            self.losses_then[stream] = self.losses[stream]
            self.returns[stream] += 1
        elif message["event"] == "run":
            # A run may be reported in several parts.
            sums = self.runs.setdefault((stream, message["run"]), collections.Counter())
            sums.update({what: message[what] for what in ("received", "missing", "repeated", "mistimed")})
        else:
            {"connected": self.connected, "echoed": self.echoed, "disconnected": self.disconnected}[message["event"]][message["number"]] += 1

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
        return self.request("state", limit=180)
