#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A HID sensor hub behind /dev/uhid, for which the kernel's hid-sensor-* drivers create IIO devices.

    hidsensors.py [NAME=x,y,z ...]    the sensors and their initial values; without arguments all six sensors

The names are accel (mG), gyro (0.1 deg/s), magn (mGauss), incl (0.1 deg), als (lux) and press (Pa).
als and press have one value. The FIFO $HIDCTL (/run/hid.ctl) accepts commands, one per line:

    NAME=x,y,z ...            sets the values of sensors
    mute NAME, unmute NAME    stops and resumes the input reports of a sensor
    sent                      logs the number of input reports of each sensor
    quit                      removes the hub and exits

$HIDNAME and $HIDUNIQ set the name and the serial number of the hub, $HIDLOG (/run/hid.log) the log file.
"""

import os
import struct
import sys
import time
from collections import namedtuple

import control

# linux/uhid.h
UHID_DESTROY, UHID_CREATE2, UHID_INPUT2 = 1, 11, 12
UHID_GET_REPORT, UHID_GET_REPORT_REPLY = 9, 10
UHID_SET_REPORT, UHID_SET_REPORT_REPLY = 13, 14
UHID_FEATURE_REPORT = 0
UHID_DATA_MAX = 4096
UHID_READ_SIZE = 4380  # struct uhid_event has 4376 bytes
BUS_USB, VENDOR, PRODUCT, VERSION, COUNTRY = 3, 0x1D6B, 0x0123, 1, 0

# The items of a HID report descriptor.
USAGE_PAGE, USAGE, REPORT_ID, REPORT_SIZE, REPORT_COUNT = 0x04, 0x08, 0x84, 0x74, 0x94
LOGICAL_MINIMUM, LOGICAL_MAXIMUM, UNIT_EXPONENT, UNIT = 0x14, 0x24, 0x54, 0x64
INPUT, FEATURE, ARRAY, VARIABLE = 0x80, 0xB0, 0, 2
COLLECTION, PHYSICAL, APPLICATION, LOGICAL, END_COLLECTION = 0xA0, 0, 1, 2, b"\xC0"
SIZE_CODES = {1: 1, 2: 2, 4: 3}

# Usages and units, linux/hid-sensor-ids.h.
SENSOR_PAGE, SENSOR_COLLECTION = 0x20, 0x01
ACCEL_3D, ACCELERATION, ACCELERATION_X = 0x73, 0x452, 0x453
GYRO_3D, ANGULAR_VELOCITY, ANGULAR_VELOCITY_X = 0x76, 0x456, 0x457
COMPASS_3D, MAGNETIC_HEADING, MAGNETIC_FLUX_X = 0x83, 0x471, 0x485
INCLINOMETER_3D, TILT, TILT_X = 0x86, 0x47E, 0x47F
AMBIENT_LIGHT, LIGHT, ILLUMINANCE = 0x41, 0x4D0, 0x4D1
BAROMETER, PRESSURE, ATMOSPHERIC_PRESSURE = 0x31, 0x430, 0x431
CHANGE_SENSITIVITY = 0x1000  # modifier of a data usage
REPORT_INTERVAL, REPORTING_STATE, POWER_STATE, SENSOR_STATE = 0x30E, 0x316, 0x319, 0x201
FIRST_REPORTING_STATE, FIRST_POWER_STATE, FIRST_SENSOR_STATE = 0x840, 0x850, 0x800
DEFAULT_UNIT, PASCAL = 0, 0xF1E1

# States in reports. Linux counts them from 1, regardless of the logical minimum.
NO_EVENTS, ALL_EVENTS = 1, 2
FULL_POWER, SLEEP = 2, 5
READY = 2
DEFAULT_INTERVAL = 10  # ms

Kind = namedtuple("Kind", "report_id usage data_usage first_axis axes exponent bits unit")
KINDS = {
    "accel": Kind(1, ACCEL_3D, ACCELERATION, ACCELERATION_X, 3, -3, 16, DEFAULT_UNIT),  # G
    "gyro": Kind(2, GYRO_3D, ANGULAR_VELOCITY, ANGULAR_VELOCITY_X, 3, -1, 16, DEFAULT_UNIT),  # deg/s
    "magn": Kind(3, COMPASS_3D, MAGNETIC_HEADING, MAGNETIC_FLUX_X, 3, 0, 16, DEFAULT_UNIT),  # mGauss
    "incl": Kind(4, INCLINOMETER_3D, TILT, TILT_X, 3, -1, 16, DEFAULT_UNIT),  # deg
    "als": Kind(5, AMBIENT_LIGHT, LIGHT, ILLUMINANCE, 1, 0, 16, DEFAULT_UNIT),  # lux
    "press": Kind(6, BAROMETER, PRESSURE, ATMOSPHERIC_PRESSURE, 1, 0, 32, PASCAL),
}
DEFAULT_VALUES = ["accel=0,0,1000", "gyro=0,0,0", "magn=0,200,-430", "incl=0,0,0", "als=123", "press=101325"]


def item(tag, value, size=1):
    return bytes([tag | SIZE_CODES[size]]) + value.to_bytes(size, "little", signed=value < 0)


def limit(tag, value):
    """Returns a logical minimum or maximum, a signed number, in as few bytes as possible."""
    size = next(size for size in SIZE_CODES if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1)
    return item(tag, value, size)


def field(usage, minimum, maximum, bits):
    """Returns the items that the fields of both types start with."""
    limits = limit(LOGICAL_MINIMUM, minimum) + limit(LOGICAL_MAXIMUM, maximum)
    return item(USAGE, usage, 2) + limits + item(REPORT_SIZE, bits) + item(REPORT_COUNT, 1)


def number(tag, usage, minimum, maximum, bits, scale):
    return field(usage, minimum, maximum, bits) + scale + item(tag, VARIABLE)


def enumeration(tag, usage, first, count):
    states = b"".join(item(USAGE, first + index, 2) for index in range(count))
    return field(usage, 0, count - 1, 8) + item(COLLECTION, LOGICAL) + states + item(tag, ARRAY) + END_COLLECTION


def sensor_collection(kind):
    """Returns the descriptor of a sensor: a feature report with its settings and an input report with its values."""
    exponent = item(UNIT_EXPONENT, kind.exponent & 15)
    minimum, maximum = (-0x8000, 0x7FFF) if kind.bits == 16 else (-0x7FFFFFFF, 0x7FFFFFFF)
    items = item(USAGE, kind.usage) + item(COLLECTION, PHYSICAL) + item(REPORT_ID, kind.report_id)
    items += enumeration(FEATURE, REPORTING_STATE, FIRST_REPORTING_STATE, 6)
    items += enumeration(FEATURE, POWER_STATE, FIRST_POWER_STATE, 6)
    items += number(FEATURE, REPORT_INTERVAL, 0, 0x7FFFFFFF, 32, item(UNIT_EXPONENT, 0))
    items += number(FEATURE, CHANGE_SENSITIVITY | kind.data_usage, 0, 0xFFFF, 16, exponent)
    items += enumeration(INPUT, SENSOR_STATE, FIRST_SENSOR_STATE, 7)
    for usage in range(kind.first_axis, kind.first_axis + kind.axes):
        items += number(INPUT, usage, minimum, maximum, kind.bits, item(UNIT, kind.unit, 4) + exponent)
    return items + item(UNIT, DEFAULT_UNIT, 4) + END_COLLECTION


def report_descriptor(names):
    start = item(USAGE_PAGE, SENSOR_PAGE) + item(USAGE, SENSOR_COLLECTION) + item(COLLECTION, APPLICATION)
    return start + b"".join(sensor_collection(KINDS[name]) for name in names) + END_COLLECTION


def parse_values(words):
    pairs = [word.split("=") for word in words]
    return {name: [int(value) for value in values.split(",")] for name, values in pairs}


class SensorHub:
    def __init__(self, values, name, serial_number):
        self.values = values
        self.names = {KINDS[sensor].report_id: sensor for sensor in values}
        self.features = {
            report_id: bytearray(struct.pack("<BBBIH", report_id, NO_EVENTS, SLEEP, DEFAULT_INTERVAL, 0))
            for report_id in self.names}
        self.muted = set()
        self.due = {}  # the time of the next input report by report ID
        self.sent = {sensor: 0 for sensor in values}
        self.device = os.open("/dev/uhid", os.O_RDWR)
        descriptor = report_descriptor(values)
        strings = struct.pack("<128s64s64s", name.encode(), b"virt0", serial_number.encode())
        numbers = struct.pack("<HHIIII", len(descriptor), BUS_USB, VENDOR, PRODUCT, VERSION, COUNTRY)
        self.write_event(UHID_CREATE2, strings + numbers, descriptor)

    def write_event(self, event, header=b"", data=None):
        """Writes an event to uhid, with the data padded to the fixed size of the kernel's structures."""
        padded = b"" if data is None else data.ljust(UHID_DATA_MAX, b"\0")
        os.write(self.device, struct.pack("<I", event) + header + padded)

    def is_reporting(self, report_id):
        _, reporting_state, power_state = self.features[report_id][:3]
        is_on = power_state == FULL_POWER or reporting_state == ALL_EVENTS
        return is_on and self.names[report_id] not in self.muted

    def interval(self, report_id):
        """Returns the report interval in seconds, at least 1 ms."""
        return max(1, int.from_bytes(self.features[report_id][3:7], "little")) / 1000

    def input_report(self, report_id):
        name = self.names[report_id]
        value_format = "<h" if KINDS[name].bits == 16 else "<i"
        return bytes([report_id, READY]) + b"".join(struct.pack(value_format, value) for value in self.values[name])

    def send_due_reports(self):
        """Sends the due input reports. Returns the seconds until the next one, or None if all sensors are off."""
        now = time.monotonic()
        for report_id, name in self.names.items():
            if not self.is_reporting(report_id):
                self.due.pop(report_id, None)
                continue
            interval = self.interval(report_id)
            due = self.due.setdefault(report_id, now + interval)
            if now >= due:
                report = self.input_report(report_id)
                self.write_event(UHID_INPUT2, struct.pack("<H", len(report)), report)
                self.sent[name] += 1
                is_late = due + interval < now
                self.due[report_id] = (now if is_late else due) + interval
        return min(self.due.values()) - now if self.due else None

    def handle_event(self, data, log):
        event = struct.unpack_from("<I", data)[0]
        if event == UHID_GET_REPORT:
            request, report_id, report_type = struct.unpack_from("<IBB", data, 4)
            is_feature = report_type == UHID_FEATURE_REPORT
            report = bytes(self.features[report_id]) if is_feature else self.input_report(report_id)
            log.write(f"get {report_id} {report_type} {report.hex()}\n")
            self.write_event(UHID_GET_REPORT_REPLY, struct.pack("<IHH", request, 0, len(report)), report)
        elif event == UHID_SET_REPORT:
            request, report_id, report_type, size = struct.unpack_from("<IBBH", data, 4)
            report = data[12:12 + size]
            self.features[report_id][:len(report)] = report
            log.write(f"{time.monotonic():.3f} set {report_id} {report_type} {report.hex()}\n")
            self.write_event(UHID_SET_REPORT_REPLY, struct.pack("<IH", request, 0))
        else:
            log.write(f"event {event}\n")

    def execute(self, words, log):
        match words:
            case ["quit", *_]:
                self.write_event(UHID_DESTROY)
                sys.exit()
            case ["mute", name, *_]:
                self.muted.add(name)
            case ["unmute", name, *_]:
                self.muted.discard(name)
            case ["sent", *_]:
                log.write(f"sent {self.sent}\n")
            case _:
                self.values.update(parse_values(words))


def serve(hub):
    """Serves a hub and its FIFO in an endless loop."""
    fifo = control.open_fifo(os.environ.get("HIDCTL", "/run/hid.ctl"))
    log = open(os.environ.get("HIDLOG", "/run/hid.log"), "w", buffering=1)
    control.serve(
        hub.device, fifo, wait=hub.send_due_reports,
        handle_device=lambda: hub.handle_event(os.read(hub.device, UHID_READ_SIZE), log),
        execute=lambda words: hub.execute(words, log))


def main():
    values = parse_values(sys.argv[1:] or DEFAULT_VALUES)
    serve(SensorHub(values, os.environ.get("HIDNAME", "Virtual sensor hub"), os.environ.get("HIDUNIQ", "0001")))


if __name__ == "__main__":
    main()
