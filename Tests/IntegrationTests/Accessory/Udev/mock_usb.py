#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Plugs USB devices that do not exist into the program that it starts, by umockdev.

To be run as "umockdev-wrapper mock_usb.py PROGRAM [ARGUMENT]...". The program gets one more argument, a path that exists
in the place of udevd's control socket, and what it writes is passed on. Reads commands
from its input, a line each, and answers each with a line "done":

    plug FILE              adds the devices of a description, with a message for each
    unplug FILE            sends the messages of their removal, children first
    describe FILE          the same, before the program has started
    echo NODE              from now on sends back what is written to a node, a line at a time, as "echo: LINE"
    bulk NODE              has the interfaces of that USB device send back what they are sent; each call that begins or
                           ends a session is told, as "usbfs: CALL"
    hang NODE              ends the other side of a node, as a driver does
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
        # umockdev cannot make a node twice: the devices were never taken away.
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
        # Without the board, whose end takes umockdev's folder away.
        line = b""
        while True:
            try:
                data = os.read(descriptor, 4096)
            except OSError as error:
                # Nobody has the other side open: wait for one who does.
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
        # Messages come as if from udevd: the program is told that it runs.
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
        # In one piece: the program writes to the same place.
        os.write(1, b"done\n")
    if board.program:
        board.program.stdin.close()
        board.program.send_signal(signal.SIGTERM)
        board.program.wait()


main()
