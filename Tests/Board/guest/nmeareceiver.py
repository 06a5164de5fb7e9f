#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A GPS receiver on a pseudo-terminal, to which /run/nmea links. It is stationary and reports once per second."""

import os
import pty
import time
import tty

LATITUDE, LONGITUDE, ALTITUDE = "4808.220,N", "01134.500,E", "520.0,M,47.0,M"


def sentence(text):
    checksum = 0
    for byte in text.encode():
        checksum ^= byte
    return f"${text}*{checksum:02X}\r\n".encode()


def epoch(now):
    utc = time.gmtime(now)
    clock, date = time.strftime("%H%M%S.00", utc), time.strftime("%d%m%y", utc)
    return (
        sentence(f"GPGGA,{clock},{LATITUDE},{LONGITUDE},1,08,0.9,{ALTITUDE},,")
        + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2")
        + sentence(f"GPRMC,{clock},A,{LATITUDE},{LONGITUDE},000.0,000.0,{date},,,A"))


def main():
    receiver, terminal = pty.openpty()
    tty.setraw(terminal)
    os.chmod(os.ttyname(terminal), 0o666)
    os.set_blocking(receiver, False)
    os.symlink(os.ttyname(terminal), "/run/nmea")
    while True:
        try:
            os.write(receiver, epoch(time.time()))
        except BlockingIOError:
            pass  # No process reads.
        time.sleep(1 - time.time() % 1)


main()
