#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs a program with devices described for umockdev, which can be added and removed.

    umockdev-wrapper /usr/bin/python3 mock_stage.py PROGRAM [ARGUMENT]...     requires gir1.2-umockdev-1.0, python3-gi

Reads commands from its input, one per line, and responds to each with a line {"event":"done"}. The program's output goes to
the same output.

    load FILE                       adds devices, with a message about each
    event ACTION PATH               a message about a device; PATH as in /sys/devices/...
    vanish PATH...                  removes devices, the common parent last; the program is notified after the files are gone
    attribute PATH NAME VALUE       sets an attribute
    property PATH NAME VALUE        sets a udev property
    start                           starts the program
    program TEXT                    sends a line to the program
    end                             ends the program
"""
import json
import os
import shutil
import signal
import subprocess
import sys

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402


def say(**fields):
    # Written in one piece, because the program writes to the same output.
    os.write(1, (json.dumps(fields) + "\n").encode())


def main():
    testbed = UMockdev.Testbed.new()
    root = testbed.get_root_dir()
    program = None
    for line in sys.stdin:
        words = line.split()
        verb, rest = words[0], words[1:]
        if verb == "load":
            testbed.add_from_file(rest[0])
        elif verb == "event":
            testbed.uevent(rest[1], rest[0])
        elif verb == "vanish":
            # As with the kernel, although umockdev needs the files for its messages.
            program.send_signal(signal.SIGSTOP)
            for path in rest:
                testbed.uevent(path, "remove")
            shutil.rmtree(root + rest[-1])
            program.send_signal(signal.SIGCONT)
        elif verb == "attribute":
            testbed.set_attribute(*rest)
        elif verb == "property":
            testbed.set_property(*rest)
        elif verb == "start":
            # Python's environment is older than the testbed.
            environment = {**os.environ, "UMOCKDEV_DIR": root}
            program = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, env=environment)
        elif verb == "program":
            program.stdin.write((" ".join(rest) + "\n").encode())
            program.stdin.flush()
        elif verb == "end":
            program.stdin.close()
            say(event="ended", status=program.wait())
            return
        else:
            sys.exit(f"unknown command {verb}")
        say(event="done")


main()
