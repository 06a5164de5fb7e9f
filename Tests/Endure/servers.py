# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A server that is restarted repeatedly, and the reports of the program under test about each run."""
import threading
import time

# The readings per second of each server.
RATE = {"gpsd": 20, "iiod": 200}
STREAMS = {"gpsd": ["location"], "iiod": ["accelerometer", "gyroscope", "magnetometer"]}
# The time in seconds after which a missing report is a failure. A connection attempt waits for at most 10 s.
TIMEOUT = 30


class Server:
    """gpsd or iiod. Its runs are numbered consecutively."""

    def __init__(self, kind, port, programs, app):
        self.kind, self.port, self.programs, self.app = kind, port, programs, app
        self.streams = STREAMS[kind]
        self.run, self.restarts = 0, 0
        # The readings sent in each run, the unread readings, and the faults as text.
        self.sent, self.unread, self.faults = {}, 0, []

    def fault(self, text):
        self.faults.append(f"{self.kind} in run {self.run}: {text}")

    def start_run(self, seconds, end="quiet"):
        """Starts a run of the given duration in seconds, and returns it when the program has reported its readings."""
        return Run(self, seconds, end)

    def missing(self):
        """Returns the runs whose readings the program has not reported yet."""
        return [(stream, run) for stream in self.streams for run in self.sent if (stream, run) not in self.app.runs]


class Run:
    """A run of a server, from its first received reading."""

    def __init__(self, server, seconds, end):
        self.server = server
        app = server.app
        server.run += 1
        server.restarts += 1
        self.losses = {stream: app.losses[stream] for stream in server.streams}
        if server.kind == "gpsd":
            self.number = server.programs.send("gpsd", server.port, server.run, max(1, round(seconds * RATE["gpsd"])), end)
        else:
            self.number = server.programs.send("iiod", server.port, server.run, max(100, round(seconds * 1000)))
        self.limit = seconds + 2 * TIMEOUT + 60
        for stream in server.streams:
            if not app.wait_for(lambda: app.run[stream] >= server.run, TIMEOUT):
                server.fault(f"{stream} was not received again within {TIMEOUT} s")
            elif app.losses_then[stream] != self.losses[stream]:
                server.fault(f"{stream} was reported as lost {app.losses_then[stream] - self.losses[stream] + 1} times")
            # Losses reported since then belong to the end of this run.
            self.losses[stream] = app.losses_then[stream]

    def finish(self):
        """Waits for the end of the run and for the report of the loss."""
        server, app = self.server, self.server.app
        done = server.programs.response(self.number, self.limit)
        server.sent[server.run] = done.get("sent", 0)
        server.unread += done.get("unread", 0)
        if done.get("failed"):
            server.fault("no client read its readings")
        for stream in server.streams:
            if not app.wait_for(lambda: app.losses[stream] > self.losses[stream], TIMEOUT):
                server.fault(f"the loss of {stream} was not reported within {TIMEOUT} s")


class Runs:
    """One simultaneous run of each server for the duration of `with`. The body must finish within the given
    seconds."""

    def __init__(self, servers, seconds):
        self.servers, self.seconds = servers, seconds

    def __enter__(self):
        self.runs = [server.start_run(self.seconds) for server in self.servers]
        self.began = time.monotonic()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            for run in self.runs:
                run.finish()

    def wait(self):
        """Waits until one second before the end."""
        time.sleep(max(0, self.began + self.seconds - 1 - time.monotonic()))


def run_in_parallel(tasks):
    """Runs the functions in threads, and raises the first exception."""
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
