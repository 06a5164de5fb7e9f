# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A month of faults in an hour. scripts/endure has the usage."""
import argparse
import json
import os
import random
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time

import disk
import outcome
import real
from programs import App, Ended, Program
from restarts import Plug, restart
from servers import Runs, Server, run_in_parallel
from table import Progress, Table
from trouble import Trouble, set_clock

HERE = os.path.dirname(os.path.abspath(__file__))
# The default time between restarts, in seconds.
INTERVAL = 2.8


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/endure")
    parser.add_argument("hours", nargs="?", type=float, default=1.0)
    parser.add_argument("--every", type=float, default=INTERVAL)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--build", required=True)
    parser.add_argument("--library")
    options = parser.parse_args()
    if not 0.005 <= options.hours <= 1000:
        parser.error("HOURS must be a number from 0.005 to 1000.")
    if not 0.7 <= options.every <= 60:
        parser.error("The seconds of --every must be from 0.7, the minimum time of a restart, to 60.")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    return options


def free_ports(count):
    """Returns unused ports below the range from which the system assigns ports to clients."""
    probes, ports = [], []
    for port in random.sample(range(20000, 32000), 200):
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            probe.close()
            continue
        probes.append(probe)
        ports.append(port)
        if len(ports) == count:
            break
    for probe in probes:
        probe.close()
    return ports


class Endurance:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.seconds = options.hours * 3600 * options.every / INTERVAL
        self.scale = options.hours
        self.table, self.samples, self.is_done = Table(), [], False
        self.program = os.path.join(options.build, "endurance")
        gpsd, iiod, self.spare = free_ports(3)
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": work, "TMPDIR": work, "SWIFT_BACKTRACE": "enable=no"}
        # Freed memory that threads keep for reuse counts as used, and varies by tens of kilobytes.
        environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0"
        if "LD_LIBRARY_PATH" in os.environ:
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.environment = environment
        self.programs = Program([self.program, "servers"], environment, os.path.join(work, "servers.log"))
        self.clock = None
        own = {**environment, "DEVICE_SERVICES_GPSD": f"gpsd://127.0.0.1:{gpsd}", "DEVICE_SERVICES_IIO": f"ip:127.0.0.1:{iiod}",
               "DEVICE_SERVICES_ACCESSORIES": self.programs.ready["of"], "DEVICE_SERVICES_UDEV": "off",
               "DEVICE_SERVICES_STATE": os.path.join(work, "state"), "DEVICE_SERVICES_CONFIG": os.path.join(work, "none.json")}
        with open(own["DEVICE_SERVICES_CONFIG"], "w", encoding="ascii") as file:
            file.write("{}\n")
        if options.library:
            self.clock = os.path.join(work, "clock")
            with open(self.clock, "wb") as file:
                file.write(bytes(8))
            own.update(LD_PRELOAD=options.library, ENDURE_CLOCK=self.clock)
        self.app = App([self.program, "app"], own, os.path.join(work, "app.log"))
        self.servers = [Server("gpsd", gpsd, self.programs, self.app), Server("iiod", iiod, self.programs, self.app)]
        self.plug = Plug(self.programs, self.app)
        self.progress = Progress(self.status)
        self.trouble = Trouble(self.table, self.app, self.servers, self.plug, self.clock)

    def status(self):
        returns = self.app.returns
        faults = sum(len(server.faults) for server in self.servers) + len(self.plug.faults)
        return (f"gpsd {returns['location']}, iiod {returns['accelerometer']}, accessories {self.plug.number}, "
                f"{sum(self.app.open_files().values())} descriptors, "
                f"{faults} faults, {sum(row[-1] == 'NO' for row in self.table.rows)} failed rows")

    def count(self, hourly, minimum=1):
        return max(minimum, round(hourly * self.scale))

    def run(self):
        self.progress.enter("warm-up")
        # gpsd is not running yet, which is reported as a loss.
        self.app.wait_for(lambda: self.app.losses["location"], 30)
        tasks = [lambda server=server: restart(server, self.count(40, 4), self.seconds * 0.03, f"{self.options.seed} warm")
                      for server in self.servers]
        run_in_parallel([*tasks, lambda: self.plug.replug(self.count(40, 4), self.seconds * 0.03, f"{self.options.seed} warm")])
        # The queue of a delegate keeps its largest capacity, so this stall is as long as later ones.
        stall = min(60, max(9, 60 * self.scale))
        with Runs(self.servers, 11 + stall) as runs:
            self.app.request("create-managers", 100, limit=60)
            self.app.request("stall", round(stall * 1000), limit=stall + 120)
            runs.wait()
        self.trouble.stalled += self.trouble.dropped()
        first = self.measure()
        self.restarts()
        self.progress.enter("main thread stalled")
        self.trouble.stalls(self.count(1), stall)
        self.progress.enter("managers created and released")
        self.trouble.managers(self.count(100, 3), 100)
        self.progress.enter("descriptors used up")
        self.trouble.descriptors(self.count(5))
        self.progress.enter("clock steps")
        self.trouble.clocks(min(20, max(1.5, 20 * self.scale)))
        self.progress.enter("memory limited")
        self.trouble.memory(self.count(5))
        self.progress.enter("real gpsd and iiod")
        traces = os.path.join(HERE, "..", "..", "Simulators", "Traces", "iio", "mpu6050-accel.umockdev")
        run_in_parallel([
            lambda: real.gpsd(self.table, self.app, self.servers[0], self.count(20, 2), self.options.seed, self.work),
            lambda: real.iiod(self.table, self.app, self.servers[1], self.count(20, 2), self.options.seed, self.work, traces)])
        self.progress.enter("simulated weeks")
        outcome.weeks(self.table, self.program, {**self.environment, "LD_PRELOAD": self.options.library or ""}, max(50, self.count(50)))
        self.progress.enter("remaining resources")
        last = self.measure()
        self.app.request("close")
        outcome.reports(self.table, self.servers, self.plug)
        outcome.readings(self.table, self.servers, self.app.state(), self.trouble.stalled)
        outcome.resources(self.table, self.samples, first, last)
        self.is_done = True

    def restarts(self):
        """The longest part: all three sources are lost and return independently."""
        self.progress.enter("restarts")
        seconds, seed = self.seconds * 0.78, self.options.seed
        ends = threading.Event()
        sampler = threading.Thread(target=self.sample, args=(ends,), daemon=True)
        sampler.start()
        count = self.count(1000)
        tool = os.path.join(self.options.build, "sensorctl")
        tasks = [lambda server=server: restart(server, count, seconds, seed) for server in self.servers]
        run_in_parallel([*tasks, lambda: self.plug.replug(count, seconds, seed),
                      lambda: disk.record(self.table, tool, self.programs, self.spare, self.work, self.count(20, 2), seconds)])
        ends.set()
        sampler.join()

    def sample(self, ends):
        while not ends.wait(max(1, min(10, self.seconds * 0.01))):
            # Connections have buffers, so samples are comparable only if all sources are connected.
            self.app.wait_for(lambda: not self.app.lost, 5)
            times = self.app.returns["location"] + self.app.returns["accelerometer"] + self.plug.number
            self.samples.append((times, self.app.state()))
            with open(os.path.join(self.work, "samples.json"), "w", encoding="ascii") as file:
                json.dump(self.samples, file)

    def measure(self):
        """Samples the resources of the program while both servers run without events, after idle threads have ended."""
        # A preceding run releases the resources of the previous part.
        with Runs(self.servers, 3):
            pass
        with Runs(self.servers, 14) as runs:
            time.sleep(6)
            # The minimum of several samples excludes a connection that occasionally searches for sensors.
            states = [self.app.state()]
            for _ in range(5):
                time.sleep(1)
                states.append(self.app.state())
            files = self.app.open_files()
            runs.wait()
        return {"files": files} | {what: min(state[what] for state in states) for what in ("threads", "descriptors", "heap", "resident")}


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = tempfile.mkdtemp(prefix="endure-", dir=os.environ.get("TMPDIR"))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    print(f"{options.hours:g} hours, a restart every {options.every:g} s, seed {options.seed}", flush=True)
    endurance, keep = Endurance(options, work), True
    try:
        endurance.run()
    except Ended as reason:
        endurance.table.add("program under test runs until the end", 1, "yes", str(reason), False)
    except (SystemExit, KeyboardInterrupt):
        keep = False
        raise
    finally:
        if endurance.clock:
            set_clock(endurance.clock, 0)
        real.kill_all()
        disk.running.kill_all()
        for program in (endurance.app, endurance.programs):
            program.end()
        keep = keep and not (endurance.is_done and endurance.table.has_passed)
        if not keep:
            shutil.rmtree(work, ignore_errors=True)
    endurance.table.print()
    print(f"Seed {options.seed}. " + (f"The logs of the programs are in {work}." if keep else "All rows passed."))
    return 1 if keep else 0


if __name__ == "__main__":
    sys.exit(main())
