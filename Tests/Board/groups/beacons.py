# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Beacons through the real BlueZ, its unit and the system bus, with Bluetooth controllers behind /dev/vhci."""

from checks import Group
from ranging import (
    OUTPUT, REGION, Ranging, assert_reported, control, during, failures, pause_between, is_received, plug, unplug)


def is_powered(adapter):
    """Returns a shell condition that BlueZ has powered an adapter on."""
    return f"busctl get-property org.bluez /org/bluez/{adapter} org.bluez.Adapter1 Powered 2>&1 | grep -q true"


def prepare(board):
    board.output("modprobe hci_vhci")
    board.restore = lambda: restore(board)
    restore(board)
    assert board.wait(is_powered("hci0")), f"the adapter is not powered on: {board.run('journalctl -n 20')}"


def restore(board):
    """Restores bluetoothd and the first controller with one beacon, and removes all others."""
    unplug(board, 1)
    if board.run("[ -p /run/vbt0.ctl ]").status != 0:
        plug(board, 0)
    board.output("systemctl start bluetooth && udevadm settle")
    control(board, 0, "fail 200c 0")
    control(board, 0, "slow 200c 0")


group = Group("beacons", "Beacons through BlueZ", prepare, init="/opt/board/init-systemd")
check = group.check


@check("Distance and proximity match signal strength and power, and a silent beacon is reported as unknown", short=False)
def quality(board):
    # The power at one metre and the signal strength, in dBm, and the proximity.
    beacons = {1: (-59, -50, "immediate"), 2: (-59, -65, "near"), 3: (-70, -66, "near"), 4: (-59, -80, "far")}
    for minor, (power, strength, _) in beacons.items():
        kind = "alt" if minor == 2 else "ib"
        control(board, 0, f"{kind} b{minor} 02000000BB0{minor} {REGION} 9 {minor} {power} {strength} 0.2")
    ranging = Ranging(board)
    ranging.expect(pattern=r"\"major\":9,\"minor\":4")
    board.run("sleep 3")
    change = board.ended
    control(board, 0, "rssi b4 -75")
    control(board, 0, "off b1")
    off = board.ended
    board.run("sleep 8")
    events = ranging.end()
    for minor in beacons:
        control(board, 0, f"off b{minor}")

    def reports(minor, after, before=float("inf")):
        return [beacon for time, event in events for beacon in event.get("beacons", [])
                if beacon["major"] == 9 and beacon["minor"] == minor and after < time < before]

    for minor, (power, strength, proximity) in beacons.items():
        report = reports(minor, 0, change)[-1]
        distance = 10 ** ((power - strength) / 20)
        assert report["rssi"] == strength and report["proximity"] == proximity, report
        assert abs(report["accuracy"] - distance) < 0.01 * distance, f"{report}, expected {distance} m"
    report = reports(4, off + 6.5)[-1]
    assert report["rssi"] == -75 and abs(report["accuracy"] - 10 ** 0.8) < 0.1, f"after a change to -75 dBm: {report}"
    unknown = reports(1, off + 3.5)
    values = {(report["rssi"], report["proximity"], report["accuracy"]) for report in unknown}
    assert values == {(0, "unknown", -1)}, values
    assert not reports(1, off + 6.5), f"a beacon that is silent for longer than 5 s: {reports(1, off + 6.5)}"


@check("The first program loses no beacon while a second one and a scan by bluetoothctl start and end", short=False)
def programs(board):
    first = Ranging(board)
    first.expect()
    second = Ranging(board, f"{OUTPUT}.second")
    second.expect()
    board.run("(echo scan on; sleep 2; echo scan off; sleep 1; echo quit) | bluetoothctl >/dev/null")
    second.expect(since=board.ended)
    others = second.end()
    first.expect(since=board.ended + 3)
    events = first.end()
    assert not failures(events) + failures(others), failures(events) + failures(others)
    received = [time for time, event in events if is_received(event)]
    gaps = [b - a for a, b in zip(received, received[1:]) if b - a > 4]
    assert not gaps, f"the first program did not receive the beacon for {gaps} s"


@check("Two programs that start simultaneously range without an error", short=False)
def at_once(board):
    # BlueZ receives the second scan request before the controller has started scanning. It responds only to one of them
    # in this case.
    control(board, 0, "slow 200c 1.2")
    programs = [Ranging(board), Ranging(board, f"{OUTPUT}.second")]
    since = [program.expect() for program in programs]
    control(board, 0, "slow 200c 0")
    for program in programs:
        program.expect(since=max(since) + 12)
    reasons = [failures(program.end()) for program in programs]
    assert reasons == [[], []], reasons


@check("A user outside the group bluetooth ranges beacons, as the manual states for Debian")
def user(board):
    groups = board.output("id -nG tester").split()
    assert "bluetooth" not in groups, groups
    ranging = Ranging(board, user=True)
    ranging.expect()
    board.run("sleep 2")
    events = ranging.end()
    assert not failures(events), failures(events)


@check("Beacons are received again after bluetoothd crashed and was restarted immediately")
def crash(board):
    # The unit cannot be started before systemd has detected its end.
    ended = "while systemctl --quiet is-active bluetooth; do sleep 0.1; done"
    restart = f"systemctl kill --signal=KILL bluetooth; {ended}; systemctl start bluetooth"
    reasons, note = during(board, lambda: board.output(restart), within=25)
    assert_reported(reasons, "bluetoothd has exited")
    return note


@check("Beacons are received again after a restart of BlueZ's unit", short=False)
def restart(board):
    reasons, note = during(board, lambda: board.output("systemctl restart bluetooth"), within=25)
    assert reasons, "no loss was reported"
    return note


@check("Beacons are received again after the controller refused to scan for 5 s")
def refusal(board):
    control(board, 0, "fail 200c 12")
    ranging = Ranging(board)
    ranging.expect(pattern="didFailRangingFor")
    board.run("sleep 4")
    control(board, 0, "fail 200c 0")
    end = board.ended
    again = ranging.expect(since=end)
    events = ranging.end()
    assert not any(is_received(event) for time, event in events if time < end), events[:3]
    return f"received after {again - end:.1f} s"


@check("An adapter that is powered off for 5 s is reported, and beacons are received again", short=False)
def power(board):
    off, on = (f"bluetoothctl --timeout 2 power {state}" for state in ("off", "on"))
    reasons, note = during(board, lambda: pause_between(board, off, on), within=15)
    assert_reported(reasons, "switched off")
    return note


@check("An adapter that is blocked by rfkill for 5 s is reported, and beacons are received again", short=False)
def rfkill(board):
    files = "$(grep -lx bluetooth /sys/class/rfkill/*/type)"
    block, unblock = (f"for file in {files}; do echo {value} >${{file%/*}}/soft; done" for value in (1, 0))
    reasons, note = during(board, lambda: pause_between(board, block, unblock), within=25)
    assert_reported(reasons, "switched off")
    # systemd-rfkill saves the state only at its end, and blocks adapters that are plugged in before that.
    assert board.wait("! systemctl --quiet is-active systemd-rfkill"), "systemd-rfkill has not ended"
    return note


@check("An adapter that is unplugged for 5 s is reported, and beacons are received again", short=False)
def replaced(board):
    def fault():
        unplug(board, 0)
        pause = pause_between(board, ":", ":")
        plug(board, 0)
        return pause

    reasons, note = during(board, fault, within=25)
    # BlueZ powers the adapter off before it removes it.
    assert_reported(reasons, "adapter")
    return note


@check("Each of two adapters is used when the other one is unplugged", short=False)
def second_adapter(board):
    plug(board, 1)
    assert board.wait(is_powered("hci1")), "the second adapter is not powered on"
    _, note = during(board, lambda: unplug(board, 0), within=25)
    plug(board, 0)
    assert board.wait(is_powered("hci0")), "the first adapter is not powered on"
    _, other = during(board, lambda: unplug(board, 1), within=25)
    return f"{note}, {other}"


@check("A bluetoothd that does not respond is reported, and beacons are received again when it resumes", short=False)
def hang(board):
    stop, resume = (f"systemctl kill --signal={signal} bluetooth" for signal in ("STOP", "CONT"))
    reasons, note = during(board, lambda: pause_between(board, stop, resume, seconds=25), within=15)
    assert_reported(reasons, "not respond")
    return note


@check("Beacons are received again after a restart of the system bus, which starts BlueZ")
def bus(board):
    reasons, note = during(board, lambda: board.output("systemctl restart dbus"), within=30)
    assert reasons, "no loss was reported"
    return note


@check("A board without Bluetooth is reported, and beacons are received after an adapter is plugged in", short=False)
def no_hardware(board):
    unplug(board, 0)
    board.output("systemctl stop bluetooth; modprobe -r bnep rfcomm hci_vhci bluetooth; [ ! -e /sys/class/bluetooth ]")
    ranging = Ranging(board)
    ranging.expect(pattern="didFailRangingFor")
    board.output("modprobe hci_vhci")
    plug(board, 0)
    ranging.expect(since=board.ended)
    reasons = failures(ranging.end())
    # For 25 s, the bus tries to start the unit of BlueZ, whose condition is false.
    assert "adapter" in reasons[0] or "is not running" in reasons[0], reasons
