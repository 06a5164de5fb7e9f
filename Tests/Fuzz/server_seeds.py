# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Actions of several clients of a server, and device messages."""

import glob
import json
import os
import struct

from recorded import ROOT, TRACES

# Actions of the clients, in the format of ClientScript.

DEEDS = ["connect", "send", "often", "read", "hang up", "end", "wait", "fault"]


def script(options, *steps):
    """Creates a script. A step consists of an action, a client, and the data to send."""
    parts = [options if isinstance(options, bytes) else bytes([options])]
    for deed, client, *data in steps:
        data = data[0] if data else b""
        data = data.encode("latin1") if isinstance(data, str) else data
        parts.append(bytes([0x40 | DEEDS.index(deed) << 2 | client]) + data)
    return b"\xff".join(parts)


def gpsd_server():
    """Requests to a real gpsd, from one and two clients; faults."""
    with open(os.path.join(ROOT, "Tests/Simulators/SimulatorTests/GPSD/gpsd-3.22-dialogue.jsonl"), "rb") as file:
        for number, line in enumerate(file):
            sent = [step[0] for step in json.loads(line)["steps"][1:]]
            yield script(0, ("connect", 0), *(("send", 0, text) for text in sent), ("wait", 0, "11"), ("read", 0))
            if number % 8 == 0:
                yield script(
                    0,
                    ("connect", 0),
                    ("connect", 1),
                    *(
                        step
                        for text in sent
                        for step in (("send", 0, text[:9]), ("send", 1, text), ("send", 0, text[9:]), ("wait", 1, "9"))
                    ),
                )
    watch = '?WATCH={"enable":true,"json":true,"nmea":true};'
    for faults in ["unplug(/dev/a)@1.5s", "version=2.9", "restart@2s", "drop@#3,stall@3s", "greeting=2s", "kill@1s+3s"]:
        yield script(
            0,
            ("fault", 0, faults),
            ("connect", 0),
            ("send", 0, watch),
            ("wait", 0, "30"),
            ("connect", 1),
            ("send", 1, watch + "?POLL;"),
            ("wait", 0, "101"),
            ("hang up", 0),
            ("wait", 0, "9"),
        )
    yield script(0, ("fault", 0, "unplug(/dev/a)@1.5s,half=300ms@#10,garbage=9,version=2.9"))
    for options in (1, 2, 4, 8, 16, 32, 36):
        yield script(
            options,
            ("connect", 0),
            ("connect", 1),
            ("connect", 2),
            ("send", 0, watch),
            ("often", 1, "?DEVICES;"),
            ("send", 2, '?WATCH={"raw":1};'),
            ("wait", 0, "101"),
            ("read", 0),
            ("wait", 0, "9001"),
            ("read", 1),
        )


def iio_server():
    """Requests to a real iiod, from one and two clients."""
    with open(os.path.join(ROOT, "Tests/Simulators/SimulatorTests/IIOD/iiod-0.24-dialogue.jsonl"), "rb") as file:
        asked = [json.loads(line)["request"] for line in file]
    for number in range(0, len(asked), 6):
        lines = asked[number : number + 6]
        yield script(
            number % 128,
            ("connect", 0),
            ("connect", 1),
            *(("send", place % 2, line) for place, line in enumerate(lines)),
            ("wait", 0, "9"),
        )
    opened = "OPEN iio:device0 4 0000000f\r\n"
    for options in (0, 1, 2, 4, 8, 10, 16, 18, 32, 64):
        yield script(
            options,
            ("connect", 0),
            ("connect", 1),
            ("send", 0, "SETTRIG iio:device0 trigger0\n" + opened),
            ("send", 1, opened[:12]),
            ("send", 0, "READBUF iio:device0 64\n"),
            ("send", 1, opened[12:]),
            ("wait", 0, "2"),
            ("send", 1, "READ iio:device0 INPUT accel_x raw\nREADBUF iio:device0 160\n"),
            ("send", 0, "WRITE iio:device0 sampling_frequency 3\n50\0CLOSE iio:device0\n"),
            ("wait", 0, "30"),
            ("hang up", 1),
            ("send", 0, "SET iio:device0 BUFFERS_COUNT 2\nREAD iio:device0 BUFFER\nEXIT\n"),
        )
    for fault in [
        "unplug(mpu6050)@1s",
        "open=EBUSY(mpu6050)",
        "stall@1s+2s",
        "drop@2s",
        "partial=1",
        "restart@1s",
        "length=3",
        "delay=50ms",
        "attr=raw:EIO",
        "enodev@#9",
    ]:
        yield script(
            2,
            ("fault", 0, fault),
            ("connect", 0),
            ("send", 0, opened + "READBUF iio:device0 320\n"),
            ("wait", 0, "11"),
            ("wait", 0, "30"),
            ("send", 0, "VERSION\nPRINT\nHELP\nTIMEOUT 5\n"),
        )


def iio_client():
    """Responses to OPEN and READBUF. The first byte selects channels, scans per refill, and the division of
    responses."""

    def answers(step, mask, *refills):
        return b"".join(
            b"%d\n%s%s" % (count * step, mask + b"\n" if place == 0 else b"", bytes(range(count * step)))
            for place, count in enumerate(refills)
        )

    for choice in (0, 2, 4, 8, 10, 36, 74, 252):
        scans = (1, 2, 4, 64)[choice >> 1 & 3]
        if scans < 64:
            one = answers(16, b"0000000f", scans)
            yield bytes([choice]) + b"0\n" + one * 3 + answers(16, b"0000000f", scans, scans) * 2
        # Two of four channels are requested. The server sends these, then all.
        yield bytes([choice | 1]) + b"0\r\n" + answers(4, b"00000005", min(scans, 16)) + answers(16, b"0000000f", 2, 1)
        yield bytes([choice]) + b"0\n" + answers(16, b"0000000f", 1, 1) + b"0\n-16\n"
    # Truncated within scans; errors; empty.
    yield b"\x040\n20\n0000000f\n" + bytes(20) + b"44\n" + bytes(44) + b"-11\n"
    for error in (b"-16\n", b"-9223372036854775808\n", b"0\n" * 9, b"0\n-5\n-5\n"):
        yield b"\0" + error


def dashboard():
    """Requests, handshakes and frames. The mask of frames is zero."""
    host = "Host: 127.0.0.1:8080\r\n"
    live = (
        "GET /live?token=0 HTTP/1.1\r\n" + host + "Origin: http://127.0.0.1:8080\r\nUpgrade: websocket\r\n"
        "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )

    def frame(first, text):
        size = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0xFE, len(text) >> 8, len(text) & 0xFF])
        return bytes([first]) + size + bytes(4) + text

    for path in ("/", "/page/page.js", "/assets/leaflet/leaflet.js", "/live", "/page/../x", "/%2e"):
        for more in (
            "",
            "Connection: close\r\n",
            "Origin: http://evil\r\n",
            "Sec-Fetch-Site: cross-site\r\n",
            "Content-Length: 5\r\n",
        ):
            request = "GET %s HTTP/1.1\r\n%s%s\r\n" % (path, host, more)
            yield script(
                0,
                ("connect", 0),
                ("connect", 1),
                ("send", 0, request[:20]),
                ("send", 1, request + request),
                ("send", 0, request[20:]),
                ("read", 0),
                ("hang up", 1),
            )
    yield script(0, ("connect", 0), ("send", 0, "HEAD / HTTP/1.0\r\nhost:localhost:8080\r\nconnection: keep-alive\r\n\r\n"))
    for text in (
        b'{"id":1,"do":"play"}',
        b'{"id":2,"do":"step","by":1.5}',
        b'{"do":"seek","t":9}',
        b'{"do":"fault","fault":"a","on":true}',
        b'{"do":"region","add":{"id":"a","latitude":1,"longitude":2,"radius":3}}',
        b'{"do":"speed","value":2,"token":"x"}',
    ):
        yield script(
            0,
            ("connect", 0),
            ("connect", 1),
            ("send", 0, live),
            ("send", 1, live),
            ("send", 0, frame(0x81, text)),
            ("send", 1, frame(0x01, text[:4])),
            ("wait", 0),
            ("send", 1, frame(0x89, b"hi")),
            ("send", 1, frame(0x80, text[4:])),
            ("often", 0, frame(0x89, b"?" * 100)),
            ("read", 0),
            ("send", 1, frame(0x88, b"\3\xe8")),
            ("read", 1),
        )


def accessory_server():
    """Recorded dialogues, and programs that follow them."""
    for path in sorted(glob.glob(os.path.join(TRACES, "udev", "*.script"))):
        with open(path, "rb") as file:
            recorded = b"\n".join(file.read().replace(b"\xff", b"").splitlines()[:40])
        yield script(
            recorded + b"\0" + recorded, ("connect", 0), ("connect", 1), ("send", 0, "a" * 64), ("send", 1, "b" * 64)
        )
    small = b"r 0 hello^J\nw 5 ask^J\nr 3 answer\nf 50 -\nw 0 abcd\nr 1 end\n"
    yield script(
        small + b"\0" + small,
        ("connect", 0),
        ("send", 0, "as"),
        ("connect", 1),
        ("send", 1, "ask\n"),
        ("send", 0, "k\n"),
        ("send", 1, "abxx"),
        ("hang up", 1),
        ("send", 0, "abcdmore"),
        ("connect", 2),
        ("send", 2, "x"),
    )


def udev():
    """Messages of udevd and of the kernel about the described devices, each after its length."""
    for path in sorted(glob.glob(os.path.join(TRACES, "udev", "*.umockdev"))):
        devices = []
        with open(path, encoding="latin1") as file:
            for line in file:
                kind, _, text = line.rstrip("\n").partition(": ")
                if kind == "P":
                    devices.append([("ACTION", "add"), ("DEVPATH", text)])
                elif kind in ("E", "A") and devices:
                    devices[-1].append(tuple(text.partition("=")[::2]))
        messages = []
        for properties in devices[:12]:
            properties = [(key, value[:300]) for key, value in properties]
            body = b"".join(f"{key}={value}".encode("latin1") + b"\0" for key, value in properties)
            head = b"libudev\0" + b"\xfe\xed\xca\xfe" + struct.pack("<IIIIIII", 40, 40, len(body), 0, 0, 0, 0)
            messages.append((head + body, ("add@" + dict(properties)["DEVPATH"]).encode("latin1") + b"\0" + body))
            for message in messages[-1]:
                yield struct.pack("<H", len(message)) + message
        both = [message for message, _ in messages]
        gone = [
            message.replace(b"ACTION=add", b"ACTION=remove").replace(
                struct.pack("<III", 40, 40, len(message) - 40), struct.pack("<III", 40, 40, len(message) - 37)
            )
            for message in both
        ]
        yield b"".join(struct.pack("<H", len(message)) + message for message in both[:4] + gone[:4] + both[:2])
