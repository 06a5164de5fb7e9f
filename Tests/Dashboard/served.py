# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""`sensorctl dashboard` as a separate process."""
import json
import os
import subprocess
import threading


class Served:
    """A dashboard that runs until the end of `with`."""

    tool = None

    def __init__(self, *arguments, port=0, before=()):
        command = [*before, self.tool, "dashboard", "--json", "--port", str(port), *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.notes = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.reader.join()
            raise AssertionError(f"{' '.join(command)} ended with {self.process.returncode}: {' '.join(self.notes)}")
        said = json.loads(line)
        self.address, self.port, self.token = said["uri"], said["port"], said.get("token")

    def _read(self):
        for line in self.process.stderr:
            self.notes.append(line.strip())
            del self.notes[:-50]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def seconds(self):
        """The CPU time in seconds."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """The resident memory in MiB."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
