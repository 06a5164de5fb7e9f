# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Buffers and triggers: detected, created, and disabled at the end."""

import chips
from board import Watch
from checks import Group

group = Group("buffers", "Buffers and triggers", prepare=lambda board: chips.load(board))
check = group.check


def count_enabled(board, times, command, status=0):
    """Runs a command several times. Returns the number of the runs after which the buffer of the MPU-6050 was enabled.

    status: the expected exit status of each run.
    """
    folder = board.device("mpu6050")
    return int(board.output(
        f"""left=0
        for i in $(seq {times}); do
            {command} >/dev/null 2>/tmp/errors
            status=$?
            [ $status = {status} ] || {{ echo "status $status: $(cat /tmp/errors)" >&2; exit 1; }}
            left=$((left + $(cat {folder}/buffer/enable)))
            echo 0 >{folder}/buffer/enable
        done
        echo $left""", timeout=60 + times * 8))


@check("A program that ends by itself leaves no buffer enabled")
def ends(board):
    chips.use(board, "mpu6050")
    commands = {
        "sensorctl watch accelerometer --count 3 --json": 12,
        "sensorctl watch accelerometer --duration 1.5 --json": 6,
        "sensorctl watch attitude --count 5 --json": 3,
        "sensorctl record --duration 1 --overwrite /tmp/r.trace": 2,
    }
    for command, times in commands.items():
        left = count_enabled(board, times, command)
        assert left == 0, f"{left} of {times} runs of \"{command}\" left the buffer enabled"


@check("A program that is interrupted or terminated leaves no buffer enabled")
def signals(board):
    chips.use(board, "mpu6050")
    for name in ("INT", "TERM"):
        left = count_enabled(board, 5, f"timeout --signal={name} 2.5 sensorctl watch accelerometer --json", 124)
        assert left == 0, f"{left} of 5 runs ended by SIG{name} left the buffer enabled"


@check("Doctor reports a buffer that a killed program left enabled, and the command that disables it")
def killed(board):
    chips.use(board, "mpu6050")
    folder = board.device("mpu6050")

    def kill():
        board.run("timeout --signal=KILL 3 sensorctl watch accelerometer --json")
        assert board.read(f"{folder}/buffer/enable") == "1", "the buffer is not enabled after the kill"

    kill()
    text = board.doctor()
    command = f"echo 0 | sudo tee {folder}/buffer/enable"
    assert command in text, f"doctor does not print \"{command}\": {text}"
    # Doctor has read the sensor, which disabled its buffer.
    kill()
    board.output(command.replace("sudo ", ""))
    assert not board.enabled_buffers()


@check("The trigger of a driver is detected and set without configuration")
def own_trigger(board):
    chips.use(board, "mpu6050")
    folder = board.device("mpu6050")
    board.write(f"{folder}/trigger/current_trigger", "")
    assert board.read(f"{folder}/trigger/current_trigger") == ""
    job = board.start_watch("gyro", "--interval", "0.02", "--count", "20")
    watch = Watch(job.wait())
    assert board.read(f"{folder}/trigger/current_trigger").startswith("mpu6050-dev"), watch.errors
    assert len(watch.readings) == 20
    assert "polled one by one" not in watch.errors, watch.errors


@check("A timer is created for a sensor without a trigger, and removed at the end")
def timer(board):
    chips.use(board, "bmi160")
    folder = board.device("bmi160")
    timers = "/sys/kernel/config/iio/triggers/hrtimer"
    job = board.start_watch("gyro", "--interval", "0.02")
    board.run("sleep 4")
    made = board.output(f"ls {timers}")
    enabled = board.read(f"{folder}/buffer/enable")
    watch = board.finish(job)
    assert made, f"no timer was created: {watch.errors}"
    assert enabled == "1", "the buffer is not used"
    assert len(watch.readings) > 50, f"{len(watch.readings)} readings"
    left = board.output(f"ls {timers}")
    assert left == "", f"not removed: {left}"


@check("A timer that was created manually is detected by its name")
def made_timer(board):
    chips.use(board, "bmi160")
    folder = board.device("bmi160")
    timers = "/sys/kernel/config/iio/triggers/hrtimer"
    number = folder.rsplit("iio:device", 1)[1]
    name = f"bmi160-dev{number}"
    board.output(f"mkdir {timers}/{name}")
    job = board.start_watch("gyro", "--interval", "0.01")
    board.run("sleep 4")
    used = board.read(f"{folder}/trigger/current_trigger")
    watch = board.finish(job)
    assert used == name, f"the trigger is \"{used}\": {watch.errors}"
    assert len(watch.readings) > 100, f"{len(watch.readings)} readings"
    board.output(f"echo >{folder}/trigger/current_trigger; rmdir {timers}/{name}")


@check("A trigger that is set and fired manually gives one reading per event, as in iio_readdev")
def fired(board):
    chips.use(board, "bmi160")
    board.set(count=0)
    folder = board.device("bmi160")
    board.output("echo 7 >/sys/bus/iio/devices/iio_sysfs_trigger/add_trigger")
    trigger = board.output("dirname $(grep -lx sysfstrig7 /sys/bus/iio/devices/trigger*/name)")
    board.write(f"{folder}/trigger/current_trigger", "sysfstrig7")
    # The gyroscope's x is the number of the trigger event. The script waits for a FIFO without a writer, because a
    # program would take too long.
    board.output("rm -f /run/never; mkfifo /run/never")
    firing = board.start(
        f"""exec 3<>/run/never && chrt --fifo --pid 20 $$ && for i in $(seq 9999); do
            echo "$i,0,0" >/sys/module/vboard/parameters/gyro && echo 1 >{trigger}/trigger_now; read -t 0.05 -u 3
        done""", timeout=300)
    watch = board.watch("gyro", "--interval", "0", seconds=10)
    used = board.read(f"{folder}/trigger/current_trigger")
    samples = board.output("timeout 60 iio_readdev -b 1 -s 10 bmi160 anglvel_x 2>/dev/null | od -An -td2 -v -w2")
    firing.stop()
    scale = float(board.read(f"{folder}/in_anglvel_scale"))
    # The first reading is read from sysfs.
    numbers = [round(reading["x"] / scale) for reading in watch.readings[1:]]
    theirs = [int(number) for number in samples.split()]
    board.write(f"{folder}/trigger/current_trigger", "")
    board.output("echo 7 >/sys/bus/iio/devices/iio_sysfs_trigger/remove_trigger")
    board.set(gyro="0,0,0")
    assert used == "sysfstrig7", f"the trigger is \"{used}\": {watch.errors}"
    assert len(numbers) >= 5, f"{len(numbers)} readings: {watch.problems} {watch.errors}"
    assert len(theirs) == 10 and theirs == list(range(theirs[0], theirs[0] + 10)), f"iio_readdev: {theirs}"
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), f"{numbers}"
    return f"{len(numbers)} readings"


@check("A buffer that another program uses is reported, and captured after that program ends")
def busy(board):
    chips.use(board, "mpu6050")
    board.write(f"{board.device('mpu6050')}/trigger/current_trigger", f"mpu6050-dev{board.device('mpu6050')[-1]}")
    job = board.start("timeout 6 iio_readdev -b 5 mpu6050 >/dev/null", timeout=30)
    board.run("sleep 1.5")
    watch = board.watch("gyro", "--interval", "0.02", seconds=14)
    job.wait()
    assert any("iio_readdev" in str(event) or "busy" in str(event).lower() for event in watch.problems), watch.events[:3]
    assert len(watch.readings) > 50, f"{len(watch.readings)} readings"


@check("When a program ends, it restores the original rate and clock")
def restored(board):
    for chip, rate in [("mpu6050", "10"), ("bmi160", "25")]:
        chips.use(board, chip)
        folder = board.device(chip)
        attribute = f"{folder}/in_accel_sampling_frequency" if chip == "bmi160" else f"{folder}/sampling_frequency"
        board.write(attribute, rate)
        board.write(f"{folder}/current_timestamp_clock", "realtime")
        found = board.read(attribute)
        for ending in ("--count 20", "--duration 2"):
            job = board.start_watch("accelerometer", "--interval", "0.01", ending)
            board.run(f"for i in $(seq 100); do [ $(cat {folder}/current_timestamp_clock) = boottime ] && break; sleep 0.05; done")
            watch = Watch(job.wait())
            assert watch.readings, watch.errors
            assert board.read(attribute) == found, f"{chip}: {board.read(attribute)} Hz instead of {found}"
            clock = board.read(f"{folder}/current_timestamp_clock")
            assert clock == "realtime", f"{chip}: the clock is {clock}"


@check("libiio prints nothing to standard error, even if the device is unbound")
def silence(board):
    chips.use(board, "mpu6050")
    job = board.start_watch("accelerometer", "--interval", "0.02")
    board.run("sleep 3")
    chips.unbind(board, "mpu6050")
    board.run("sleep 2")
    watch = board.finish(job)
    assert watch.readings and watch.problems, watch.errors
    lines = [line for line in watch.errors.splitlines() if "WARNING" in line or "ERROR" in line]
    assert not lines, lines
