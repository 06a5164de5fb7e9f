# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Accessories on USB serial adapters, which the kernel detects as FTDI, used without root privileges."""

import adapters
import talk
from checks import Group

NAME = "QEMU USB SERIAL"
PROPERTIES = (
    'SUBSYSTEM=="tty", ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001", '
    'ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.scale"'
)


def prepare(board):
    board.output("modprobe ftdi_sio")
    talk.grant(board, PROPERTIES)
    board.first = adapters.Echo(board.machine, "first", "one")
    board.second = adapters.Echo(board.machine, "second", "two")
    node = adapters.plug(board, "first", "SN1")
    properties = board.output(f"udevadm info --query=property {node}; cat /etc/udev/rules.d/62-accessories.rules")
    assert "EXTERNAL_ACCESSORY_PROTOCOLS=com.example.scale" in properties, properties


group = Group("serial", "Accessories at USB serial adapters", prepare, adapters=["first", "second"], clock="host")
check = group.check


def start_watch(board):
    watch = talk.Run(board, "watch accessories")
    watch.wait_for("connectedAccessories")
    return watch


def assert_echo(board, accessory, name, within="talk"):
    """Asserts that the device with this name responds to a line, after possible output of an earlier flood."""
    result = board.run(f"printf '\\n{within}\\n' | {talk.TESTER} sensorctl talk {accessory}")
    assert result.status == 0 and result.output.endswith(f"{name} {within}\n"), result


@check("A device at an adapter echoes every line once, in order")
def echo(board):
    board.output("for i in $(seq 2000); do echo measure $i; done >/run/sent && sed 's/^/one /' /run/sent >/run/expected")
    result = board.run(f"{talk.TESTER} sensorctl talk SN1 </run/sent >/run/answers; echo $?; cmp /run/answers /run/expected")
    assert result.output == "0\n", result


@check("An adapter that is unplugged during a flood ends once and returns once, without an earlier lost line")
def reading(board):
    watch = start_watch(board)
    run = talk.Run(board, "talk SN1")
    board.first.count = 0
    run.send("FLOOD\\n")
    run.wait_for('"event":"in"', 20)
    board.first.unplug()
    talk.assert_ended(run, board.uptime())
    count = talk.assert_numbered(run.text(), length=14)
    replug(board, watch)
    return f"{count} lines"


@check("An adapter that is unplugged during a write ends once and returns once, and receives only written bytes")
def writing(board):
    watch = start_watch(board)
    run = talk.Run(board, "talk SN1")
    board.first.received = 0
    run.write_continuously()
    run.wait_for('"event":"out"', 20)
    board.first.unplug()
    talk.assert_ended(run, board.uptime())
    written = sum(event["bytes"] for event in run.lines('"event":"out"'))
    note = f"{board.first.received} of {written} bytes arrived"
    assert 0 < board.first.received <= written, note
    replug(board, watch)
    return note


def replug(board, watch):
    """Plugs in the first adapter again, and asserts that it disconnected and reconnected once and responds."""
    watch.wait_for("EAAccessoryDidDisconnect")
    board.first.reset()
    adapters.plug(board, "first", "SN1")
    watch.wait_for("EAAccessoryDidConnect")
    assert_echo(board, "SN1", "one")
    board.run("sleep 1")
    watch.interrupt()
    talk.assert_changes(watch, 1, NAME)


@check("Each of 20 unpluggings while reading and writing and each return is reported once, and no descriptor is leaked")
def some_unpluggings(board):
    return unpluggings(board, 10)


@check("Each of 200 unpluggings while reading and writing and each return is reported once, and no descriptor is leaked",
       short=False)
def many_unpluggings(board):
    return unpluggings(board, 100)


def unpluggings(board, times):
    """Unplugs an adapter the given number of times while a program reads, and as often while it writes."""
    watch = start_watch(board)
    run = talk.Run(board, "talk SN1 --follow", is_long=True)
    run.wait_for('"event":"opened"')
    unplug_and_plug(board, watch, run, 1)
    before = watch.descriptors(), run.descriptors()
    board.first.is_flooding = True
    for number in range(2, times + 2):
        run.wait_for('"event":"in"', number - 1)
        unplug_and_plug(board, watch, run, number)
    board.first.reset()
    run.write_continuously()
    for number in range(times + 2, 2 * times + 2):
        run.wait_for('"event":"out"', number - times - 1)
        unplug_and_plug(board, watch, run, number)
    board.run("pkill -x tr; sleep 2")
    after = watch.descriptors(), run.descriptors()
    run.interrupt()
    watch.interrupt()
    talk.assert_changes(watch, 2 * times + 1, NAME)
    events = [event["event"] for event in run.lines('"event":"\\(opened\\|ended\\)"')]
    assert events == ["opened", "ended"] * (2 * times + 1) + ["opened"], f"{len(events)} ends and returns: {events[-6:]}"
    assert after == before, f"open before: {before}, afterwards: {after}"
    return f"{len(after[0]) + len(after[1])} descriptors before and afterwards"


def unplug_and_plug(board, watch, run, number):
    """Returns the number of this unplugging since the start of a watching program and of a talking one."""
    board.first.unplug()
    run.wait_for('"event":"ended"', number)
    watch.wait_for("EAAccessoryDidDisconnect", number)
    adapters.plug(board, "first", "SN1")
    run.wait_for('"event":"opened"', number + 1)
    watch.wait_for("EAAccessoryDidConnect", number)


@check("Two adapters of one product are distinguished by serial number, or by node if the numbers are equal")
def identical(board):
    for serial in ("SN2", "SN1"):
        first = board.output("ls /dev/ttyUSB*")
        second = adapters.plug(board, "second", serial)
        assert_echo(board, first, "one")
        assert_echo(board, second, "two")
        if serial == "SN2":
            assert_echo(board, "SN1", "one")
            assert_echo(board, "SN2", "two")
        else:
            status = board.run(f"echo | {talk.TESTER} sensorctl talk SN1").status
            assert status == 64, f"a serial number of two adapters: exit status {status}"
        # The end of one connection does not end the other.
        run = talk.Run(board, f"talk {first}")
        run.wait_for('"event":"opened"')
        watch = start_watch(board)
        board.second.unplug()
        watch.wait_for("EAAccessoryDidDisconnect")
        run.send("still there\\n")
        run.wait_for("one still there")
        run.interrupt()
        watch.interrupt()
        (gone,) = watch.lines("EAAccessoryDidDisconnect")
        assert gone["accessory"]["serial"] == serial, gone
