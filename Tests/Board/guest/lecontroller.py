#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A Bluetooth LE controller behind /dev/vhci that reports advertisements of beacons and can reject HCI commands.

The FIFO $VBTCTL (/run/vbt.ctl) accepts commands, one per line:

    ib NAME ADDRESS UUID MAJOR MINOR POWER RSSI INTERVAL [rand]     adds an iBeacon
    alt NAME ADDRESS UUID MAJOR MINOR POWER RSSI INTERVAL [rand]    adds an AltBeacon
    raw NAME ADDRESS HEX RSSI INTERVAL                              adds a beacon with this advertising data
    rssi NAME DBM                                                   sets the signal strength of a beacon
    off NAME, on NAME                                               stops and resumes a beacon
    fail OPCODE STATUS                                              responds to an HCI command with the status only
    slow OPCODE SECONDS                                             delays the response to an HCI command
    sent                                                            logs the number of reports of each beacon
    quit                                                            exits

INTERVAL is in seconds, OPCODE is hexadecimal, and rand makes the address random; for raw, it is always random.
$VBTADDR (020000000001) sets the address of the controller, $VBTLOG (/run/vbt.log) the log file.
"""

import os
import struct
import sys
import time
import uuid
from dataclasses import dataclass

import control

# Packet types and events, net/bluetooth/hci.h.
COMMAND_PACKET, EVENT_PACKET, VENDOR_PACKET = 0x01, 0x04, 0xFF
COMMAND_COMPLETE, LE_META_EVENT, LE_ADVERTISING_REPORT = 0x0E, 0x3E, 0x02
NONCONNECTABLE = 0x03
PUBLIC_ADDRESS, RANDOM_ADDRESS = 0, 1
CREATE_CONTROLLER = bytes([VENDOR_PACKET, 0])

RESET = 0x0C03
READ_LOCAL_NAME = 0x0C14
READ_LOCAL_VERSION = 0x1001
READ_LOCAL_COMMANDS = 0x1002
READ_LOCAL_FEATURES = 0x1003
READ_BUFFER_SIZE = 0x1005
READ_BD_ADDR = 0x1009
LE_READ_BUFFER_SIZE = 0x2002
LE_READ_LOCAL_FEATURES = 0x2003
LE_READ_ADVERTISING_TX_POWER = 0x2007
LE_SET_SCAN_ENABLE = 0x200C
LE_READ_ACCEPT_LIST_SIZE = 0x200F
LE_RAND = 0x2018
LE_READ_SUPPORTED_STATES = 0x201C

SUCCESS = b"\0"
BLUETOOTH_5_0 = 9
LINUX_FOUNDATION = 0x05F1
# The return parameters after the status. All other commands return the status only.
RETURN_PARAMETERS = {
    READ_LOCAL_NAME: b"vbt".ljust(248, b"\0"),
    READ_LOCAL_VERSION: struct.pack("<BHBHH", BLUETOOTH_5_0, 0, BLUETOOTH_5_0, LINUX_FOUNDATION, 0),
    READ_LOCAL_COMMANDS: (b"\xFF\xFF\xFF\xFF\xFF\x20".ljust(25, b"\0") + b"\xF7\xFF\x07").ljust(64, b"\0"),
    READ_LOCAL_FEATURES: bytes([0, 0, 0, 0, 0x60, 0, 0, 0]),  # LE, no BR/EDR
    READ_BUFFER_SIZE: struct.pack("<HBHH", 192, 0, 1, 0),  # one ACL packet of 192 bytes
    LE_READ_BUFFER_SIZE: struct.pack("<HB", 192, 4),  # four ACL packets of 192 bytes
    LE_READ_LOCAL_FEATURES: bytes(8),
    LE_READ_ADVERTISING_TX_POWER: bytes([0]),  # dBm
    LE_READ_ACCEPT_LIST_SIZE: bytes([8]),
    LE_READ_SUPPORTED_STATES: b"\xFF\xFF\xFF\xFF\xFF\x03\0\0",
}

# Advertising data.
FLAGS = b"\x02\x01\x06"  # general discoverable, no BR/EDR
MANUFACTURER_DATA = 0xFF
APPLE_IBEACON = b"\x4C\x00\x02\x15"
RADIUS_ALTBEACON = b"\x18\x01\xBE\xAC"

IDLE_WAIT = 1.0  # seconds


@dataclass
class Beacon:
    address: bytes
    address_type: int
    data: bytes
    rssi: int
    interval: float
    due: float
    is_on: bool = True

    def advertising_report(self):
        header = bytes([LE_ADVERTISING_REPORT, 1, NONCONNECTABLE, self.address_type])
        return header + self.address + bytes([len(self.data)]) + self.data + struct.pack("<b", self.rssi)


def parse_address(text):
    """Returns an address in the byte order of HCI."""
    return bytes.fromhex(text)[::-1]


def manufacturer_data(data):
    return bytes([len(data) + 1, MANUFACTURER_DATA]) + data


def parse_beacon(words, now):
    """Returns the beacon of an `ib`, `alt` or `raw` command."""
    command, _, address, *parameters = words
    if command == "raw":
        data, rssi, interval = parameters[:3]
        return Beacon(parse_address(address), RANDOM_ADDRESS, bytes.fromhex(data), int(rssi), float(interval), now)
    identifier, major, minor, power, rssi, interval = parameters[:6]
    body = uuid.UUID(identifier).bytes + struct.pack(">HHb", int(major), int(minor), int(power))
    if command == "ib":
        data = FLAGS + manufacturer_data(APPLE_IBEACON + body)
    else:
        data = manufacturer_data(RADIUS_ALTBEACON + body + b"\0")
    address_type = RANDOM_ADDRESS if "rand" in words else PUBLIC_ADDRESS
    return Beacon(parse_address(address), address_type, data, int(rssi), float(interval), now)


class Controller:
    def __init__(self, address):
        self.parameters = {**RETURN_PARAMETERS, READ_BD_ADDR: address}
        self.failures = {}  # status by opcode
        self.delays = {}  # seconds by opcode; the kernel waits for 2 s
        self.beacons = {}
        self.sent = {}
        self.is_scanning = False
        self.device = os.open("/dev/vhci", os.O_RDWR)
        os.write(self.device, CREATE_CONTROLLER)

    def write_event(self, event, parameters):
        os.write(self.device, bytes([EVENT_PACKET, event, len(parameters)]) + parameters)

    def answer(self, opcode):
        """Returns the return parameters of a command, which start with its status."""
        if opcode in self.failures:
            return bytes([self.failures[opcode]])
        if opcode == LE_RAND:
            return SUCCESS + os.urandom(8)
        return SUCCESS + self.parameters.get(opcode, b"")

    def handle_packet(self, packet, log):
        if packet[0] == VENDOR_PACKET:
            log.write(f"index {packet[2:].hex()}\n")
        elif packet[0] == COMMAND_PACKET:
            opcode = struct.unpack_from("<H", packet, 1)[0]
            self.handle_command(opcode, packet[4:], log)

    def handle_command(self, opcode, parameters, log):
        answer = self.answer(opcode)
        log.write(f"{time.monotonic():.3f} cmd {opcode:04x} {parameters.hex()} -> {answer[:12].hex()}\n")
        if opcode == RESET:
            self.is_scanning = False
        elif opcode == LE_SET_SCAN_ENABLE and answer[:1] == SUCCESS:
            self.is_scanning = parameters[0] == 1
        time.sleep(self.delays.get(opcode, 0))
        self.write_event(COMMAND_COMPLETE, struct.pack("<BH", 1, opcode) + answer)

    def advertise(self, now):
        """Reports the advertisements that are due. Returns the seconds until the next one, at most IDLE_WAIT."""
        wait = IDLE_WAIT
        if not self.is_scanning:
            return wait
        for name, beacon in self.beacons.items():
            if not beacon.is_on:
                continue
            if now >= beacon.due:
                self.report_advertisement(beacon)
                self.sent[name] = self.sent.get(name, 0) + 1
                beacon.due = max(beacon.due + beacon.interval, now)
            wait = min(wait, beacon.due - now)
        return wait

    def report_advertisement(self, beacon):
        try:
            self.write_event(LE_META_EVENT, beacon.advertising_report())
        except OSError:
            pass  # The interface is down.

    def execute(self, words, now, log):
        command, *arguments = words
        if command in ("ib", "alt", "raw"):
            self.beacons[arguments[0]] = parse_beacon(words, now)
        elif command == "rssi":
            self.beacons[arguments[0]].rssi = int(arguments[1])
        elif command in ("on", "off"):
            self.beacons[arguments[0]].is_on = command == "on"
            self.beacons[arguments[0]].due = now
        elif command == "fail":
            self.failures[int(arguments[0], 16)] = int(arguments[1])
        elif command == "slow":
            self.delays[int(arguments[0], 16)] = float(arguments[1])
        elif command == "sent":
            log.write(f"sent {self.sent}\n")
        elif command == "quit":
            sys.exit()


def main():
    controller = Controller(parse_address(os.environ.get("VBTADDR", "020000000001")))
    fifo = control.open_fifo(os.environ.get("VBTCTL", "/run/vbt.ctl"))
    log = open(os.environ.get("VBTLOG", "/run/vbt.log"), "w", buffering=1)
    control.serve(
        controller.device, fifo, wait=lambda: controller.advertise(time.monotonic()),
        handle_device=lambda: controller.handle_packet(os.read(controller.device, 1024), log),
        execute=lambda words: controller.execute(words, time.monotonic(), log))


if __name__ == "__main__":
    main()
