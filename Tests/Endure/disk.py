# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A disk that becomes full while `sensorctl record` writes to it, and is freed: one error, and no recorded data is
lost."""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Attack"))
import running  # noqa: E402  Runs the tool, as in Tests/Attack.

NUMBER = re.compile(rb'"lat":0\.(\d{6})')


class Disk:
    """Creates a file system of a few KiB in a separate namespace. Returns no path and the reason if this is
    impossible."""

    SIZE = 512 << 10

    def __init__(self, folder):
        self.reason = ""
        os.makedirs(folder, exist_ok=True)
        self._holder = subprocess.Popen(
            ["unshare", "-Urm", "sh", "-c", f'mount -t tmpfs -o size={self.SIZE >> 10}k none "$0" && echo mounted && exec cat', folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self._holder.stdout.readline() != "mounted\n":
            self.reason = "a file system cannot be mounted in a namespace: " + self._holder.communicate()[1].strip().splitlines()[-1]
            self.path = None
            return
        self.inside = folder
        self.path = f"/proc/{self._holder.pid}/root{folder}"
        self.before = ["nsenter", "-t", str(self._holder.pid), "-U", "-m", "--preserve-credentials"]

    def fill(self, remaining):
        """Leaves the given number of bytes free."""
        with open(f"{self.path}/filler", "wb") as file:
            file.write(bytes(self.free() - remaining))

    def free(self):
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize

    def clear(self, *names):
        for name in ("filler", *names):
            if os.path.exists(f"{self.path}/{name}"):
                os.unlink(f"{self.path}/{name}")

    def end(self):
        if self.path:
            self._holder.communicate("")


def record(table, tool, programs, port, work, rounds, seconds):
    """Records a trace and a ring (black box) on the disk."""
    try:
        disk = Disk(os.path.join(work, "disk"))
    except OSError as error:
        return table.skip("disk full and freed", f"unshare cannot be run: {error}")
    if not disk.path:
        return table.skip("disk full and freed", disk.reason)
    wrong, recorded, done = [], 0, 0
    until = time.monotonic() + seconds
    try:
        while done < rounds and (done < 2 or time.monotonic() < until):
            ring = done % 2 == 1
            recorded += _round(disk, running.Tool(tool, work), programs, port, done + 1, ring, wrong)
            done += 1
    finally:
        disk.end()
    table.add("disk full and freed during record, with and without --ring", done, "one error and status 74; then records again; all readable",
              "; ".join(wrong[:2]) or f"as expected, {recorded} fixes on the disk", not wrong)


def _round(disk, tool, programs, port, number, ring, wrong):
    settings = {"DEVICE_SERVICES_GPSD": f"gpsd://127.0.0.1:{port}"}
    common = ["--parts", "position", *(["--ring", "1m", "--after", "1s"] if ring else [])]
    os.makedirs(f"{disk.path}/{number}")
    target = f"{disk.inside}/{number}/" + ("" if ring else "full.trace")
    disk.fill(24 << 10)
    identifier = programs.send("gpsd", port, number, 400, "quiet")
    run = tool.start(["record", target, *common, "--duration", "60"], settings=settings, before=disk.before, limit=90)
    result = run.wait()
    # A warning that ends with "error 111" may precede the error if gpsd had not started in time.
    errors = [line for line in result.err.decode(errors="replace").splitlines() if line.startswith("sensorctl: error: ")]
    if result.status != 74 or len(errors) != 1:
        wrong.append(f"ended with {result.end}, and printed {len(errors)} errors: {errors[:2]}")
    programs.response(identifier, 120)
    full = [] if ring else _numbers(f"{disk.path}/{number}/full.trace")
    # Space is available again.
    disk.clear()
    identifier = programs.send("gpsd", port, number, 60, "quiet")
    run = tool.start(["record", target if ring else target.replace("full", "after"), *common], settings=settings, before=disk.before,
                     limit=90)
    programs.response(identifier, 120)
    time.sleep(1.2)  # The ring writes to the disk every second.
    run.kill(signal.SIGUSR1 if ring else signal.SIGTERM)
    if ring:
        # The trace of the previous recording and its own.
        run.wait_until(lambda run: run.err.count(b"saved") >= 2, limit=50)
        run.kill(signal.SIGTERM)
    result = run.wait()
    if result.status != 0:
        wrong.append(f"after the disk was freed, ended with {result.end}: {result.err[-200:]}")
    traces = [name for name in sorted(os.listdir(f"{disk.path}/{number}")) if name.endswith(".trace")]
    found = [_numbers(f"{disk.path}/{number}/{name}") for name in traces]
    if ring and len(traces) != 2:
        wrong.append(f"the ring saved {traces} instead of one trace of each recording")
    for name, numbers in zip(traces, found):
        if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            wrong.append(f"{name} has {len(numbers)} fixes with gaps, or none")
        info = tool.run(["info", f"{disk.inside}/{number}/{name}"], before=disk.before)
        if info.status != 0:
            wrong.append(f"{name} cannot be read: {info.end}")
    subprocess.run(["rm", "-rf", f"{disk.path}/{number}"], check=True)
    return sum(len(numbers) for numbers in found) if ring else len(full) + len(found[-1])


def _numbers(path):
    """Returns the numbers of the fixes in a trace, without a truncated last line."""
    with open(path, "rb") as file:
        data = file.read()
    return [int(found) for found in NUMBER.findall(data[:data.rfind(b"\n") + 1])]
