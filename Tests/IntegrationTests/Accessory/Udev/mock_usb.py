#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Plugs simulated USB devices into a program that it starts, with umockdev.

Run it as "umockdev-wrapper mock_usb.py PROGRAM [ARGUMENT]...". The program receives an additional argument, a path that
exists instead of udevd's control socket, and its output is forwarded. Reads commands from its input, one per line, and
responds to each with a line "done":

    plug FILE              adds the devices of a description, with a message for each
    unplug FILE            sends the messages of their removal, children first
    describe FILE          like plug, before the program has started
    echo NODE              from now on, echoes the input of a node line by line, as "echo: LINE"
    bulk NODE              makes the interfaces of this USB device echo their input; each call that begins or ends a
                           session is reported as "usbfs: CALL"
    hang NODE              closes the other side of a node, like a driver
    start                  starts the program
    say TEXT               writes a line to the program
    end                    ends the program
"""
import os
import signal
import subprocess
import sys
import threading

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402


def devices(path):
    with open(path, encoding="utf-8") as file:
        return [line[3:].strip() for line in file if line.startswith("P: ")]


class Board:
    def __init__(self):
        self.bed = UMockdev.Testbed.new()
        self.program = None
        self.known = set()
        self.descriptors = {}

    def add(self, path):
        if path not in self.known:
            self.known.add(path)
            self.bed.add_from_file(path)
            return
        # umockdev cannot create a node twice, so the devices were never removed.
        for device in devices(path):
            self.bed.uevent("/sys" + device, "add")

    def unplug(self, path):
        for device in reversed(devices(path)):
            self.bed.uevent("/sys" + device, "remove")

    def echo(self, node):
        descriptor = self.bed.get_dev_fd(node)
        self.descriptors[node] = descriptor
        threading.Thread(target=self.serve, args=(descriptor,), daemon=True).start()

    @staticmethod
    def serve(descriptor):
        # Static, so that the thread does not retain the testbed, whose end removes umockdev's directory.
        line = b""
        while True:
            try:
                data = os.read(descriptor, 4096)
            except OSError as error:
                # No process has opened the other side: waits for one.
                if error.errno == 5:
                    threading.Event().wait(0.01)
                    continue
                return
            if not data:
                return
            line += data
            while b"\n" in line:
                first, line = line.split(b"\n", 1)
                os.write(descriptor, b"echo: " + first + b"\n")

    def bulk(self, node):
        from mock_usbfs import Interfaces

        self.interfaces = Interfaces(lambda text: os.write(1, text.encode() + b"\n"))
        self.bed.attach_ioctl(node, self.interfaces)

    def hang(self, node):
        os.close(self.descriptors.pop(node))

    def start(self):
        root = self.bed.get_root_dir()
        # The messages imitate udevd, so the program has to find that udevd runs.
        self.program = subprocess.Popen(
            [*sys.argv[1:], root], stdin=subprocess.PIPE, env=dict(os.environ, UMOCKDEV_DIR=root))

    def say(self, text):
        self.program.stdin.write(text.encode() + b"\n")
        self.program.stdin.flush()


def main():
    board = Board()
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "end":
            break
        if verb == "say":
            board.say(rest)
        elif verb in ("plug", "describe"):
            board.add(rest)
        elif verb in ("unplug", "echo", "bulk", "hang"):
            getattr(board, verb)(rest)
        elif verb == "start":
            board.start()
        # Written in one piece, because the program writes to the same output.
        os.write(1, b"done\n")
    if board.program:
        board.program.stdin.close()
        board.program.send_signal(signal.SIGTERM)
        board.program.wait()


main()
