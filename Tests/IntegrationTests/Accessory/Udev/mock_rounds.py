#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Plugs in a serial device, exchanges data and unplugs it under umockdev, repeatedly, next to a running program.

    umockdev-wrapper /usr/bin/python3 mock_rounds.py FILE GREETING PROGRAM [ARGUMENT]...

FILE describes one USB device with one tty. GREETING is the first output of the program. Reads commands from its input, one
per line, and responds to each with "done" or with "failed: " and the reason. The program's output goes to the same output.

    start                  starts the program; prints "program PID" first
    plug NUMBER            adds the device, with a message for each of its parts. With 0, it has the path and node of FILE,
                           each time with another pseudo-terminal behind the node; with another number, which must be new,
                           umockdev creates another port, device number and node
    talk LENGTH            waits for the greeting and sends a pattern of this length in bytes
    emptied                waits until the program has read all sent data
    unplug ORDER           removes the files of the device, hangs up its terminal and sends messages. ORDER is the event
                           that the program detects first: "terminal" or "message"
    say TEXT               writes a line to the program
    end                    ends the program
"""
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time
import tty

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

# The time limit of all waits in seconds, sufficient for a busy machine.
LIMIT = 60


def say(text):
    # Written in one piece, because the program writes to the same output.
    os.write(1, text.encode() + b"\n")


def pattern(length):
    places = (place % 65521 for place in range(length))
    return bytes((place * 167 + (place >> 8)) & 0xFF for place in places)


class Device:
    """The plugged-in device: a description, and the paths of its parts."""

    def __init__(self, text, number):
        self.paths = [line[3:] for line in text.split("\n") if line.startswith("P: ")]
        usb = self.paths[0]
        terminal = next(line[3:] for line in text.split("\n") if line.startswith("N: tty"))
        if number:
            port = f"{usb.rsplit('/', 1)[1].split('-')[0]}-{number + 100}"
            name = f"ttyACM{number + 100}"
            text = text.replace(usb.rsplit("/", 1)[1], port).replace(terminal, name)
            # Bus and device determine the name of the node. A hub has 127 devices, so bus numbers are used up instead.
            bus, device = 2 + number // 100, 1 + number % 100
            text = text.replace("bus/usb/001/005", f"bus/usb/{bus:03}/{device:03}")
            text = text.replace("BUSNUM=001", f"BUSNUM={bus:03}").replace("DEVNUM=005", f"DEVNUM={device:03}")
            text = text.replace("busnum=1\\n", f"busnum={bus}\\n").replace("devnum=5\\n", f"devnum={device}\\n")
            # The MINOR of both nodes, which must be unique for the kind of device.
            text = text.replace("MINOR=4\n", f"MINOR={(bus - 1) * 128 + device - 1}\n")
            text = text.replace("MINOR=0\n", f"MINOR={number + 100}\n").replace("166:0", f"166:{number + 100}")
            terminal = name
        self.text = text
        self.node = "/dev/" + terminal
        self.paths = [line[3:] for line in text.split("\n") if line.startswith("P: ")]


class Board:
    def __init__(self, path):
        self.bed = UMockdev.Testbed.new()
        self.root = self.bed.get_root_dir()
        self.text = pathlib.Path(path).read_text(encoding="utf-8")
        self.program = None
        self.device = None
        self.master = self.slave = -1
        # The files of a device that will return to its path: the targets of links, or the contents.
        self.kept = []
        self.is_kept = False

    def start(self):
        # Python's environment is older than the testbed.
        environment = {**os.environ, "UMOCKDEV_DIR": self.root}
        self.program = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, env=environment)
        say(f"program {self.program.pid}")

    def plug(self, number):
        if self.kept and number == "0":
            self.restore()
        else:
            self.device = Device(self.text, int(number))
            self.bed.add_from_string(self.device.text)
            self.master = self.bed.get_dev_fd(self.device.node)
            # Keeps the terminal open, because no other process may open it later. It shows how much the program has
            # read.
            self.slave = os.open(os.readlink(self.root + self.device.node), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.is_kept = number == "0"
        os.set_blocking(self.master, False)

    def talk(self, length):
        greeting = sys.argv[2].encode()
        received = b""
        while len(received) < len(greeting):
            self.wait(self.master, select.POLLIN)
            received += os.read(self.master, 4096)
        if received != greeting:
            raise ValueError(f"the program wrote {received!r}")
        rest = pattern(int(length))
        while rest:
            self.wait(self.master, select.POLLOUT)
            rest = rest[os.write(self.master, rest):]

    def emptied(self):
        deadline = time.monotonic() + LIMIT
        while self.ready(self.slave, select.POLLIN, 0):
            if time.monotonic() > deadline:
                raise TimeoutError("the program does not read")
            time.sleep(0.001)

    def unplug(self, order):
        if order == "terminal":
            self.hang_up()
            self.remove()
        else:
            self.remove()
            self.hang_up()

    def hang_up(self):
        os.close(self.master)
        os.close(self.slave)
        self.master = self.slave = -1

    def remove(self):
        # As with the kernel, the files are removed before the program is notified, although umockdev needs them for its
        # messages.
        self.program.send_signal(signal.SIGSTOP)
        for path in reversed(self.device.paths):
            self.bed.uevent("/sys" + path, "remove")
        self.kept = []
        if self.is_kept:
            os.rename(f"{self.root}/sys{self.device.paths[0]}", f"{self.root}/kept")
        else:
            shutil.rmtree(f"{self.root}/sys{self.device.paths[0]}")
        # The links to the device, and the nodes. There is no other device.
        for folder in ("sys/bus", "sys/class", "sys/dev", "dev"):
            for entry in sorted(pathlib.Path(f"{self.root}/{folder}").rglob("*")):
                if entry.is_symlink():
                    self.kept.append((entry, os.readlink(entry), None))
                elif entry.is_file():
                    self.kept.append((entry, None, entry.read_bytes()))
                else:
                    continue
                entry.unlink()
        self.program.send_signal(signal.SIGCONT)

    def restore(self):
        """Restores the device, because umockdev cannot create a node twice."""
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.slave, False)
        terminal = os.ttyname(self.slave)
        for entry, target, content in self.kept:
            if entry.parent.name == ".ptymap":
                # umockdev uses this to give the terminal the device number of the node.
                entry = entry.with_name(terminal.replace("/", "_"))
            elif target and target.startswith("/dev/pts/"):
                target = terminal
            if target:
                entry.symlink_to(target)
            else:
                entry.write_bytes(content)
        os.rename(f"{self.root}/kept", f"{self.root}/sys{self.device.paths[0]}")
        for path in self.device.paths:
            self.bed.uevent("/sys" + path, "add")

    def say(self, text):
        self.program.stdin.write(text.encode() + b"\n")
        self.program.stdin.flush()

    def ready(self, descriptor, events, seconds):
        poll = select.poll()
        poll.register(descriptor, events)
        return bool(poll.poll(seconds * 1000))

    def wait(self, descriptor, events):
        if not self.ready(descriptor, events, LIMIT):
            raise TimeoutError("nothing happens on the device's side")


def main():
    board = Board(sys.argv[1])
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "end":
            break
        try:
            getattr(board, verb)(*([rest] if rest else []))
            say("done")
        except (OSError, ValueError, gi.repository.GLib.Error) as error:
            say(f"failed: {verb} {rest}: {error}")
    if board.program:
        board.program.stdin.close()
        board.program.wait()


main()
