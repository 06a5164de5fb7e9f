# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The devices at the remote ends of USB serial adapters: a GPS receiver and an echo device.

No thread in this file blocks on its socket, because this would block qemu's main loop.
"""

import datetime
import fcntl
import select
import socket
import struct
import termios
import threading
import time


class Device:
    """A thread that reads the guest's output and writes the output of the subclass."""

    def __init__(self, machine, adapter):
        self.adapter = adapter
        self.machine = machine
        self.connection = machine.connect(adapter)
        self.connection.setblocking(False)
        # Little data is in transit when the adapter is unplugged.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.pending = b""
        self.is_paused = False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        # Ends together with the machine.
        try:
            while True:
                seconds = 0.01 if self.is_paused else self.tick()
                writers = [self.connection] if self.pending else []
                readable, writable, _ = select.select([self.connection], writers, [], seconds)
                if readable:
                    data = self.connection.recv(1 << 16)
                    if not data:
                        return
                    self.receive(data)
                if writable:
                    self.pending = self.pending[self.connection.send(self.pending):]
        except OSError:
            pass

    def unplug(self):
        """Unplugs the adapter, within milliseconds of the last byte.

        qemu 7.2 crashes if it has bytes for an unplugged adapter, so writing stops until they have been delivered.
        """
        self.is_paused = True
        deadline = time.monotonic() + 10
        while (self.pending or self.unread()) and time.monotonic() < deadline:
            time.sleep(0.001)
        self.machine.unplug(self.adapter)
        self.is_paused = False

    def unread(self):
        """The number of bytes that qemu has not read."""
        return struct.unpack("i", fcntl.ioctl(self.connection, termios.TIOCOUTQ, bytes(4)))[0]

    def tick(self):
        """Appends due bytes to `pending`, and returns the seconds until more bytes are due."""
        return 1

    def receive(self, data):
        pass


class Echo(Device):
    """Responds to each line with its name and the line. FLOOD starts endless numbered lines, QUIET stops them."""

    def __init__(self, machine, adapter, name):
        self.name = name
        self.line = b""
        self.is_flooding = False
        self.count = 0
        self.received = 0
        super().__init__(machine, adapter)

    def tick(self):
        while self.is_flooding and len(self.pending) < 4096:
            self.pending += b"line %08d\n" % self.count
            self.count += 1
        return 1

    def reset(self):
        """Stops a flood, and discards the pending output."""
        self.is_flooding = False
        self.pending = self.line = b""

    def receive(self, data):
        self.received += len(data)
        *lines, self.line = (self.line + data).split(b"\n")
        self.line = self.line[-1000:]
        for line in lines:
            if line in (b"FLOOD", b"QUIET"):
                self.is_flooding = line == b"FLOOD"
            else:
                self.pending = (self.pending + self.name.encode() + b" " + line + b"\n")[-65536:]


class Receiver(Device):
    """A GPS receiver with three NMEA 0183 sentences per second, each with a new position.

    Its time is that of the guest at its creation, and does not follow steps of the guest's clock.
    """

    def __init__(self, board, adapter):
        before = time.time()
        clocks = board.output("echo $(date +%s.%N) $(cut -d' ' -f1 /proc/uptime)").split()
        self.time, uptime = map(float, clocks)
        self.offset = self.time - (before + time.time()) / 2
        # The difference between the receiver's time and the guest's uptime.
        self.boot = self.time - uptime
        self.next = int(time.time() + self.offset) + 1
        super().__init__(board.machine, adapter)

    @staticmethod
    def position(second):
        """Returns the latitude and longitude in degrees, and the speed in knots, at a second since 1970."""
        return 48 + second % 10000 * 1e-4, 11.575, 2 + second % 7 / 4

    def tick(self):
        now = time.time() + self.offset
        if now >= self.next:
            # The adapter is unplugged or the machine is slow: the sentences of this second are omitted.
            if not self.pending:
                self.pending = self.sentences(self.next)
            self.next = int(now) + 1
        return max(0.01, self.next - (time.time() + self.offset))

    def sentences(self, second):
        date = datetime.datetime.fromtimestamp(second, datetime.timezone.utc)
        latitude, longitude, speed = self.position(second)
        position = f"{minutes(latitude, 2)},N,{minutes(longitude, 3)},E"
        return b"".join(map(sentence, [
            f"GPRMC,{date:%H%M%S}.00,A,{position},{speed:.2f},90.0,{date:%d%m%y},,,A",
            f"GPGGA,{date:%H%M%S}.00,{position},1,09,0.9,519.0,M,47.0,M,,",
            "GPGSA,A,3,04,05,09,12,24,25,29,31,32,,,,1.6,0.9,1.3",
        ]))


def minutes(angle, digits):
    """Returns degrees and minutes in NMEA 0183 format."""
    return f"{int(angle):0{digits}}{angle % 1 * 60:09.6f}"


def sentence(text):
    checksum = 0
    for byte in text.encode():
        checksum ^= byte
    return f"${text}*{checksum:02X}\r\n".encode()


def plug(board, adapter, serial):
    """Plugs in an adapter, and returns its node after udev has finished."""
    nodes = set(board.run("ls /dev/ttyUSB*").output.split())
    board.machine.plug(adapter, serial)
    count = "$(ls /dev/ttyUSB* 2>/dev/null | wc -l)"
    board.output(f"for i in $(seq 600); do [ {count} -gt {len(nodes)} ] && exit; sleep 0.05; done; exit 1")
    (node,) = set(board.output("ls /dev/ttyUSB*").split()) - nodes
    board.output(f"udevadm wait --timeout=60 --settle {node}")
    return node
