# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A server that lives again and again, and what the program under test hears of each life."""
import threading
import time

# Readings a second of each server.
RATE = {"gpsd": 20, "iiod": 200}
STREAMS = {"gpsd": ["location"], "iiod": ["accelerometer", "gyroscope", "magnetometer"]}
# Seconds until something counts as not told. An attempt to connect waits ten at most.
PATIENCE = 30


class Server:
    """gpsd or iiod: its lives, one after the other, are numbered."""

    def __init__(self, kind, port, programs, app):
        self.kind, self.port, self.programs, self.app = kind, port, programs, app
        self.streams = STREAMS[kind]
        self.run, self.lives = 0, 0
        # What left the server in each run; what went wrong, in words.
        self.sent, self.unread, self.faults = {}, 0, []

    def fault(self, text):
        self.faults.append(f"{self.kind} in run {self.run}: {text}")

    def live(self, seconds, end="quiet"):
        """A life of that many seconds from when the program hears of it; gives it once that is so."""
        return Life(self, seconds, end)

    def missing(self):
        """The runs of which the program has not told yet what they gave."""
        return [(stream, run) for stream in self.streams for run in self.sent if (stream, run) not in self.app.runs]


class Life:
    """A life that has begun."""

    def __init__(self, server, seconds, end):
        self.server = server
        app = server.app
        server.run += 1
        server.lives += 1
        self.losses = {stream: app.losses[stream] for stream in server.streams}
        if server.kind == "gpsd":
            self.number = server.programs.begin("gpsd", server.port, server.run, max(1, round(seconds * RATE["gpsd"])), end)
        else:
            self.number = server.programs.begin("iiod", server.port, server.run, max(100, round(seconds * 1000)))
        self.limit = seconds + 2 * PATIENCE + 60
        for stream in server.streams:
            if not app.wait_for(lambda: app.run[stream] >= server.run, PATIENCE):
                server.fault(f"{stream} was not heard again in {PATIENCE} s")
            elif app.losses_then[stream] != self.losses[stream]:
                server.fault(f"{stream} was told as lost {app.losses_then[stream] - self.losses[stream] + 1} times")
            # The losses that were told since then are of this life's end.
            self.losses[stream] = app.losses_then[stream]

    def finish(self):
        """Waits for its end, and for the loss to be told."""
        server, app = self.server, self.server.app
        done = server.programs.answer(self.number, self.limit)
        server.sent[server.run] = done.get("sent", 0)
        server.unread += done.get("unread", 0)
        if done.get("failed"):
            server.fault("nobody took its readings")
        for stream in server.streams:
            if not app.wait_for(lambda: app.losses[stream] > self.losses[stream], PATIENCE):
                server.fault(f"the loss of {stream} was not told in {PATIENCE} s")


class Lives:
    """One life of each server, side by side, for as long as `with` lasts: the body has to be done within the seconds."""

    def __init__(self, servers, seconds):
        self.servers, self.seconds = servers, seconds

    def __enter__(self):
        self.lives = [server.live(self.seconds) for server in self.servers]
        self.began = time.monotonic()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            for life in self.lives:
                life.finish()

    def rest(self):
        """Waits until a second before the end."""
        time.sleep(max(0, self.began + self.seconds - 1 - time.monotonic()))


def side_by_side(tasks):
    """Runs them in threads, and raises what the first that failed has raised."""
    failures = []

    def run(task):
        try:
            task()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
