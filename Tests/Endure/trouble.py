# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Faults other than restarting servers: a blocked main thread, limits of descriptors and memory, clock steps."""
import collections
import os
import resource
import struct
import time

from servers import RATE, Runs, run_in_parallel

# The maximum number of readings pending for a handler, or of locations pending for a delegate.
WAITING = 1024
HOUR, WEEKS = 3600, 1024 * 7 * 86400


class Trouble:
    """Each part uses separate runs of the servers, so that its effect on the readings can be counted."""

    def __init__(self, table, app, servers, plug, clock):
        self.table, self.app, self.servers, self.plug, self.clock = table, app, servers, plug, clock
        # The number of items that were dropped while the main thread was blocked, by stream.
        self.stalled = collections.Counter()

    def streams(self):
        return [stream for server in self.servers for stream in server.streams]

    def of_runs(self):
        """Returns the readings of each stream in the last run of its server."""
        found = {}
        for server in self.servers:
            for stream in server.streams:
                found[stream] = self.app.runs.get((stream, server.run), collections.Counter()), server.sent.get(server.run, 0)
        return found

    def dropped(self):
        state = self.app.state()
        return collections.Counter({stream: state[f"dropped-{stream}"] for stream in self.streams()})

    def stalls(self, count, seconds):
        """Blocks the main thread for the given time."""
        wrong, dropped_in_all = [], 0
        for _ in range(count):
            before = self.dropped()
            with Runs(self.servers, seconds + 12) as runs:
                self.app.request("stall", round(seconds * 1000), limit=seconds + 120)
                runs.wait()
            self.app.request("close")
            after = self.dropped()
            self.stalled += after - before
            for stream, (run, sent) in self.of_runs().items():
                dropped = after[stream] - before[stream]
                dropped_in_all += dropped
                # Dropped readings form a gap before the newest ones. The gap may include missing readings.
                if run["missing"] < dropped or run["received"] + dropped != sent:
                    wrong.append(f"{stream}: {run['received']} received and {dropped} dropped of {sent}, {run['missing']} missing")
                rate = RATE["gpsd" if stream == "location" else "iiod"]
                if dropped == 0 and seconds * rate > WAITING * 1.2:
                    wrong.append(f"{stream}: none of {seconds * rate:.0f} pending readings was dropped")
                if run["repeated"] or run["mistimed"]:
                    wrong.append(f"{stream}: {run['repeated']} repeated, {run['mistimed']} mistimed")
        self.table.add(f"main thread stalled for {seconds:.0f} s", count, f"the newest {WAITING} received, the others counted as dropped",
                       "; ".join(wrong[:2]) or f"{dropped_in_all} dropped and counted, the rest received", not wrong)

    def managers(self, rounds, managers):
        """Creates and releases many managers next to the permanent ones."""
        received = 0
        with Runs(self.servers, 15 + rounds * 0.5) as runs:
            began = time.monotonic()
            done = 0
            while done < rounds and time.monotonic() < began + runs.seconds - 3:
                received += self.app.request("create-managers", managers, limit=120)["received"]
                done += 1
            runs.wait()
        self.table.add(f"{managers} managers created and released", done, f"{done * managers} received", f"{received} received", received == done * managers)

    def descriptors(self, count):
        """Uses up all descriptors while servers restart and an accessory is attached, and then frees them."""
        held = 0
        faults = len(self._faults())
        for _ in range(count):
            with Runs(self.servers, 4):
                held = self.app.request("use-descriptors", 0)["held"]
            # The losses are reported. The program cannot connect, and cannot read the directory of accessories.
            self.plug.attach(is_reported=False)
            time.sleep(1)
            self.app.request("free-descriptors")
            self.plug.await_reports()
            self.plug.detach()
            with Runs(self.servers, 4):
                pass
        faults = len(self._faults()) - faults
        self.table.add(f"descriptors used up ({held} held)", count, "losses reported, all received again",
                       f"{faults} faults" if faults else "as expected", faults == 0 and held > 0)

    def _faults(self):
        return [*self.plug.faults, *(fault for server in self.servers for fault in server.faults)]

    # MARK: The clock

    def clocks(self, seconds):
        """Steps the civil time forward and back."""
        if self.clock is None:
            return self.table.skip("clock steps by an hour and 1024 weeks", "there is no C compiler, or the library cannot be preloaded")
        steps = [HOUR, 0, -HOUR, 0, WEEKS, 0, -WEEKS, 0]
        before = {stream: self.app.losses[stream] for stream in self.streams()}
        with Runs(self.servers, seconds * len(steps) + 10) as runs:
            for step in steps:
                set_clock(self.clock, step)
                time.sleep(seconds)
            losses = sum(self.app.losses[stream] - before[stream] for stream in self.streams())
            runs.wait()
        self.app.request("close")
        wrong = [f"{stream}: {run['received']} of {sent}, {run['repeated']} repeated, {run['mistimed']} mistimed"
                 for stream, (run, sent) in self.of_runs().items()
                 if run["received"] != sent or run["repeated"] or run["mistimed"]]
        self.table.add("clock steps by an hour and 1024 weeks, both ways, and back", len(steps), "no loss reported, all readings received once",
                       "; ".join(wrong[:2]) or f"{losses} losses reported, all received", not wrong and losses == 0)

    # MARK: Memory

    def memory(self, count):
        """Limits the memory to slightly more than the present use."""
        pid = self.app.process.pid
        faults = len(self._faults())
        group = MemoryGroup(pid)
        how = "control group, present use plus 2 MiB" if group.path else "RLIMIT_AS, present use plus 2 MiB"
        for _ in range(count):
            with Runs(self.servers, 4) as runs:
                hard = None
                if group.path:
                    group.limit(2 << 20)
                else:
                    hard = resource.prlimit(pid, resource.RLIMIT_AS)[1]
                    resource.prlimit(pid, resource.RLIMIT_AS, (address_space(pid) + (2 << 20), hard))
                runs.wait()
            run_in_parallel([lambda server=server: server.start_run(2).finish() for server in self.servers])
            self.plug.attach()
            self.plug.detach()
            if group.path:
                group.free()
            else:
                resource.prlimit(pid, resource.RLIMIT_AS, (hard, hard))
            run_in_parallel([lambda server=server: server.start_run(1).finish() for server in self.servers])
        group.end()
        faults = len(self._faults()) - faults
        self.table.add(f"memory limited: {how}", count, "all restarts and accessories reported", f"{faults} faults" if faults else "as expected",
                       faults == 0)
        if not group.path:
            self.table.skip("memory limited by a control group", group.reason)


def set_clock(path, seconds):
    with open(path, "r+b") as file:
        file.write(struct.pack("=q", seconds))


def address_space(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


class MemoryGroup:
    """Creates a control group with one process. Returns no path and the reason if this is impossible."""

    # For versions 2 and 1: the path, the line of a process, the limit, the usage, and the value for no limit.
    KINDS = (("/sys/fs/cgroup", "0::", "memory.max", "memory.current", "max"),
             ("/sys/fs/cgroup/memory", ":memory:", "memory.limit_in_bytes", "memory.usage_in_bytes", "-1"))

    def __init__(self, pid):
        self.path, self.reason, self._pid = None, "", pid
        with open(f"/proc/{pid}/cgroup", encoding="ascii") as file:
            lines = file.read().splitlines()
        for root, mark, self._limit, self._used, self._none in self.KINDS:
            own = next((line.split(mark, 1)[1] for line in lines if mark in line), None)
            if own is None or not os.path.exists(f"{root}/cgroup.procs"):
                continue
            path = f"{root}{own.rstrip('/')}/endure-{pid}"
            try:
                os.mkdir(path)
                if not os.path.exists(f"{path}/{self._limit}"):
                    raise OSError("the memory controller is not delegated")
                self._former = f"{root}{own}/cgroup.procs"
                self._write(f"{path}/cgroup.procs", pid)
                self.path = path
                return
            except OSError as error:
                self.reason = f"a control group cannot be created: {error}"
                if os.path.isdir(path):
                    os.rmdir(path)
        self.reason = self.reason or "this machine has no control groups"

    def _write(self, path, value):
        with open(path, "w", encoding="ascii") as file:
            file.write(str(value))

    def limit(self, more):
        with open(f"{self.path}/{self._used}", encoding="ascii") as file:
            # Memory that the process used before it joined the group is not counted there.
            self._write(f"{self.path}/{self._limit}", int(file.read()) + more)

    def free(self):
        self._write(f"{self.path}/{self._limit}", self._none)

    def end(self):
        if self.path:
            self._write(self._former, self._pid)
            os.rmdir(self.path)
