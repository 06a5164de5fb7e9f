# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A user without root privileges: the udev rule that doctor prints, and devices that are plugged in again."""

import re

import chips
from checks import Group

group = Group("users", "Sensors without root rights", prepare=lambda board: chips.load(board))
check = group.check


@check("Without a rule, doctor names the nodes and prints one rule for all of them")
def before(board):
    text = board.doctor(user=True)
    assert text.count("60-device-services.rules <<") == 1, text
    rule = re.search(r"rules\.d/60-device-services\.rules <<'END'\n(.*?)\n\s*END", text, re.DOTALL)
    assert rule, text
    board.rule = "\n".join(line.strip() for line in rule[1].splitlines())


@check("With this rule, the buffer is used at the requested rate, with timestamps since boot")
def after(board):
    board.output("groupadd --system --force iio && usermod -aG iio tester")
    board.output(f"cat >/etc/udev/rules.d/60-device-services.rules <<'END'\n{board.rule}\nEND")
    board.output("udevadm control --reload && udevadm trigger --action=add --subsystem-match=iio && udevadm settle")
    folder = board.device("mpu6050")
    chips.use(board, "mpu6050")
    job = board.start_watch("gyro", "--interval", "0.01", user=True)
    board.run("sleep 4")
    settings = state(board, folder)
    watch = board.finish(job)
    assert settings == ("1", 100, "boottime"), f"{settings}: {watch.errors}"
    assert len(watch.readings) > 150, f"{len(watch.readings)} readings"


@check("The rate and clock of a replugged sensor are restored each of four times")
def replugged(board):
    chips.use(board, "mpu6050")
    for attempt in range(4):
        job = board.start_watch("gyro", "--interval", "0.01", user=True)
        board.run("sleep 2.5")
        chips.unbind(board, "mpu6050")
        board.run("sleep 1")
        chips.bind(board, "mpu6050")
        board.run("sleep 4")
        settings = state(board, board.device("mpu6050"))
        watch = board.finish(job)
        assert settings == ("1", 100, "boottime"), f"attempt {attempt + 1}: {settings}: {watch.errors}"


def state(board, folder):
    """Returns whether the buffer of a device is enabled, its rate and its clock."""
    return (
        board.read(f"{folder}/buffer/enable"), float(board.read(f"{folder}/sampling_frequency")),
        board.read(f"{folder}/current_timestamp_clock"),
    )
