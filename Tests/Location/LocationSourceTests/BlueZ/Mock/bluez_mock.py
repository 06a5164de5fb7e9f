#!/usr/bin/python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A separate bus with the BlueZ of python-dbusmock, controlled by lines on standard input.

    bluez_mock.py FOLDER

The bus listens at FOLDER/bus. The response to each command is one line, which begins with "error" if the command failed.
Everything ends at the end of the input.

    bluez                         starts bluetoothd
    kill                          ends it
    adapter hci0                  adds an adapter, which is powered on
    unplug hci0                   removes it
    power hci0 on|off
    device hci0 ADDRESS           adds a device without manufacturer data
    hear hci0 ADDRESS RSSI HEX    sends an advertisement of the device with Apple's manufacturer data
    strength hci0 ADDRESS RSSI    sends only its signal strength
    forget hci0 ADDRESS           removes the device
    discovering hci0              prints whether the adapter is discovering, and the filter
    interrupt hci0                ends the discovery, as another program would
"""
import os
import subprocess
import sys
import time

import dbus

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
    <allow send_type="signal"/><allow send_requested_reply="true"/><allow receive_type="method_call"/>
    <allow receive_type="signal"/><allow receive_requested_reply="true"/></policy>
</busconfig>
"""
ADAPTER, DEVICE, MOCK = "org.bluez.Adapter1", "org.bluez.Device1", "org.freedesktop.DBus.Mock"


class Board:
    def __init__(self, folder):
        self.bluetoothd = None
        with open(folder + "/bus.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=folder))
        self.daemon = subprocess.Popen(["dbus-daemon", "--config-file", folder + "/bus.conf", "--nofork", "--print-address"],
                                       stdout=subprocess.PIPE, text=True)
        self.address = self.daemon.stdout.readline().strip()
        self.bus = dbus.bus.BusConnection(self.address)

    def bluez(self):
        environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=self.address)
        self.bluetoothd = subprocess.Popen([sys.executable, "-m", "dbusmock", "--template", "bluez5"], env=environment,
                                           stdout=subprocess.DEVNULL)
        while not self.bus.name_has_owner("org.bluez"):
            time.sleep(0.01)

    def kill(self):
        self.bluetoothd.kill()
        self.bluetoothd.wait()
        while self.bus.name_has_owner("org.bluez"):
            time.sleep(0.01)

    def call(self, path, interface, member, *arguments):
        return self.bus.get_object("org.bluez", path, introspect=False).get_dbus_method(member, interface)(*arguments)

    def update(self, path, interface, properties):
        self.call(path, MOCK, "UpdateProperties", interface, dbus.Dictionary(properties, signature="sv"))

    def do(self, word, *arguments):
        path = "/org/bluez/" + arguments[0] if arguments else ""
        if len(arguments) > 1 and word != "power":
            path += "/dev_" + arguments[1].replace(":", "_")
        if word == "bluez":
            self.bluez()
        elif word == "kill":
            self.kill()
        elif word == "adapter":
            self.call("/", "org.bluez.Mock", "AddAdapter", arguments[0], "board")
        elif word == "unplug":
            self.call("/", "org.bluez.Mock", "RemoveAdapterWithDevices", arguments[0])
        elif word == "power":
            self.update(path, ADAPTER, {"Powered": dbus.Boolean(arguments[1] == "on")})
        elif word == "device":
            self.call("/", "org.bluez.Mock", "AddDevice", arguments[0], arguments[1], "beacon")
        elif word == "hear":
            data = dbus.Array([dbus.Byte(byte) for byte in bytes.fromhex(arguments[3])], signature="y", variant_level=1)
            # UpdateProperties of this dbusmock version does not support dictionaries.
            changes = {
                "RSSI": dbus.Int16(int(arguments[2])),
                "ManufacturerData": dbus.Dictionary({dbus.UInt16(0x004C): data}, signature="qv"),
            }
            self.call(path, MOCK, "EmitSignal", dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as", dbus.Array(
                [DEVICE, dbus.Dictionary(changes, signature="sv"), dbus.Array([], signature="s")], signature="v"))
        elif word == "strength":
            self.update(path, DEVICE, {"RSSI": dbus.Int16(int(arguments[2]))})
        elif word == "forget":
            self.call("/org/bluez/" + arguments[0], ADAPTER, "RemoveDevice", dbus.ObjectPath(path))
        elif word == "discovering":
            properties = self.call(path, dbus.PROPERTIES_IFACE, "GetAll", ADAPTER)
            names = sorted(f"{key}={value}" for key, value in properties.get("DiscoveryFilter", {}).items())
            return " ".join(["yes" if properties["Discovering"] else "no"] + names)
        elif word == "interrupt":
            self.update(path, ADAPTER, {"Discovering": dbus.Boolean(False)})
        else:
            return "error: no such command"
        return "ok"


def main():
    board = Board(sys.argv[1])
    try:
        print("ready", flush=True)
        for line in sys.stdin:
            try:
                print(board.do(*line.split()), flush=True)
            except dbus.exceptions.DBusException as error:
                print("error:", " ".join(str(error).split()), flush=True)
    finally:
        if board.bluetoothd:
            board.bluetoothd.kill()
        board.daemon.kill()


main()
