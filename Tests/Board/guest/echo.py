#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The device side of an accessory. Echoes its input; after "FLOOD" it writes endless numbered lines.

    echo.py /dev/ttyGS0     a serial port or HID device of the kernel's gadget drivers
    echo.py /dev/gadget     a separate bulk device, through GadgetFS

It does not read while /run/mute exists.
"""

import os
import struct
import sys
import threading
import time
import tty

MUTE = "/run/mute"
BLOCK = 64  # in bytes: a report of the HID device
PROTOCOL = "com.example.bulk"

DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT = 1, 2, 3, 4, 5
GET_DESCRIPTOR, SET_CONFIGURATION = 6, 9
SETUP = 3


def block(number):
    """Returns a block of numbered lines, of 16 bytes each."""
    return b"".join(b"line %010d\n" % (number * BLOCK // 16 + line) for line in range(BLOCK // 16))


def serve(source, sink):
    """Serves one connection. Raises OSError when it ends."""
    while True:
        while os.path.exists(MUTE):
            time.sleep(0.05)
        data = os.read(source, 4096)
        if not data:
            raise OSError("the end of the file")
        if data.startswith(b"FLOOD"):
            number = 0
            while True:
                write(sink, block(number))
                number += 1
        write(sink, data)


def write(sink, data):
    while data:
        data = data[os.write(sink, data):]


def serve_node(path):
    while True:
        try:
            node = os.open(path, os.O_RDWR | os.O_NOCTTY)
            if os.isatty(node):
                tty.setraw(node)
        except OSError:
            time.sleep(0.1)
            continue
        try:
            serve(node, node)
        except OSError:
            time.sleep(0.1)
        os.close(node)


class BulkDevice:
    """An interface FF/F0/01 whose alternate setting 1 has two bulk endpoints."""

    STRINGS = {1: "Example", 2: "Bulk Thing", 3: "SN3", 4: PROTOCOL}

    def __init__(self, folder):
        self.folder = folder
        (name,) = os.listdir(folder)
        self.control = os.open(f"{folder}/{name}", os.O_RDWR)
        device = struct.pack("<BBHBBBBHHHBBBB", 18, DEVICE, 0x200, 0, 0, 0, 64, 0x1209, 3, 0x100, 1, 2, 3, 1)
        os.write(self.control, bytes(4) + self.configuration(64) + self.configuration(512) + device)

    @staticmethod
    def endpoint(address, size):
        return struct.pack("<BBBBHB", 7, ENDPOINT, address, 2, size, 0)

    def configuration(self, size):
        body = self.interface(0, 0) + self.interface(1, 2) + self.endpoint(0x81, size) + self.endpoint(0x02, size)
        return struct.pack("<BBHBBBBB", 9, CONFIGURATION, 9 + len(body), 1, 1, 0, 0xC0, 50) + body

    @staticmethod
    def interface(alternate, endpoints):
        return struct.pack("<BBBBBBBBB", 9, INTERFACE, 0, alternate, endpoints, 0xFF, 0xF0, 0x01, 4)

    def open_endpoint(self, name, address):
        endpoint = os.open(f"{self.folder}/{name}", os.O_RDWR)
        os.write(endpoint, struct.pack("<I", 1) + self.endpoint(address, 64) + self.endpoint(address, 512))
        return endpoint

    def transfer(self, source, sink):
        """Serves the endpoints until the device is unplugged."""
        try:
            serve(source, sink)
        except OSError as error:
            print(error, flush=True)
        os.close(source)
        os.close(sink)

    def acknowledge(self):
        os.read(self.control, 0)

    def run(self):
        thread = None
        while True:
            setup, kind = struct.unpack("<8sI", os.read(self.control, 12))
            if kind != SETUP:
                continue
            direction, request, value, _, length = struct.unpack("<BBHHH", setup)
            if request == SET_CONFIGURATION and value:
                if thread:
                    thread.join()
                endpoints = self.open_endpoint("ep2out-bulk", 0x02), self.open_endpoint("ep1in-bulk", 0x81)
                self.acknowledge()
                thread = threading.Thread(target=self.transfer, args=endpoints, daemon=True)
                thread.start()
            elif request == GET_DESCRIPTOR and value >> 8 == STRING:
                os.write(self.control, self.string(value & 0xFF)[:length])
            elif direction & 0x80:
                os.read(self.control, 0)  # A read instead of a write rejects the request.
            else:
                self.acknowledge()

    def string(self, index):
        data = self.STRINGS[index].encode("utf-16-le") if index else struct.pack("<H", 0x409)
        return bytes([2 + len(data), STRING]) + data


def main():
    path = sys.argv[1]
    if os.path.isdir(path):
        BulkDevice(path).run()
    else:
        serve_node(path)


main()
