# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Beacons through the real BlueZ, with a Bluetooth controller behind /dev/vhci."""

import json

from checks import Group

REGION = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
DAEMON = "/usr/libexec/bluetooth/bluetoothd --nodetach >/run/bluetoothd.log 2>&1 &"


def prepare(board):
    board.output("modprobe hci_vhci && mkdir -p /var/lib/bluetooth")
    board.controller = board.start("exec python3 /opt/board/lecontroller.py", timeout=3600)
    board.output(f"sleep 1; setsid {DAEMON} sleep 3; bluetoothctl --timeout 3 power on")
    control(board, f"ib one 02000000AA01 {REGION} 1 258 -59 -65 0.1")


group = Group("beacons", "Beacons through BlueZ", prepare=prepare)
check = group.check


def control(board, line):
    """Sends a line to the controller."""
    board.output(f"echo '{line}' >/run/vbt.ctl")


def is_discovering(board):
    return "true" in board.run("busctl get-property org.bluez /org/bluez/hci0 org.bluez.Adapter1 Discovering").output


def during(board, fault, seconds):
    """Ranges beacons before, during and after a fault. Returns the events as pairs of time of arrival and text."""
    job = board.start(
        f"""sensorctl watch beacons --beacon {REGION} --json 2>/run/watch.err |
            while read -r line; do echo "$(cut -d' ' -f1 /proc/uptime) $line"; done""", timeout=seconds + 120)
    board.run("sleep 5")
    fault()
    end = float(board.output("cut -d' ' -f1 /proc/uptime"))
    board.run(f"sleep {seconds}")
    board.run("pkill --signal INT sensorctl.bin")
    result = job.wait()
    events = [(float(time), json.loads(text)) for time, _, text in
              (line.partition(" ") for line in result.output.splitlines()) if text.startswith("{")]
    return events, end, board.run("cat /run/watch.err").output


def is_ranging(event):
    return "258" in json.dumps(event)


def assert_heard_again(board, events, end, errors, within):
    assert any(is_ranging(event) for time, event in events if time < end), f"nothing was heard before: {events[:3]} {errors}"
    reported = [event for _, event in events if "rror" in event.get("callback", "") or "fail" in event.get("callback", "").lower()]
    again = [time for time, event in events if time > end and is_ranging(event)]
    assert again, f"nothing was heard afterwards, discovering: {is_discovering(board)}; {events[-2:]} {errors}"
    assert reported or "beacon" in errors, f"the loss was not reported: {errors}"
    assert again[0] - end < within, f"heard again after {again[0] - end:.0f} s"
    return f"heard again after {again[0] - end:.0f} s"


@check("Beacons are heard again after bluetoothd has crashed and was started at once")
def crash(board):
    def fault():
        board.output(f"pkill --signal KILL bluetoothd; setsid {DAEMON} sleep 3")

    events, end, errors = during(board, fault, seconds=25)
    return assert_heard_again(board, events, end, errors, within=20)


@check("Beacons are heard again after the controller has refused to scan for 5 s")
def refusal(board):
    control(board, "fail 200c 12")

    def fault():
        board.run("sleep 1")
        control(board, "fail 200c 0")

    events, end, errors = during(board, fault, seconds=20)
    again = [time for time, event in events if time > end and is_ranging(event)]
    assert again, f"nothing was heard afterwards, discovering: {is_discovering(board)}; {events[-2:]} {errors}"
    return f"heard after {again[0] - end:.0f} s"


@check("A bluetoothd that hangs is reported, and heard again when it goes on")
def hang(board):
    def fault():
        board.output("pkill --signal STOP bluetoothd; sleep 25; pkill --signal CONT bluetoothd")

    events, end, errors = during(board, fault, seconds=15)
    return assert_heard_again(board, events, end, errors, within=12)


@check("Beacons are heard again after a restart of the system bus")
def bus(board):
    def fault():
        board.output(
            f"""pkill dbus-daemon; sleep 1; rm -f /run/dbus/pid; dbus-daemon --system --fork; sleep 1
            pkill bluetoothd; sleep 1; setsid {DAEMON} sleep 3; bluetoothctl --timeout 2 power on""")

    events, end, errors = during(board, fault, seconds=20)
    return assert_heard_again(board, events, end, errors, within=15)
