# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Accessories of the kernel's gadget drivers on dummy_hcd: a serial port, a HID device, and bulk endpoints."""

import signal

CONFIGFS = "/sys/kernel/config/usb_gadget"
GADGETFS = "/run/gadget"
MUTE = "/run/mute"  # see guest/echo.py
# A vendor-defined page with one report of 64 bytes in each direction.
REPORTS = "0600ff0901a101150026ff00750895400902810209039102c0"


class Gadget:
    """A device with an echo program, see guest/echo.py."""

    def __init__(self, board, product, test):
        """test: a command that succeeds while the host has the node of this type of device."""
        self.board = board
        self.product = product
        self.test = test
        self.program = None

    def wait(self, is_there):
        """Waits until the host has, or no longer has, the device and its node, and udev has finished."""
        test = f"{'' if is_there else '!'} {self.test} >/dev/null 2>&1"
        self.board.output(f"for i in $(seq 300); do {test} && break; sleep 0.05; done; udevadm settle; {test}")

    def plug(self):
        self.connect()
        self.wait(True)

    def unplug(self):
        self.disconnect()
        self.wait(False)

    def start_program(self, path):
        self.program = self.board.start(f"exec python3 /opt/board/echo.py {path}", timeout=3600)

    def stop_program(self):
        self.program.stop(signal.SIGKILL)


class FunctionGadget(Gadget):
    """A device with one function of a gadget driver."""

    def __init__(self, board, name, function, product, serial, test, port, controller):
        """port: the node on the device's side. controller: the number of the dummy_hcd controller."""
        super().__init__(board, name, test)
        self.port = port
        self.folder = f"{CONFIGFS}/{serial}"
        self.controller = f"dummy_udc.{controller}"
        reports = f"""echo 64 >{function}/report_length
            python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex("{REPORTS}"))' >{function}/report_desc"""
        board.output(
            f"""mkdir -p {self.folder}/strings/0x409 && cd {self.folder}
            echo 0x1209 >idVendor && echo {product} >idProduct
            echo '{name}' >strings/0x409/product && echo {serial} >strings/0x409/serialnumber
            mkdir -p configs/c.1 functions/{function} && cd functions
            {reports if function.startswith("hid") else ""}
            ln -s {self.folder}/functions/{function} ../configs/c.1""")

    def connect(self):
        self.board.output(f"echo {self.controller} >{self.folder}/UDC")
        self.start_program(self.port)

    def disconnect(self):
        self.board.output(f"echo '' >{self.folder}/UDC")
        self.stop_program()


class BulkGadget(Gadget):
    """A device of GadgetFS, because FunctionFS rejects alternate settings. It is plugged in while its program runs."""

    def __init__(self, board):
        super().__init__(board, "Bulk Thing", "grep -x f0 /sys/bus/usb/devices/*/bInterfaceSubClass")
        board.output(f"mkdir {GADGETFS} && mount -t gadgetfs gadget {GADGETFS}")

    def connect(self):
        self.start_program(GADGETFS)

    def disconnect(self):
        self.stop_program()


def load(board):
    """Returns the three devices, which are not plugged in."""
    board.output("modprobe dummy_hcd num=3 && modprobe libcomposite && modprobe gadgetfs")
    # GadgetFS uses the first free controller.
    return [
        FunctionGadget(board, "Serial Thing", "acm.0", "0x0001", "SN1", "ls /dev/ttyACM*", "/dev/ttyGS0", controller=1),
        FunctionGadget(board, "HID Thing", "hid.0", "0x0002", "SN2", "ls /dev/hidraw*", "/dev/hidg0", controller=2),
        BulkGadget(board),
    ]
