# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Accessories on USB, with the kernel's gadget drivers as the other side."""

from checks import Group

GADGET = "/sys/kernel/config/usb_gadget/thing"
# A vendor's page with one report of 64 bytes in each direction.
DESCRIPTOR = "0600ff0901a101150026ff00750895400902810209039102c0"
CONFIGURATION = (
    '{"accessories":{"rules":[{"vendor":"1209","product":"0002","protocols":["com.example.hid"],"reportLength":64}]}}'
)


def prepare(board):
    board.output(
        f"""modprobe dummy_hcd && modprobe libcomposite && mkdir -p {GADGET}/strings/0x409 && cd {GADGET}
        echo 0x1209 >idVendor && echo 0x0002 >idProduct && echo Thing >strings/0x409/product
        mkdir -p configs/c.1 functions/hid.0 && echo 64 >functions/hid.0/report_length
        python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex("{DESCRIPTOR}"))' >functions/hid.0/report_desc
        ln -s functions/hid.0 configs/c.1 && echo dummy_udc.0 >UDC
        for i in $(seq 100); do [ -e /dev/hidraw0 ] && break; sleep 0.1; done; udevadm settle; [ -e /dev/hidraw0 ]""")


group = Group("accessories", "Accessories on USB", prepare)
check = group.check


def access(board):
    return board.output("stat --format='%G %a' /dev/hidraw0")


@check("The printed rules grant the HID device that a configuration names, and not without it")
def grant(board):
    assert access(board) == "root 600", access(board)
    reload = "udevadm control --reload && udevadm trigger --subsystem-match=usb --subsystem-match=hidraw && udevadm settle"
    rules = "/etc/udev/rules.d/65-external-accessory.rules"
    board.output(f"sensorctl rules >{rules} && {reload}")
    assert access(board) == "root 600", f"without a configuration: {access(board)}"
    board.output(f"cat >/run/settings.json <<'END'\n{CONFIGURATION}\nEND")
    board.output(f"DEVICE_SERVICES_CONFIG=/run/settings.json sensorctl rules >{rules} && {reload}")
    assert access(board) == "dialout 660", access(board)
