# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Saved states of booted machines, stored next to their disks. Restoring takes one second, booting twenty."""

import collections
import hashlib
import os
import shutil
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The files that determine the state of a machine when it is saved.
SOURCES = ["state.py", "machine.py", "guest/init", "guest/init-systemd", "guest/agent.py", "guest/sensorctl"]
# The number of saved states per set of disks, of 0.6 GB each. A run uses three.
LIMIT = 6

locks = collections.defaultdict(threading.Lock)


class SavedState:
    """The memory and devices of a booted machine, in a file that may not exist yet."""

    def __init__(self, image, command, payload):
        """command: qemu's command without paths that differ between runs. payload: the second disk."""
        program = os.stat(shutil.which(command[0]))
        hardware = (program.st_size, program.st_mtime_ns, payload.stat().st_size, *map(str, command))
        digest = hashlib.sha256(repr(hardware).encode())
        for name in SOURCES:
            digest.update((HERE / name).read_bytes())
        self.path = image.disk.parent / f"{digest.hexdigest()[:16]}.state"
        # Held while a machine with this state starts, so that only one machine boots.
        self.lock = locks[self.path]

    @property
    def options(self):
        """Returns the qemu options that restore the state."""
        # Removes the least recently used states.
        os.utime(self.path)
        return ["-incoming", f"exec:cat '{self.path}'"]

    def restore(self, machine):
        """Waits until a machine that was started with these options has loaded the state, and resumes it."""
        while machine.monitor("query-status")["status"] == "inmigrate":
            time.sleep(0.05)
        machine.resume()

    def remove(self):
        self.path.unlink(missing_ok=True)

    def save(self, machine):
        """Saves the state of a machine, which is paused in the meantime."""
        part = self.path.with_suffix(f".{os.getpid()}.part")
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
        self.remove_others()

    def remove_others(self):
        """Removes the least recently used states, and partial files of killed runs."""
        folder = self.path.parent
        for part in folder.glob("*.part"):
            if not Path(f"/proc/{part.suffixes[-2][1:]}").exists():
                part.unlink(missing_ok=True)
        states = sorted(folder.glob("*.state"), key=lambda path: path.stat().st_mtime)
        for path in states[:-LIMIT]:
            path.unlink(missing_ok=True)
