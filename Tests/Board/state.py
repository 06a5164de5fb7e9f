# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""States of machines that have booted, kept beside their disks: restoring one takes a second, booting twenty."""

import hashlib
import os
import shutil
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What runs in a guest before its state is saved.
PROGRAMS = ["guest/init", "guest/init-systemd", "guest/agent.py", "guest/sensorctl"]
# The number of states that are kept for one set of disks.
LIMIT = 4


class SavedState:
    """The memory and the devices of a machine that has booted, in a file that may not exist yet."""

    def __init__(self, image, emulator, hardware):
        """emulator: the program of qemu, another version of which may not read the state.
        hardware: all that differs between machines with these disks.
        """
        program = os.stat(shutil.which(emulator))
        digest = hashlib.sha256(repr((program.st_size, program.st_mtime_ns, hardware)).encode())
        for name in PROGRAMS:
            digest.update((HERE / name).read_bytes())
        self.path = image.disk.parent / f"{digest.hexdigest()[:16]}.state"

    @property
    def options(self):
        """The options of qemu that restore the state."""
        return ["-incoming", f"exec:cat '{self.path}'"]

    def restore(self, machine):
        """Waits until a machine that was started with these options has the state, and lets it go on."""
        while machine.monitor("query-status")["status"] == "inmigrate":
            time.sleep(0.05)
        machine.resume()

    def save(self, machine):
        """Saves the state of a machine, which stands still meanwhile."""
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}-{id(machine)}")
        machine.pause()
        machine.monitor("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        try:
            machine.monitor("migrate", uri=f"exec:cat >'{part}'")
            while (status := machine.monitor("query-migrate")["status"]) not in ("completed", "failed", "cancelled"):
                time.sleep(0.05)
            if status == "completed":
                os.replace(part, self.path)
            else:
                print(f"the state of the machine could not be saved: {status}", flush=True)
        finally:
            part.unlink(missing_ok=True)
        machine.resume()
        states = sorted(self.path.parent.glob("*.state"), key=lambda path: path.stat().st_mtime)
        for path in states[:-LIMIT]:
            path.unlink(missing_ok=True)
