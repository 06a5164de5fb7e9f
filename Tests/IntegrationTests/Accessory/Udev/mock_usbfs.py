# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Interfaces of a USB device that echo their input, instead of the kernel's usbdevice_fs.

umockdev 0.17 cannot play a recording of such a session, because neither its ioctl files nor its captures support
USBDEVFS_SETINTERFACE, which precedes the first transfer. This file implements the calls itself, with the layouts of a 64-bit
machine. The node is a regular file, for which poll() always reports readiness, so a program that waits for a transfer polls
repeatedly.
"""
import errno
import struct

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

SET_INTERFACE = 0x80085504
SUBMIT = 0x8038550A
DISCARD = 0x550B
REAP = 0x4008550D
CLAIM = 0x8004550F
RELEASE = 0x80045510
POINTER = 8
# struct usbdevfs_urb: type, endpoint, (2) status, flags, buffer, buffer_length, actual_length, start_frame,
# number_of_packets, error_count, signr, usercontext.
URB = 56
STATUS, BUFFER, LENGTH, ACTUAL = 4, 16, 24, 28


class Interfaces(UMockdev.IoctlBase):
    def __init__(self, say):
        super().__init__()
        self.say = say
        self.waiting = []
        self.done = []
        self.echo = b""
        self.connect("handle-ioctl", self.handle)

    def handle(self, _, client):
        try:
            result, number = self.answer(client.get_request(), client.get_arg())
        except Exception as error:  # noqa: BLE001 (it would be lost in umockdev's thread)
            self.say(f"usbfs: {error!r}")
            result, number = -1, errno.EIO
        client.complete(result, number)
        return True

    def answer(self, request, argument):
        if request in (CLAIM, RELEASE):
            self.say("usbfs: claim" if request == CLAIM else "usbfs: release")
            return 0, 0
        if request == SET_INTERFACE:
            interface, alternate = struct.unpack("=II", bytes(argument.resolve(0, 8).retrieve()))
            self.say(f"usbfs: interface {interface} alternate {alternate}")
            return 0, 0
        if request == SUBMIT:
            block = argument.resolve(0, URB)
            head = bytes(block.retrieve())
            endpoint, (length,) = head[1], struct.unpack_from("=i", head, LENGTH)
            buffer = block.resolve(BUFFER, length)
            if endpoint & 0x80:
                self.waiting.append((block, buffer, length))
            else:
                self.echo += bytes(buffer.retrieve())[:length]
                self.finish(block, 0, length)
            self.serve()
            return 0, 0
        if request == DISCARD:
            (address,) = struct.unpack("=Q", bytes(argument.retrieve()))
            for place, (block, _, _) in enumerate(self.waiting):
                if block.client_addr == address:
                    del self.waiting[place]
                    self.finish(block, -errno.ENOENT, 0)
                    return 0, 0
            return -1, errno.EINVAL
        if request == REAP:
            if not self.done:
                return -1, errno.EAGAIN
            argument.resolve(0, POINTER).set_ptr(0, self.done.pop(0))
            return 0, 0
        return -1, errno.ENOTTY

    def finish(self, block, status, count):
        block.update(STATUS, struct.pack("=i", status))
        block.update(ACTUAL, struct.pack("=i", count))
        self.done.append(block)

    def serve(self):
        while self.echo and self.waiting:
            block, buffer, length = self.waiting.pop(0)
            part, self.echo = self.echo[:length], self.echo[length:]
            buffer.update(0, part)
            self.finish(block, 0, len(part))
