# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Texts that contain terminal control sequences, and recordings, settings and servers that contain these texts."""
import json
import os
import socket
import threading

# A window title, a status query whose response would be input of the next prompt, a bell; both also with C1 codes;
# deletion and carriage return; right-to-left marks.
CONTROLS = {
    "codes": "a\x1b]0;EVIL\x07\x1b[6n\u009b6n\u009d0;EVIL\u009c\x7f\x08b\rc",
    "marks": "a\u202eb\u2066c\u200fd\u061ce",
}
# Invalid UTF-8, for values that may be bytes: single bytes, a surrogate, a sequence of five bytes, a truncated
# sequence.
BYTES = {"bytes": b"a\xff\xfe\x9b6nb\xed\xa0\xbdc\xf8\x88\x80\x80\x80d\xc3"}
# The DTD that iiod sends before its context. Without it, libxml2 prints an error with the line.
DOCTYPE = (b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context ANY><!ELEMENT device ANY><!ELEMENT '
           b"channel ANY><!ELEMENT attribute EMPTY><!ELEMENT scan-element EMPTY><!ATTLIST context name CDATA #IMPLIED><!ATTLIST "
           b"device id CDATA #IMPLIED name CDATA #IMPLIED><!ATTLIST channel id CDATA #IMPLIED type CDATA #IMPLIED><!ATTLIST attribute "
           b"name CDATA #IMPLIED filename CDATA #IMPLIED><!ATTLIST scan-element index CDATA #IMPLIED format CDATA #IMPLIED>]>")


def trace(text):
    """Returns a trace that contains the text in all values of external origin."""
    sensor = {"id": "s" + text, "kind": "accelerometer", "name": text, "label": text, "location": text, "source": text,
              "serial": text, "path": text, "mountMatrixOrigin": text, "clock": text, "mountMatrix": text}
    attach = {"id": "1" + text, "name": "Scale" + text, "manufacturer": text, "model": text, "serial": text, "firmware": text,
              "hardware": text, "port": "p" + text, "vendor": "1209", "product": "0002", "identity": text,
              "protocols": ["com.example.scale", "com." + text]}
    device = {"class": "DEVICE", "path": "/dev/" + text, "driver": text, "subtype": text, "subtype1": text, "bps": 9600,
              "activated": "2026-11-21T03:39:22.000Z"}
    fix = {"class": "TPV", "device": "/dev/" + text, "mode": 3, "time": "2026-11-21T03:39:22.000Z", "lat": 48.1, "lon": 11.5,
           "altMSL": 520, "datum": text, "speed": 1, "track": 9, "eph": 5}
    lines = [
        {"format": "device-services-trace", "version": 1, "start": {"utc": "2026-11-21T03:39:22Z", "boot": 1.5},
         "clock": text, "devices": [{"kind": "gpsd", **device}], "sensors": [sensor, {**sensor, "kind": text}],
         "contexts": [text], "battery": {"level": 0.5, "state": text}, "frame": text, "recorder": text, "source": text,
         "triggers": [{"t": 0.5, "event": text}], "synthetic": {"imu": text, text: text}, text: text,
         "units": {"t": text, text: text}},
        {"t": 0.1, "gpsd": {"class": "VERSION", "release": text, "rev": text, "proto_major": 3, "proto_minor": 14}},
        {"t": 0.2, "gpsd": {"class": "DEVICES", "devices": [device]}},
        {"t": 0.3, "gpsd": {"class": "ERROR", "message": text}}, {"t": 0.3, "gpsd": {"class": text, "device": text}},
        {"t": 0.4, "attach": attach}, {"t": 0.5, "open": "com.example.scale", "accessory": "1" + text},
        {"t": 0.6, "in": text, "accessory": "1" + text, "protocol": "com.example.scale"},
        {"t": 0.6, "in": text, "accessory": text, "protocol": text},
        {"t": 0.7, "gpsdText": text}, {"t": 0.8, text: text},
        {"t": 1.0, "gpsd": fix}, {"t": 1.1, "accelerometer": [0, 0, 9.8], "sensor": "s" + text},
        {"t": 1.2, "accelerometer": [0, 0, 9.8], "sensor": "t" + text}, {"t": 1.3, "accelerometer": text},
        {"t": 1.4, "lost": {"code": text, "message": text, "cause": {"call": text, "errno": 5}}},
        {"t": 1.5, "battery": {"level": 0.5, "state": text}},
        {"t": 2.0, "gpsd": {**fix, "time": "2026-11-21T03:39:23.000Z"}}, {"t": 2.5, "accelerometer": [0, 1, 9.8], "sensor": "s" + text},
        {"t": 2.6, "detach": "1" + text}, {"t": 2.7, "detach": text},
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def files(text):
    """Returns other files that contain the text, by name. The first part of the name determines how they are read."""
    row = "1,0,0,9.8\n2,0,0,9.8\n"
    return {
        "names.csv": f"t,ax,ay,az,{text}\n{row}", "cell.csv": f"t,ax,ay,az\n1,0,0,{text}\n{row}",
        "units.csv": f"\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y ({text})\",\"{text}\"\n{row}",
        "names.gpx": f"<gpx creator=\"{text}\"><trk><name>{text}</name><trkseg><trkpt lat=\"1\" lon=\"2\"><time>{text}</time>"
        f"<fix>{text}</fix></trkpt></trkseg></trk><{text}/>",
        "places.gpx": f"<gpx><wpt lat=\"{text}\" lon=\"2\"/><wpt lat=\"1\" lon=\"2\"><ele>{text}</ele><name>{text}</name></wpt></gpx>",
        "log.nmea": f"# Date: {text}\n# Serial: {text}\n$GPGGA,{text}*00\n\\s:{text}*00\\$GPGGA,1*00\n",
        "reports.json": f'{{"class":"VERSION","release":"{text}"}}\n{{"class":"{text}"}}\n{{"class":"TPV","device":"{text}",{text}\n',
        "context.xml": f"<context name=\"{text}\"><device id=\"iio:device0\" name=\"{text}\"><channel id=\"accel_x\" type=\"input\">"
        f"<attribute name=\"raw\" filename=\"in_accel_x_raw\"/><scan-element index=\"0\" format=\"{text}\"/></channel></device></context>",
        "board.umockdev": f"P: /devices/{text}\nE: DEVNAME=/dev/{text}\nE: {text}={text}\n", "talk.script": f"d 0 /dev/{text}\nr 0 {text}\n{text}\n",
        "trace.trace": f'{{"format":"device-services-trace","version":"{text}"}}\n', "map.columns": f"time={text}:s,{text}=x,lat=#{text}",
        "waypoints.route": f"48,{text}\n{text}\n", "model.cof": f"    2025.0  {text}  11/13/2024\n {text}\n",
    }


def settings(text):
    """Returns settings files that contain the text in each value separately, and in all values."""
    places = {
        "source": {"position": {"source": "gpsd://" + text}}, "scheme": {"position": {"source": text + "://x"}},
        "receiver": {"position": {"receiver": text}}, "rule": {"location": {"authorization": text, "purpose": text}},
        "motion": {"motion": {"source": "ip:" + text}}, "section": {text: {text: text}}, "key": {"position": {text: text}},
        "folders": {"accessories": {"folders": ["/" + text], "udev": text, "protocols": [text]}},
        "declared": {"accessories": {"declared": [{"name": text, "serial": text, "protocols": {"com.a": {"tty": "/dev/" + text}}}]}},
        "protocol": {"accessories": {"declared": [{"name": "A", "protocols": {text: {text: text}}}]}},
        "rules": {"accessories": {"rules": [{"vendor": text, "product": "6001", "protocols": [text]}]}},
    }
    return {name: json.dumps(value, ensure_ascii=False) for name, value in places.items()}


class Server:
    """A server on the loopback interface that sends something to each client, and continues to read its input."""

    def __init__(self, talk):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._talk = talk
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with client:
                self._talk(client)
        except OSError:
            pass

    def close(self):
        # Wakes the accepting thread, which `close` alone does not.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def gpsd(text, raw=b""):
    """Returns a gpsd that sends the text in every response. `raw` is sent unmodified in between."""
    device = {"class": "DEVICE", "path": "/dev/" + text, "driver": text, "subtype": text, "activated": "2026-11-21T03:39:22.000Z"}
    fix = {"class": "TPV", "device": "/dev/" + text, "mode": 3, "time": "2026-11-21T03:39:22.000Z", "lat": 48.1, "lon": 11.5}
    greeting = {"class": "VERSION", "release": "3.25" + text, "rev": text, "proto_major": 3, "proto_minor": 14, "remote": text}
    answers = [{"class": "DEVICES", "devices": [device]}, {"class": "WATCH", "enable": True, "json": True, "device": text},
               {"class": "ERROR", "message": text}, fix]

    def talk(client):
        client.sendall(json.dumps(greeting).encode() + b"\r\n")
        if client.recv(4096):
            for answer in answers:
                client.sendall(json.dumps(answer).encode() + b"\r\n" + raw)
        while client.recv(4096):
            pass
    return Server(talk)


def iiod(xml, announced=None):
    """Returns an iiod whose context is the XML. `announced` is the length that it sends instead of the actual one."""
    def talk(client):
        stream = client.makefile("rb")
        for line in iter(stream.readline, b""):
            word = line.split()[:1]
            if word == [b"VERSION"]:
                client.sendall(b"0.24.v0.24  \n")
            elif word == [b"PRINT"]:
                length = len(xml) if announced is None else announced
                client.sendall(b"%d\n" % length + xml)
                block = b"<!-- " + b" " * 65531
                for _ in range(length - len(xml), 0, -len(block)):
                    client.sendall(block)
                client.sendall(b"\n")
            elif word == [b"TIMEOUT"]:
                client.sendall(b"0\n")
            else:
                client.sendall(b"-22\n")
    return Server(talk)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
    return path


def odd_name(folder, text):
    """Returns a file name that contains the text, except for characters that names cannot contain."""
    raw = text if isinstance(text, bytes) else text.encode()
    return os.path.join(os.fsencode(folder), b"n" + raw.replace(b"/", b"_").replace(b"\0", b"")[:100])
