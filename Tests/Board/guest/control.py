# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The device of a simulator and the FIFO that controls it."""

import os
import select


def open_fifo(path):
    """Creates a FIFO and opens it for reading and writing, so that it stays open without writers."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    os.mkfifo(path, 0o666)
    return os.open(path, os.O_RDWR | os.O_NONBLOCK)


def serve(device, fifo, wait, handle_device, execute):
    """Serves a device and its FIFO in an endless loop.

    wait: returns the seconds until the next work is due, or None; called before each poll.
    handle_device: called when the device is readable.
    execute: called with the words of each line from the FIFO.
    """
    poll = select.poll()
    poll.register(device, select.POLLIN)
    poll.register(fifo, select.POLLIN)
    while True:
        seconds = wait()
        for descriptor, _ in poll.poll(None if seconds is None else max(0, seconds * 1000)):
            if descriptor == device:
                handle_device()
                continue
            for line in os.read(fifo, 65536).decode().split("\n"):
                if words := line.split():
                    execute(words)
