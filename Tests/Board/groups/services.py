# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The packaged units under systemd: their access with and without grants, and their recordings."""

import re

import chips
import package
from checks import Group
from units import NEWEST, STATE, assert_sandboxed, show, start, stop, trace, wait_until

RECORD, BLACK_BOX = package.UNITS
GYRO_SCALE = 0.001064724
POWER = "/sys/module/test_power/parameters"
GADGET = "/sys/kernel/config/usb_gadget/scale"


def prepare(board):
    board.output("modprobe test_power && modprobe dummy_hcd && modprobe libcomposite")
    chips.load(board)
    board.set(count=1)
    package.install(board)
    board.receiver = board.start("exec python3 /opt/board/nmeareceiver.py", timeout=3600)
    package.write(board, "/etc/default/gpsd", 'DEVICES="/run/nmea"\nGPSD_OPTIONS="-n"\nUSBAUTO="false"')
    rule = re.search(r"rules\.d/60-device-services\.rules <<'END'\n(.*?)\n\s*END", board.doctor(user=True), re.DOTALL)
    package.write(board, "/etc/udev/rules.d/60-device-services.rules", rule[1].strip())
    board.output("groupadd --system --force iio && udevadm control --reload")
    board.output("udevadm trigger --action=add --subsystem-match=iio && udevadm settle")
    board.restore = lambda: restore(board)


def restore(board):
    board.run(f"systemctl stop {RECORD} {BLACK_BOX}; systemctl reset-failed; rm -rf {STATE}/*/*.trace")
    chips.use(board, *chips.CHIPS)


group = Group("services", "Packaged units under systemd", prepare, init="/opt/board/init-systemd")
check = group.check


def gyroscope(lines):
    """Returns the gyroscope readings with a counter in the x axis, as pairs of time and count."""
    return [(line["t"], round(line["gyroscope"][0] / GYRO_SCALE)) for line in lines
            if "gyroscope" in line and "1-0068" in path_of(lines[0], line["sensor"])]


def path_of(header, sensor):
    return next(entry["path"] for entry in header["sensors"] if entry["id"] == sensor)


def has_motion(board, what="no readings of the buffered sensor"):
    folder = board.device("mpu6050")
    name = folder.rsplit("/", 1)[1]
    wait_until(
        board, f"tail -n 50 {NEWEST} | grep -q '\"gyroscope\".*{name}/' && [ $(cat {folder}/buffer/enable) = 1 ]", what)


def process_at_sensor(board):
    """Returns the process that has opened the node of the MPU-6050."""
    node = board.device("mpu6050").rsplit("/", 1)[1]
    return board.run(f"fuser /dev/{node} 2>/dev/null").output.strip()


def assert_released(board):
    assert not board.enabled_buffers(), f"enabled: {board.enabled_buffers()}"
    used = board.run("fuser /dev/iio:device* 2>/dev/null").output.strip()
    assert not used, f"nodes are open in process {used}"


@check("The exposure level that systemd-analyze reports is the one in the manual", short=False)
def exposure(board):
    claims = package.exposures()
    seen = {}
    for claim, names in {
        "none": (), "gpsd": ("gpsd",), "iio": ("iio",), "usb": ("usb",), "all three": ("gpsd", "iio", "usb"),
    }.items():
        package.grant(board, *names)
        text = board.output(f"systemd-analyze security --no-pager {RECORD} {BLACK_BOX} | grep 'exposure level'")
        levels = [float(level) for level in re.findall(r"exposure level for \S+: ([0-9.]+)", text)]
        assert len(levels) == 2 and max(levels) <= claims[claim], f"{claim}: {levels}, the manual says {claims[claim]}"
        seen[claim] = max(levels)
    return ", ".join(f"{claim} {value}" for claim, value in seen.items())


@check("Without grants, the units run as unprivileged users and record only the battery")
def nothing_granted(board):
    package.grant(board)
    board.write(f"{POWER}/battery_capacity", 50)
    processes = [start(board, unit) for unit in package.UNITS]
    wait_until(board, f"grep -q '\"level\":0.5' {NEWEST}", "no battery in the trace")
    for process in processes:
        assert_sandboxed(board, process)
        files = board.run(f"readlink /proc/{process}/fd/*").output
        assert "/dev/iio" not in files and "/dev/tty" not in files, files
        links = board.output(f"readlink /proc/1/ns/net /proc/{process}/ns/net").split()
        assert links[0] != links[1], "the unit can access the network of the board"
    assert not board.enabled_buffers(), board.enabled_buffers()
    board.write(f"{POWER}/battery_capacity", 70)
    wait_until(board, f"grep -q '^{{\"t\".*\"level\":0.7' {NEWEST}", "no change of the battery in the trace")
    for unit in package.UNITS:
        stop(board, unit)
    modes = board.output(f"stat -c %a {STATE}/recordings {STATE}/black-box {NEWEST}").split()
    assert modes == ["700", "700", "600"], f"other users can read recordings: {modes}"
    lines = trace(board)
    assert "sensors" not in lines[0] and all(set(line) == {"t", "battery"} for line in lines[1:]), lines[:3]


@check("With the grants, positions, buffered sensors at the requested rate and accessories are recorded")
def everything_granted(board):
    package.grant(board, "gpsd", "iio", "usb", unit=RECORD)
    process = start(board, RECORD)
    has_motion(board)
    wait_until(board, f"grep -q '\"class\":\"TPV\".*\"lat\"' {NEWEST}", "no position in the trace")
    assert_sandboxed(board, process)
    assert process_at_sensor(board) == process, f"{process_at_sensor(board)} has the sensor's node open instead of {process}"
    folder = board.device("mpu6050")
    settings = (board.read(f"{folder}/sampling_frequency"), board.read(f"{folder}/current_timestamp_clock"))
    assert settings == ("100", "boottime"), settings
    plug(board)
    wait_until(board, f"grep -q '\"attach\".*Example Scale' {NEWEST}", "no accessory in the trace")
    assert "ttyACM" not in board.run(f"readlink /proc/{process}/fd/*").output, "the accessory is open"
    board.output(f"echo >{GADGET}/UDC")
    wait_until(board, f"grep -q '\"detach\"' {NEWEST}", "no disconnection in the trace")
    stop(board, RECORD)
    assert_released(board)
    lines = trace(board)
    position = next(line["gpsd"] for line in lines if "lat" in str(line.get("gpsd", "")))
    assert "48.137" in str(position) and "11.575" in str(position), position
    counts = [count for _, count in gyroscope(lines)]
    steps = {after - before for before, after in zip(counts[2:], counts[3:])}
    assert steps == {1}, f"steps of the chip's counter: {steps}"
    return f"{len(counts)} samples, none lost"


def plug(board):
    """Connects a serial accessory."""
    rule = 'SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.scale"'
    package.write(board, "/etc/udev/rules.d/62-scale.rules", rule)
    board.output(
        f"""udevadm control --reload && mkdir -p {GADGET}/strings/0x409 && cd {GADGET}
        echo 0x1209 >idVendor && echo 0x0001 >idProduct && echo 'Example Scale' >strings/0x409/product
        mkdir -p configs/c.1 functions/acm.0 && ln -sf functions/acm.0 configs/c.1/ && echo dummy_udc.0 >UDC""")


def assert_recording_resumes(board, action, former, path):
    """Asserts that a unit records the buffered sensor in a new process and a new trace after an action."""
    board.output(action)
    wait_until(
        board,
        f"p=$(systemctl show --value -p MainPID {RECORD}); [ $p != 0 ] && [ $p != {former} ] && [ {NEWEST} != {path} ]",
        f"no new process or no new trace after {action}")
    has_motion(board)
    process = show(board, RECORD, "MainPID")
    assert process_at_sensor(board) == process, f"{process_at_sensor(board)} has the sensor's node open instead of {process}"
    return process, board.output(f"echo {NEWEST}")


@check("A restarted or killed unit records again, and a kill loses at most the time that the manual states")
def killed(board):
    package.grant(board, "iio", unit=RECORD)
    process = start(board, RECORD)
    has_motion(board)
    first = board.output(f"echo {NEWEST}")
    process, path = assert_recording_resumes(board, f"systemctl restart {RECORD}", process, first)
    board.run("sleep 2")
    kill = f"cut -d' ' -f1 /proc/uptime >/run/killed; kill -KILL {process}"
    process, last = assert_recording_resumes(board, kill, process, path)
    assert show(board, RECORD, "NRestarts") == "1", show(board, RECORD, "NRestarts")
    stop(board, RECORD)
    assert_released(board)
    former, cut, final = (trace(board, path) for path in (first, path, last))
    assert gyroscope(former) and gyroscope(final), "a trace without readings of the buffered sensor"
    lost = float(board.read("/run/killed")) - cut[0]["start"]["boot"] - gyroscope(cut)[-1][0]
    assert lost < 1, f"{lost:.2f} s before the kill are missing"
    return f"{max(lost, 0):.2f} s before the kill are missing"


@check("A driver that is unbound for 2 s is recorded as a loss, and recording resumes at its rate", short=False)
def unbound(board):
    package.grant(board, "iio", unit=RECORD)
    process = start(board, RECORD)
    has_motion(board)
    chips.unbind(board, "mpu6050")
    wait_until(board, f"grep -q '\"lost\"' {NEWEST}", "no loss in the trace")
    board.run("sleep 2")
    count = int(board.output(f"wc -l <{NEWEST}"))
    chips.bind(board, "mpu6050")
    folder = board.device("mpu6050")
    wait_until(
        board, f"tail -n +{count} {NEWEST} | grep -q gyroscope.*{folder[-1]}/ && [ $(cat {folder}/buffer/enable) = 1 ]",
        "no readings after the driver is back")
    board.run("sleep 2")
    settings = (board.read(f"{folder}/sampling_frequency"), board.read(f"{folder}/current_timestamp_clock"))
    assert settings == ("100", "boottime"), settings
    assert show(board, RECORD, "MainPID") == process, "the unit was restarted"
    stop(board, RECORD)
    readings = gyroscope(trace(board))
    times = [time for time, _ in readings]
    assert all(b >= a for a, b in zip(times, times[1:])), "a timestamp decreases"
    counts = [count for _, count in readings]
    assert all(b != a for a, b in zip(counts[2:], counts[3:])), "a sample was recorded twice"


@check("With two units at one sensor, the second warns, doctor names the first, and the second reads after the first ends", short=False)
def both(board):
    package.grant(board, "iio")
    first = start(board, RECORD)
    has_motion(board)
    second = start(board, BLACK_BOX)
    node = "/dev/" + board.device("mpu6050").rsplit("/", 1)[1]
    words = f"{node} is in use by another program"
    wait_until(board, f"journalctl --unit={BLACK_BOX} | grep -q '{words}'", "no warning")
    assert process_at_sensor(board) == first, f"{process_at_sensor(board)} has the sensor's node open instead of {first}"
    text = board.output("sensorctl doctor --seconds 4; true")
    assert f"{node} is in use by sensorctl.bin (process {first})" in text, text
    stop(board, RECORD)
    takes_over = f"[ \"$(fuser {node} 2>/dev/null | tr -d ' ')\" = {second} ]"
    wait_until(board, takes_over, "the second unit does not take over")
    board.run("sleep 2")
    board.output(f"systemctl kill --signal=USR1 {BLACK_BOX}")
    wait_until(board, f"journalctl --unit={BLACK_BOX} | grep -q 'signal; saving'", "no trace was saved after the signal")
    stop(board, BLACK_BOX)
    assert_released(board)
    lines = trace(board, f"{STATE}/black-box/*-signal.trace")
    assert any("lost" in line for line in lines) and gyroscope(lines), "the black box has no loss, or no readings"
