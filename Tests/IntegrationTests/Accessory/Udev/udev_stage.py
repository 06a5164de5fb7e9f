#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs a program in a separate network namespace and sends it device messages as udevd does.

    udev_stage.py [--daemon] PROGRAM [ARGUMENT]...     run as root of a new network and mount namespace

With --daemon, udevd's control socket exists from the beginning. Reads commands from its input, one per line, and responds to
each with a line {"event":"done"}. The program's output goes to the same output.

    add|remove|change PATH SUBSYSTEM [KEY=VALUE]...   one message; PATH as in /devices/virtual/tty/tty5
    storm COUNT SUBSYSTEM                             adds COUNT nonexistent devices, then removes them
    pairs COUNT PATH SUBSYSTEM                        removes and adds one device COUNT times
    malformed COUNT SEED                              invalid messages of all kinds
    huge PATH SUBSYSTEM BYTES                         an add with one property of this size
    daemon yes|no                                     creates or removes udevd's control socket
    kernel ACTION PATH                                makes the kernel send a message
    program TEXT                                      sends a line to the program
    log                                               prints the program's log
    end                                               ends the program

The layout of a message: a header of 40 bytes ("libudev" and a zero, the number 0xfeedcafe, the size of the header, offset
and length of the properties, MurmurHash2 of subsystem and type, a Bloom filter of tags), and then each KEY=VALUE with a
terminating zero. Numbers are in native byte order, except for the magic number and the hashes, which are big-endian.
"""
import json
import os
import random
import socket
import struct
import subprocess
import sys

GROUP = 2
CONTROL = "/run/udev/control"
LOG = "/run/log"
MASK = 0xFFFFFFFF


def murmur2(data, seed=0):
    """MurmurHash2, 32 bits, as published by Austin Appleby."""
    m, h = 0x5BD1E995, (seed ^ len(data)) & MASK
    while len(data) >= 4:
        k = struct.unpack("<I", data[:4])[0] * m & MASK
        k = (k ^ k >> 24) * m & MASK
        h = h * m & MASK ^ k
        data = data[4:]
    if data:
        h = (h ^ int.from_bytes(data, "little")) * m & MASK
    h = (h ^ h >> 13) * m & MASK
    return h ^ h >> 15


class Sender:
    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)
        self.socket.bind((0, 0))
        self.number = 1000
        self.heads = {}

    def raw(self, data):
        try:
            self.socket.sendto(data, (0, GROUP))
        except OSError as error:
            # No process is listening, or its buffer is full. Both are expected.
            if error.errno not in (111, 105):
                raise

    def message(self, properties, subsystem, kind=""):
        body = b"".join(p + b"\0" for p in properties)
        key = (subsystem, kind)
        if key not in self.heads:
            self.heads[key] = (murmur2(subsystem.encode()), murmur2(kind.encode()) if kind else 0)
        first, second = self.heads[key]
        return (b"libudev\0" + struct.pack(">I", 0xFEEDCAFE) + struct.pack("=III", 40, 40, len(body))
                + struct.pack(">IIII", first, second, 0, 0) + body)

    def send(self, action, path, subsystem, more=()):
        self.number += 1
        kind = next((p.split("=", 1)[1] for p in more if p.startswith("DEVTYPE=")), "")
        properties = [f"ACTION={action}", f"DEVPATH={path}", f"SUBSYSTEM={subsystem}", f"SEQNUM={self.number}", *more]
        self.raw(self.message([p.encode() for p in properties], subsystem, kind))

    def storm(self, count, subsystem):
        for action in ("add", "remove"):
            for index in range(count):
                self.send(action, f"/devices/virtual/tty/ttyX{index}", subsystem, (f"DEVNAME=/dev/ttyX{index}",))

    def pairs(self, count, path, subsystem):
        for _ in range(count):
            for action in ("remove", "add"):
                self.send(action, path, subsystem)

    def malformed(self, count, seed):
        chance = random.Random(seed)
        good = self.message([b"ACTION=add", b"DEVPATH=/devices/virtual/tty/ttyX0", b"SUBSYSTEM=tty", b"SEQNUM=1"], "tty")
        bodies = [
            [b"ACTION=add", b"SUBSYSTEM=tty"], [b"DEVPATH=/devices/virtual/tty/ttyX0", b"SUBSYSTEM=tty"],
            [b"ACTION=add", b"DEVPATH=/../etc", b"SUBSYSTEM=tty", b"SEQNUM=1"],
            [b"ACTION=add", b"DEVPATH=", b"SUBSYSTEM=tty", b"SEQNUM=1"], [b"", b"", b""], [b"=", b"==", b"a"],
            [b"ACTION=add", b"DEVPATH=/devices/\xff\xfe", b"SUBSYSTEM=tty", b"SEQNUM=x", b"MAJOR=999999999999999999999"],
            [b"ACTION=frobnicate", b"DEVPATH=/devices/virtual/tty/ttyX0", b"SUBSYSTEM=tty", b"SEQNUM=1"],
        ]
        for _ in range(count):
            kind = chance.randrange(5)
            if kind == 0:
                self.raw(good[:chance.randrange(len(good))] or b"\0")
            elif kind == 1:
                data = bytearray(good)
                for _ in range(chance.randrange(1, 6)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
                self.raw(bytes(data))
            elif kind == 2:
                self.raw(self.message(chance.choice(bodies), "tty"))
            elif kind == 3:
                self.raw(bytes(chance.randrange(256) for _ in range(chance.randrange(1, 200))))
            else:
                # Header fields with invalid offsets.
                data = bytearray(good)
                struct.pack_into("=III", data, 12, chance.choice([0, 40, 1 << 31, MASK]),
                                 chance.choice([0, 40, len(good), MASK]), chance.choice([0, 1, 40, 1 << 20, MASK]))
                self.raw(bytes(data))

    def huge(self, path, subsystem, count):
        self.send("add", path, subsystem, ("HUGE=" + "x" * count,))


def say(**fields):
    # Written in one piece, because the program writes to the same output.
    os.write(1, (json.dumps(fields) + "\n").encode())


def set_daemon(is_there):
    if is_there:
        os.makedirs(os.path.dirname(CONTROL), exist_ok=True)
        open(CONTROL, "w").close()
    else:
        os.remove(CONTROL)


def main():
    arguments = sys.argv[1:]
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    if arguments[0] == "--daemon":
        arguments = arguments[1:]
        set_daemon(True)
    with open(LOG, "w") as log:
        program = subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=log)
    sender = Sender()
    for line in sys.stdin:
        words = line.split()
        verb, rest = words[0], words[1:]
        if verb == "storm":
            sender.storm(int(rest[0]), rest[1])
        elif verb == "pairs":
            sender.pairs(int(rest[0]), rest[1], rest[2])
        elif verb == "malformed":
            sender.malformed(int(rest[0]), int(rest[1]))
        elif verb == "huge":
            sender.huge(rest[0], rest[1], int(rest[2]))
        elif verb == "daemon":
            set_daemon(rest[0] == "yes")
        elif verb == "kernel":
            with open(f"/sys{rest[1]}/uevent", "w") as file:
                file.write(rest[0])
        elif verb == "program":
            program.stdin.write((" ".join(rest) + "\n").encode())
            program.stdin.flush()
        elif verb == "log":
            with open(LOG) as file:
                say(event="log", lines=file.read().splitlines())
        elif verb == "end":
            program.stdin.close()
            say(event="ended", status=program.wait())
            return
        else:
            sender.send(verb, rest[0], rest[1], rest[2:])
        say(event="done")


main()
