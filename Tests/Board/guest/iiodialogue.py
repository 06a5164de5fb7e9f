#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Sends an iiod the same requests about the devices with these names, and prints each request with its response, in JSON.

    iiodialogue.py PORT NAME...

Requests and responses are lines. The requests contain the names of devices, so they do not depend on ids.
"""

import json
import re
import socket
import sys
import time

# The values written to numeric attributes.
NUMBERS = ["100", "30", "0", "-5", "5000", "abc", "100.5", "1e2", "", "12 ", "100\n", "0x10", ".5", "-", "\n", "+7"]
CLOCKS = ["boottime", "nonsense", "", "monotonic", "realtime\n"]
# The channel attributes that are written, once for each channel type.
WRITTEN = ("sampling_frequency", "scale", "offset", "calibbias", "mount_matrix", "raw")


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 5)
        self.socket.settimeout(10)
        self.stream = self.socket.makefile("rb")

    def request(self, line, value=b""):
        """Sends a line and the data after it. Returns the number in the response."""
        self.socket.sendall(f"{line}\r\n".encode() + value)
        return int(self.stream.readline())

    def text(self, line):
        """Returns the text in the response to a request without its end, or an error number."""
        length = self.request(line)
        if length <= 0:
            return length
        value = self.stream.read(length + 1)[:-1]
        return value.rstrip(b"\0").decode(errors="replace")

    def write(self, line, value):
        return self.request(f"{line} {len(value)}", value.encode())


class Dialogue:
    def __init__(self, port, context):
        self.port = port
        self.client = Client(port)
        self.context = context
        self.answers = []

    def note(self, request, answer):
        self.answers.append([request, answer])

    def read(self, path, name, attribute):
        self.note(f"READ {name} {attribute}", self.client.text(f"READ {path} {attribute}"))

    def write(self, path, name, attribute, value, before):
        """Writes a value, reads the attribute, and restores its previous value."""
        answer = self.client.write(f"WRITE {path} {attribute}", value)
        self.note(f"WRITE {name} {attribute} {value!r}", [answer, self.client.text(f"READ {path} {attribute}")])
        self.client.write(f"WRITE {path} {attribute}", before)

    def talk(self, name):
        """Performs the dialogue about one device."""
        device, description = next(
            (found["id"], found["text"]) for found in self.devices() if found["name"] == name)
        outer = re.sub(r"<channel.*?</channel>", "", description, flags=re.DOTALL)
        channels = re.findall(r'<channel id="([^"]+)"[^>]*type="input"[^>]*>(.*?)</channel>', description, re.DOTALL)
        self.read_all(device, name, outer, channels)
        self.write_all(device, name, outer, channels)
        self.triggers(device, name)
        if isinstance(self.client.text(f"GETTRIG {device}"), str):
            self.capture(device, name, channels)

    def devices(self):
        pattern = r'<device id="(?P<id>[^"]+)"(?: name="(?P<name>[^"]*)")?[^>]*>(?P<text>.*?)</device>'
        return [match.groupdict() for match in re.finditer(pattern, self.context, re.DOTALL)]

    def read_all(self, device, name, outer, channels):
        for channel, text in channels:
            for attribute in re.findall(r'<attribute name="([^"]+)"', text):
                self.read(f"{device} INPUT {channel}", f"{name} INPUT {channel}", attribute)
        for tag, path in [("attribute", ""), ("buffer-attribute", " BUFFER")]:
            for attribute in re.findall(rf'<{tag} name="([^"]+)"', outer):
                self.read(device + path, name + path, attribute)
        for path in ("", " INPUT nothing", " BUFFER", " DEBUG"):
            self.read(device + path, name + path, "nothing")

    def write_all(self, device, name, outer, channels):
        seen = set()
        for channel, text in [("", outer), *channels]:
            for attribute in re.findall(r'<attribute name="([^"]+)"', text):
                key = (channel.split("_")[0], attribute)
                if attribute not in WRITTEN or key in seen:
                    continue
                seen.add(key)
                path = f" INPUT {channel}" if channel else ""
                before = str(self.client.text(f"READ {device}{path} {attribute}"))
                for value in [*NUMBERS, before]:
                    self.write(device + path, name + path, attribute, value, before)
        if 'name="current_timestamp_clock"' in outer:
            for value in CLOCKS:
                self.write(device, name, "current_timestamp_clock", value, "realtime")
        for attribute in ("nothing", "sampling_frequency_available", "name"):
            self.note(f"WRITE {name} {attribute}", self.client.write(f"WRITE {device} {attribute}", "1"))

    def triggers(self, device, name):
        self.note(f"GETTRIG {name}", self.client.text(f"GETTRIG {device}"))
        names = [found["id"] for found in self.devices() if (found["name"] or "").startswith(f"{name}-dev")]
        for label, trigger in [("none", ""), ("unknown", "trigger99"), ("a device", device), *(("own", x) for x in names)]:
            answer = self.client.request(f"SETTRIG {device} {trigger}".rstrip())
            self.note(f"SETTRIG {name} {label}", [answer, self.client.text(f"GETTRIG {device}")])

    def capture(self, device, name, channels):
        words = (len(channels) + 31) // 32
        first, everything = (f"{bits:0{8 * words}x}" for bits in (1, (1 << len(channels)) - 1))
        other = Client(self.port)

        def note(label, line, client=self.client):
            self.note(f"{name} {label}", client.request(line))

        note("CLOSE before", f"CLOSE {device}")
        note("READBUF before", f"READBUF {device} 64")
        note("OPEN no channel", f"OPEN {device} 4 {'0' * 8 * words}")
        note("OPEN no samples", f"OPEN {device} 0 {first}")
        note("OPEN short mask", f"OPEN {device} 4 1")
        note("OPEN all", f"OPEN {device} 4 {everything}")
        note("OPEN twice", f"OPEN {device} 4 {everything}")
        note("OPEN beside", f"OPEN {device} 4 {first}", other)
        note("CLOSE beside", f"CLOSE {device}", other)
        # A thread of iiod enables the buffer.
        time.sleep(1)
        channel, text = next(pair for pair in channels if 'name="raw"' in pair[1])
        raw = other.text(f"READ {device} INPUT {channel} raw")
        self.note(f"{name} READ raw while capturing", raw if isinstance(raw, int) else "a reading")
        for attribute, value in [("sampling_frequency", "50"), ("current_timestamp_clock", "boottime")]:
            self.note(f"{name} WRITE {attribute} while capturing", other.write(f"WRITE {device} {attribute}", value))
        if 'name="scale"' in text:
            scale = other.text(f"READ {device} INPUT {channel} scale")
            answer = other.write(f"WRITE {device} INPUT {channel} scale", scale)
            self.note(f"{name} WRITE scale while capturing", answer)
        note("SETTRIG none while capturing", f"SETTRIG {device}", other)
        note("BUFFERS_COUNT while capturing", f"SET {device} BUFFERS_COUNT 4", other)
        note("CLOSE", f"CLOSE {device}")


def main():
    port = int(sys.argv[1])
    client = Client(port)
    context = client.stream.read(client.request("PRINT") + 1).decode()
    dialogue = Dialogue(port, context)
    for name in sys.argv[2:]:
        dialogue.talk(name)
    print(json.dumps(dialogue.answers))


main()
