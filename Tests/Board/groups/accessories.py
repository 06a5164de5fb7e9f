# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Accessories on USB, with the kernel's gadget drivers as devices, used without root privileges."""

import gadgets
import talk
from checks import Group

PROPERTIES = (
    'SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0001", '
    'ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.serial"'
)
CONFIGURATION = (
    '{"accessories":{"rules":[{"vendor":"1209","product":"0002","protocols":["com.example.hid"],"reportLength":64}]}}'
)
SETTINGS = "/etc/device-services.json"
NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp"
# The length of a report of the HID device.
MESSAGE = "measure".ljust(63, ".")


def prepare(board):
    board.gadgets = gadgets.load(board)
    for gadget in board.gadgets:
        gadget.plug()
    board.restore = lambda: board.run(f"rm -f {gadgets.MUTE}; pkill -x tr")


group = Group("accessories", "Accessories on USB", prepare)
check = group.check


def access(board):
    return board.output("stat --format='%G %a' /dev/hidraw0")


def set_up(board):
    if board.run(f"test -e {SETTINGS}").status == 0:
        return
    board.output(f"cat >{SETTINGS} <<'END'\n{CONFIGURATION}\nEND")
    talk.grant(board, PROPERTIES)


@check("The printed rules grant access to a HID device only if the configuration names it")
def grant(board):
    assert access(board) == "root 600", access(board)
    talk.grant(board, PROPERTIES)
    assert access(board) == "root 600", f"without a configuration: {access(board)}"
    set_up(board)
    assert access(board) == "dialout 660", access(board)


@check("Serial port, HID device and bulk endpoints echo every message, in order and unchanged")
def echo(board):
    set_up(board)
    board.output(f"for i in $(seq 1000 1200); do echo $i {MESSAGE[5:]}; done >/run/sent")
    for gadget in board.gadgets:
        result = board.run(
            f"{talk.TESTER} sensorctl talk '{gadget.product}' --wait 3 </run/sent >/run/answers; echo $?; cmp /run/answers /run/sent")
        assert result.output == "0\n", f"{gadget.product}: {result}"


@check("A user outside the group gets an error with the node, its group and the remedy")
def refused(board):
    set_up(board)
    for gadget in board.gadgets:
        result = board.run(f"echo | {NOBODY} sensorctl talk '{gadget.product}'")
        assert result.status == 77, f"{gadget.product}: {result}"
        assert "group dialout)" in result.errors and "usermod -a -G dialout" in result.errors, result.errors


@check("A second program reports the process that uses the accessory, and the first one keeps its session")
def two_programs(board):
    set_up(board)
    for gadget in board.gadgets:
        first = talk.Run(board, f"talk '{gadget.product}'")
        first.wait_for('"event":"opened"')
        result = board.run(f"echo | {talk.TESTER} sensorctl talk '{gadget.product}'")
        first.send(f"{MESSAGE}\\n")
        first.wait_for('"event":"in"')
        first.interrupt()
        assert result.status == 69, f"{gadget.product}: {result}"
        assert "in use by sensorctl.bin" in result.errors, f"{gadget.product}: {result.errors}"
        assert first.text() == MESSAGE + "\n", f"{gadget.product}: {first.text()!r}"


def start_watch(board):
    set_up(board)
    watch = talk.Run(board, "watch accessories")
    watch.wait_for("connectedAccessories")
    return watch


def replug(watch, gadget):
    """Plugs in a device again, and asserts that it responds.

    The device's own serial port may first send its pending output.
    """
    watch.wait_for(f"EAAccessoryDidDisconnect.*{gadget.product}")
    gadget.plug()
    watch.wait_for(f"EAAccessoryDidConnect.*{gadget.product}")
    result = watch.board.run(f"echo {MESSAGE} | {talk.TESTER} sensorctl talk '{gadget.product}'")
    assert result.status == 0 and result.output.endswith(f"{MESSAGE}\n"), f"{gadget.product}: {result}"


def assert_one_disconnection_each(board, watch):
    watch.interrupt()
    for gadget in board.gadgets:
        talk.assert_changes(watch, 1, gadget.product)


@check("An accessory that is unplugged while it floods ends once and returns once, without an earlier lost line")
def reading(board):
    watch = start_watch(board)
    counts = []
    for gadget in board.gadgets:
        run = talk.Run(board, f"talk '{gadget.product}'")
        run.send(f"{'FLOOD'.ljust(63)}\\n")
        run.wait_for('"event":"in"', 20)
        gadget.unplug()
        talk.assert_ended(run, board.ended)
        counts.append(talk.assert_numbered(run.text(), length=16))
        replug(watch, gadget)
    assert_one_disconnection_each(board, watch)
    return f"{', '.join(map(str, counts))} lines"


@check("An accessory that is unplugged while it does not read ends once and returns once")
def writing(board):
    watch = start_watch(board)
    for gadget in board.gadgets:
        run = talk.Run(board, f"talk '{gadget.product}'")
        board.output(f"touch {gadgets.MUTE}")
        run.write_continuously()
        run.wait_for('"event":"out"', 2)
        board.run("sleep 1")
        gadget.unplug()
        talk.assert_ended(run, board.ended)
        assert "bytes were not sent" in run.errors, f"{gadget.product}: {run.errors}"
        board.restore()
        replug(watch, gadget)
    assert_one_disconnection_each(board, watch)
