# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The board from the view of the checks: its sensors, sysfs and the tool."""

import json
import re
import shlex
import signal

TESTER = "setpriv --reuid tester --regid tester --init-groups env HOME=/home/tester"
PARAMETERS = "/sys/module/vboard/parameters"


class Watch:
    """The output of `sensorctl watch --json`."""

    def __init__(self, result):
        self.status = result.status
        self.errors = result.errors
        self.events = [json.loads(line) for line in result.output.splitlines() if line.startswith("{")]
        values = {"x", "pressure", "latitude", "quaternion"}
        self.readings = [event for event in self.events if not values.isdisjoint(event)]
        self.problems = [event for event in self.events if "error" in event.get("callback", "")]

    @property
    def times(self):
        return [reading["timestamp"] for reading in self.readings]

    def gaps(self, limit):
        """Returns the intervals between readings that exceed the limit, in seconds."""
        times = self.times
        return [after - before for before, after in zip(times, times[1:]) if after - before > limit]


class Board:
    def __init__(self, machine):
        self.machine = machine
        # Restores the usual state of the hardware after each check.
        self.restore = lambda: None
        # The uptime at which the last script ended. A separate request would return a later time, because the clock of
        # a guest that waits for requests runs fast.
        self.ended = 0

    # Scripts

    def run(self, script, timeout=120):
        """Runs a script as root, and returns its result."""
        result = self.machine.run(script, timeout)
        self.ended = result.uptime
        return result

    def output(self, script, timeout=120):
        """Returns the standard output of a script that has to succeed."""
        result = self.run(script, timeout)
        assert result.status == 0, f"{script.strip().splitlines()[0]}: {result}"
        return result.output.strip()

    def start(self, script, timeout=120):
        return self.machine.start(script, timeout)

    def wait(self, condition, seconds=60):
        """Waits until a shell condition is true. Returns whether it becomes true."""
        script = f"while ! {{ {condition}; }}; do [ $SECONDS -lt {seconds} ] || exit 1; sleep 0.25; done"
        return self.run(script, seconds * 2).status == 0

    def find(self, pattern, path, count=1, seconds=60, after=None):
        """Waits until the given number of lines of a file match a regular expression; with `after`, only lines that begin with a
        greater number count. The output is the last of these lines; the status is not 0 if there are fewer.
        """
        return self.machine.find(pattern, path, count, seconds, after)

    def tidy(self):
        """Ends the remaining processes of a check, and restores the hardware."""
        self.run("pkill -KILL sensorctl; pkill -KILL iio_readdev; true")
        self.restore()

    def uptime(self):
        """The seconds since the start of the machine."""
        return float(self.output("cut -d' ' -f1 /proc/uptime"))

    # sysfs

    def device(self, name):
        """Returns the directory of the IIO device with this name."""
        found = self.run(f"grep -lx {shlex.quote(name)} /sys/bus/iio/devices/iio:device*/name").output.split()
        assert found, f"there is no IIO device {name}"
        return found[0].rsplit("/", 1)[0]

    def read(self, path):
        return self.output(f"tr -d '\\0' <{shlex.quote(path)}")

    def write(self, path, value):
        self.output(f"echo {shlex.quote(str(value))} >{shlex.quote(path)}")

    def set(self, **parameters):
        """Sets parameters of the chips, see vboard.c."""
        for name, value in parameters.items():
            self.write(f"{PARAMETERS}/{name}", value)

    def enabled_buffers(self):
        """Returns the directories of IIO devices whose buffer is enabled."""
        return self.run("grep -l 1 /sys/bus/iio/devices/iio:device*/buffer/enable").output.split()

    def kernel_faults(self):
        """Returns the lines in which the kernel reports a fault of its own.

        Chips without regulators are unbound with a warning of the regulator core. A chip that failed while its buffer was
        enabled is unbound with a warning about its interrupt entry in proc. Neither is an error of the tool.
        """
        lines = self.run("dmesg").output.splitlines()
        return [line for line in lines if re.search(r"Oops|BUG:|general protection|WARNING:(?!.*(_regulator_disable|remove_proc_entry))", line)]

    # The tool

    def start_watch(self, *arguments, user=False, source="local:"):
        """source: the libiio address of the sensors."""
        setting = f"{TESTER if user else 'env'} DEVICE_SERVICES_IIO={source}"
        return self.start(f"exec {setting} sensorctl watch {' '.join(arguments)} --json")

    def watch(self, *arguments, seconds=None):
        """Runs `sensorctl watch`. With `seconds`, it is interrupted after that time; otherwise it has to end by
        itself."""
        limit = f"timeout --signal=INT {seconds}" if seconds else ""
        return Watch(self.run(f"{limit} sensorctl watch {' '.join(arguments)} --json"))

    def finish(self, job, number=signal.SIGINT):
        """Ends a running watch, and returns its output."""
        return Watch(job.stop(number))

    def doctor(self, user=False):
        return self.run(f"{TESTER if user else ''} sensorctl doctor --seconds 1", 60).output
