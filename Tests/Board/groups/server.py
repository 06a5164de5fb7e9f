# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Sensors through iiod, the server of libiio, next to those of the kernel."""

import json
import re
import signal
import statistics

import chips
import counter
from board import Watch
from checks import Group

SERVER = "ip:127.0.0.1"


def prepare(board):
    chips.load(board)
    counter.start_log(board)


group = Group("server", "Sensors through iiod", prepare=prepare)
check = group.check


def serve(board):
    """Starts iiod, and waits until it responds."""
    server = board.start("exec iiod", timeout=3600)
    board.output(f"for i in $(seq 100); do iio_info -u {SERVER} >/dev/null 2>&1 && exit; sleep 0.1; done; exit 1")
    return server


def await_buffer(board):
    enabled = f"grep -q 1 {board.device('mpu6050')}/buffer/enable"
    board.output(f"for i in $(seq 200); do {enabled} && break; sleep 0.1; done; sleep 1.5; {enabled}")


@check("Readings through iiod have the values and clock of the kernel's readings")
def equal(board):
    board.set(count=0, accel="4000,-9000,13000", gyro="300,-200,100", magn="120,-340,250")
    chips.use(board, "mpu6050", "ak8975", "bmp280")
    server = serve(board)
    for kind in ("accelerometer", "gyro", "magnetometer", "pressure"):
        arguments = (kind, "--interval", "0.05", "--count", "5", "--duration", "12")
        local = Watch(board.start_watch(*arguments).wait())
        before = board.uptime()
        remote = Watch(board.start_watch(*arguments, source=SERVER).wait())
        assert len(local.readings) == 5, f"{kind}: {len(local.readings)} from the kernel: {local.problems} {local.errors}"
        assert len(remote.readings) == 5, f"{kind}: {len(remote.readings)} through iiod: {remote.problems} {remote.errors}"
        values = [{key: value for key, value in watch.readings[-1].items() if key != "timestamp"} for watch in (local, remote)]
        assert values[0] == values[1], f"{kind}: {values[0]} from the kernel, {values[1]} through iiod"
        assert before <= remote.times[1] <= board.uptime(), f"{kind}: {remote.times} not since {before}"
    board.set(accel="0,0,16384", gyro="0,0,0")
    server.stop(signal.SIGKILL)


@check("Two programs receive each sample through iiod, and a program that reads locally logs that the chip is in use")
def shared(board):
    board.set(count=1)
    chips.use(board, "mpu6050")
    server = serve(board)
    jobs = [board.start_watch("gyro", "--interval", "0.02", source=SERVER) for _ in range(2)]
    await_buffer(board)
    local = board.watch("gyro", "--interval", "0.02", seconds=4)
    watches = [board.finish(job) for job in jobs]
    server.stop(signal.SIGKILL)
    node = "/dev/" + board.device("mpu6050").rsplit("/", 1)[1]
    assert f"{node} is in use by another program" in str(local.problems), f"beside iiod: {local.events[:3]} {local.errors}"
    notes = []
    for watch in watches:
        counter.assert_timestamps(board, watch)
        numbers = [counter.number(reading) for reading in watch.readings[1:]]
        assert len(numbers) > 50, f"{len(numbers)} readings: {watch.problems} {watch.errors}"
        notes.append(str(len(numbers)))
    return f"{' and '.join(notes)} readings"


def during(board, fault):
    """Watches the gyroscope before, during and after a fault of iiod. Asserts one loss, and readings within 8 s at 50 Hz.

    fault: receives the running iiod, and returns the one that runs afterwards.
    """
    board.set(count=1)
    chips.use(board, "mpu6050")
    server = serve(board)
    job = board.start_watch("gyro", "--interval", "0.02", source=SERVER)
    await_buffer(board)
    server = fault(server)
    after = int(board.output(counter.READ))
    board.run("sleep 6")
    watch = board.finish(job)
    server.stop(signal.SIGKILL)
    counter.assert_timestamps(board, watch)
    assert len(watch.problems) == 1 and SERVER in str(watch.problems), f"{len(watch.problems)} problems: {watch.problems}"
    return counter.assert_resumed(watch, after, within=400)


@check("A killed iiod is reported once, and readings resume after it is restarted")
def killed(board):
    def fault(server):
        server.stop(signal.SIGKILL)
        board.run("sleep 3")
        return serve(board)

    return during(board, fault)


@check("An iiod that is stopped for 6 s is reported once, and no old reading is delivered with a new time")
def stopped(board):
    def fault(server):
        server.send_signal(signal.SIGSTOP)
        board.run("sleep 6")
        server.send_signal(signal.SIGCONT)
        return server

    return during(board, fault)


@check("A sensor whose trigger was removed is captured through iiod at its rate")
def trigger(board):
    board.set(count=1)
    chips.use(board, "mpu6050")
    board.write(f"{board.device('mpu6050')}/trigger/current_trigger", "")
    server = serve(board)
    job = board.start_watch("gyro", "--interval", "0.02", source=SERVER)
    await_buffer(board)
    watch = board.finish(job)
    server.stop(signal.SIGKILL)
    counter.assert_timestamps(board, watch)
    assert not watch.problems, watch.problems
    intervals = [after - before for before, after in zip(watch.times[1:], watch.times[2:])]
    assert len(intervals) > 50 and abs(statistics.median(intervals) - 0.02) < 0.001, f"intervals {intervals[:9]}"
    return f"{len(watch.readings)} readings"


# Driver-specific differences: the MPU-6050 accepts unlisted rates, and refuses to read one axis while capturing; a HID
# hub rounds intervals to milliseconds, accepts a rate of 0, and has no hysteresis for its magnetometer.
DRIVER = (r"WRITE mpu6050 sampling_frequency '(30|\+7)'|mpu6050 READ raw|READ magn_3d .* hysteresis"
          r"|WRITE .*_3d .* sampling_frequency '(30|0|5000|100\.5|\.5|-|\\n|\+7)'")
# Readings, which differ because they were recorded earlier.
READINGS = r"READ .*( raw| input| data_available)$"


@check("With a recording of the same sensors, the iiod simulator responds like iiod")
def simulator(board):
    board.set(count=0)
    chips.use(board, "mpu6050", "ak8975", "bmp280")
    chips.start_hub(board)
    board.output("sensorctl record /tmp/board.trace --parts motion --duration 3")
    server = serve(board)
    real = dialogue(board, 30431)
    server.stop(signal.SIGKILL)
    server = board.start("exec sensorctl simulate iio /tmp/board.trace --port 30999 --loop", timeout=3600)
    simulated = dialogue(board, 30999)
    server.stop(signal.SIGKILL)
    assert len(real) > 600 and real.keys() == simulated.keys(), (len(real), sorted(real.keys() ^ simulated.keys())[:9])
    different = [
        f"{request}: {answer!r}, simulated {simulated[request]!r}"
        for request, answer in real.items()
        if not is_same(request, answer, simulated[request])
    ]
    assert not different, f"{len(different)} of {len(real)}: " + "\n".join(different[:40])
    return f"{len(real)} requests"


def is_same(request, answer, simulated):
    """Returns whether two responses are equal, except for differences between drivers and between readings."""
    if isinstance(answer, list):
        return bool(re.match(DRIVER, request)) or all(is_same("", *pair) for pair in zip(answer, simulated))
    if isinstance(answer, str) and isinstance(simulated, str):
        # The recording contains no values of attributes that the library does not read.
        return simulated in (answer, "") or bool(re.match(READINGS, request))
    return answer == simulated or bool(re.match(DRIVER, request))


def dialogue(board, port):
    """Returns the response to each request, see guest/iiodialogue.py."""
    board.output(f"for i in $(seq 100); do (: </dev/tcp/127.0.0.1/{port}) && exit; sleep 0.1; done 2>/dev/null; exit 1")
    names = "mpu6050 ak8975 bmp280 accel_3d gyro_3d magn_3d"
    return dict(json.loads(board.output(f"python3 /opt/board/iiodialogue.py {port} {names}", timeout=300)))


@check("At the end, no buffer is enabled")
def rest(board):
    assert not board.enabled_buffers(), board.enabled_buffers()
