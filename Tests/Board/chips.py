# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The sensors of the board: chips on a simulated I2C bus, see modules/vboard.c, and a HID sensor hub."""

I2C = "/sys/bus/i2c/drivers"
# The driver and address of each chip.
CHIPS = {
    "mpu6050": ("inv-mpu6050-i2c", "1-0068"),
    "bmi160": ("bmi160_i2c", "1-0069"),
    "ak8975": ("ak8975", "1-000c"),
    "bmp280": ("bmp280", "1-0076"),
}


def load(board, matrix="1;0;0;0;1;0;0;0;1"):
    """Loads the drivers of the chips."""
    board.output("modprobe uhid && modprobe iio-trig-hrtimer && modprobe iio-trig-sysfs")
    board.output(f"modprobe vboard 'matrix={matrix}'")
    wait(board, len(CHIPS))
    board.restore = lambda: use(board, *CHIPS)


def start_hub(board):
    """Connects the HID hub, and waits for its six sensors."""
    count = int(board.output("ls /sys/bus/iio/devices | grep -c iio:; true"))
    hub = board.start("exec python3 /opt/board/hidsensors.py", timeout=3600)
    wait(board, count + 6)
    return hub


def wait(board, count):
    """Waits until the given number of IIO devices exist and udev has finished."""
    enough = f"[ $(ls /sys/bus/iio/devices | grep -c iio:) -ge {count} ]"
    board.output(f"for i in $(seq 200); do {enough} && break; sleep 0.1; done; udevadm settle; {enough}")


def use(board, *names):
    """Binds these chips to their drivers, and unbinds the others."""
    script = ""
    for name, (driver, address) in CHIPS.items():
        if name in names:
            script += f"[ -e {I2C}/{driver}/{address} ] || echo {address} >{I2C}/{driver}/bind\n"
        else:
            script += f"[ ! -e {I2C}/{driver}/{address} ] || echo {address} >{I2C}/{driver}/unbind\n"
    board.output(script + "udevadm settle")


def unbind(board, chip):
    driver, address = CHIPS[chip]
    board.output(f"echo {address} >{I2C}/{driver}/unbind")


def bind(board, chip):
    driver, address = CHIPS[chip]
    board.output(f"echo {address} >{I2C}/{driver}/bind")
