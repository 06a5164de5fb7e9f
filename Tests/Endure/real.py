# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The real gpsd and iiod, killed and restarted instead of the simulated servers."""
import datetime
import os
import random
import shutil
import socket
import subprocess
import threading
import time

from servers import TIMEOUT

_alive = set()
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"


def kill_all():
    """Kills the remaining processes."""
    for process in list(_alive):
        process.kill()


class Daemon:
    """A daemon that is killed and restarted. The program must report each loss and each return once."""

    def __init__(self, streams, port, command, environment):
        self.streams, self.port, self.command = streams, port, command
        self.environment = {**os.environ, **environment}
        self.faults, self.restarts = [], 0

    def restart(self, app, count, seed, feed=None):
        chance = random.Random(f"{seed} {self.command[0]}")
        for _ in range(count):
            losses = {stream: app.losses[stream] for stream in self.streams}
            returns = {stream: app.returns[stream] for stream in self.streams}
            process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            _alive.add(process)
            try:
                if feed:
                    feed.start()
                for stream in self.streams:
                    if not app.wait_for(lambda: app.returns[stream] > returns[stream], TIMEOUT):
                        self.faults.append(f"{stream} was not received again within {TIMEOUT} s")
                    elif app.losses_then[stream] != losses[stream]:
                        self.faults.append(f"a loss of {stream} was reported twice")
                time.sleep(chance.uniform(0.3, 1.5))
            finally:
                process.kill()
                process.wait()
                _alive.discard(process)
                if feed:
                    feed.stop()
            self.restarts += 1
            for stream in self.streams:
                if not app.wait_for(lambda: app.losses[stream] > losses[stream], TIMEOUT):
                    self.faults.append(f"the loss of {stream} was not reported within {TIMEOUT} s")
                elif app.losses[stream] > losses[stream] + 1:
                    self.faults.append(f"the loss of {stream} was reported {app.losses[stream] - losses[stream]} times")


class Feed:
    """A receiver that sends numbered sentences for 20 epochs per second, in system time."""

    def __init__(self, port, server):
        self._port, self._server, self._is_sending = port, server, threading.Event()
        self._thread = None

    def start(self):
        self._server.run += 1
        self._is_sending.set()
        self._thread = threading.Thread(target=self._send, args=(self._server.run,), daemon=True)
        self._thread.start()

    def stop(self):
        self._is_sending.clear()
        self._thread.join()

    def _send(self, run):
        # A multiple of 1/20 s, because the times of sentences have a resolution of 0.01 s.
        began = round(time.time() * 20) / 20
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            number = 0
            while self._is_sending.is_set():
                now = datetime.datetime.fromtimestamp(began + number * 0.05, datetime.timezone.utc)
                clock = now.strftime("%H%M%S.") + f"{now.microsecond // 10000:02}"
                # Degrees and minutes, see Numbers.swift.
                north = f"{angle(number, 1_000_000, 2)},N"
                east = f"{angle(run, 10_000, 3)},E"
                try:
                    out.sendto(sentence(f"GPRMC,{clock},A,{north},{east},004.0,000.0,{now.strftime('%d%m%y')},,,A")
                               + sentence(f"GPGGA,{clock},{north},{east},1,08,1.0,500.0,M,47.0,M,,"), ("127.0.0.1", self._port))
                except OSError:
                    pass  # No process is reading yet.
                number += 1
                time.sleep(max(0, began + number * 0.05 - time.time()))


def angle(value, parts, digits):
    """Returns degrees and minutes of value / parts degrees."""
    degrees, rest = divmod(value, parts)
    return f"{degrees:0{digits}}{rest * 60 / parts:011.8f}"


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n".encode()


def gpsd(table, app, server, count, seed, work):
    program = shutil.which("gpsd", path=PATH)
    if not program:
        return table.skip("real gpsd killed", "gpsd is not installed")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    key = hex(0x47710000 | server.port)
    daemon = Daemon(server.streams, server.port, [program, "-N", "-n", "-S", str(server.port), "-F", f"{work}/control",
                                                 f"udp://127.0.0.1:{port}"], {"GPSD_SHM_KEY": key})
    first = server.run + 1
    try:
        daemon.restart(app, count, seed, Feed(port, server))
    finally:
        subprocess.run(["ipcrm", "-M", key], stderr=subprocess.DEVNULL, check=False)
    app.request("close")
    runs = [app.runs.get(("location", run), {}) for run in range(first, server.run + 1)]
    received, missing = (sum(run.get(what, 0) for run in runs) for what in ("received", "missing"))
    late = sum(run.get("repeated", 0) + run.get("mistimed", 0) for run in runs)
    faults = daemon.faults + ([f"{missing} missing between received ones"] if missing else [])
    faults += [f"{late} late or repeated"] if late else []
    table.add("real gpsd killed", daemon.restarts, "each loss and return reported once, no gap",
              "; ".join(faults[:2]) or f"as expected, {received} fixes", not faults)


def iiod(table, app, server, count, seed, work, description):
    program, mock = shutil.which("iiod", path=PATH), shutil.which("umockdev-run", path=PATH)
    if not program or not mock:
        return table.skip("real iiod killed", "iiod or umockdev-run is not installed")
    # Without the buffer, which requires a kernel, the device is read axis by axis.
    text = "".join(line for line in open(description, encoding="utf-8") if not line.startswith(("A: buffer", "A: scan_elements", "A: trigger")))
    path = f"{work}/board.umockdev"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.partition("\nP: /devices/platform/i2c-1/1-0068/trigger0")[0])
    with subprocess.Popen([mock, "-d", path, "--", "sh", "-c", 'echo "$UMOCKDEV_DIR"; read -r line'], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as holder:
        root = holder.stdout.readline().strip()
        daemon = Daemon(["accelerometer"], server.port, [program, "-p", str(server.port)],
                        {"LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": root})
        app.request("numbered", 0)
        try:
            daemon.restart(app, count, seed)
        finally:
            app.request("numbered", 1)
            holder.communicate("\n")
    table.add("real iiod killed", daemon.restarts, "each loss and return reported once", "; ".join(daemon.faults[:2]) or "as expected",
              not daemon.faults)
