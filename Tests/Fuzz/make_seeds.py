#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Writes the seed inputs of a fuzz target to a directory, from recorded and handwritten data.

    Tests/Fuzz/make_seeds.py TARGET FOLDER
"""
import glob
import os
import struct
import sys

from mcap_seeds import mcap
from recorded import ROOT, TRACES, lines
from server_seeds import accessory_server, dashboard, gpsd_server, iio_client, iio_server, udev


def gpsd():
    """Recorded reports: one per class, device and length. The byte "@" selects pieces of 64 bytes."""
    seen = set()
    for _, line in lines("gpsd/*.chk"):
        key = (len(line) % 400, line.split(b" ")[1:2])
        if line.startswith(b"{") and str(key) not in seen:
            seen.add(str(key))
            yield b"@" + line + b"\r\n"


def iio():
    for seed in [
        ("be:S16/16>>0", "0.000598", "0", "0, 1, 0; 1, 0, 0; 0, 0, -1", "10 20 50 100", "iio:device0/input/accel_x/scale"),
        ("le:s12/16>>4", "0.009577", "-1.5", "0, 0, 0; 0, 0, 0; 0, 0, 0", "[1 0.5 400]", "mpu6050"),
        ("le:u20/32X4>>4", "1e-3", "nan", "1, 0; 0, 1", "ERROR", "iio:device0/buffer/x"),
    ]:
        yield ("\n".join(seed) + "\n" + "0" * 64).encode()


def xml():
    """The first byte selects options."""
    point = '<trkpt lat="1.5" lon="-2"><ele>3</ele><time>2021-06-16T23:46:05.5Z</time><fix>dgps</fix><sat>7</sat>'
    more = ("<hdop>0.9</hdop><extensions><g:x><g:speed>1</g:speed><g:course>9</g:course></g:x></extensions></trkpt>")
    segment = f"<trkseg>{point}{more}</trkseg>"
    yield f'\0<?xml version="1.0"?><gpx><trk><name>a&amp;b</name>{segment}{segment}</trk></gpx>'.encode()
    yield (b'\11<!DOCTYPE gpx [<!ENTITY e "x">]><gpx><rte><rtept lat="1" lon="2"/><rtept lat="1" lon="3"/></rte><wpt/>'
           b"</gpx>")
    yield (b'\3<gpx><!-- c --><wpt lat="1" lon="2"><time>2021-06-16T23:46:05+02:00</time><![CDATA[x]]></wpt>'
           b'<wpt lat="&#49;" /></gpx>')
    yield (b'\0<context name="a"><device id="d"><channel id="accel_x" type="input">'
           b'<scan-element index="0" format="le:s16/16&gt;&gt;0"/></channel></device></context>')


def accessories():
    """Files of accessories, and descriptors of the described devices."""
    yield b'{"name":"A","port":"p","serial":"1","protocols":{"com.a":{"tty":"/dev/t","speed":9600,"dtr":"leave"}}}'
    yield b'{"name":"B","protocols":{"com.b":{"socket":"s"},"com.c":{"hidraw":"/h","reportLength":64}}}'
    for _, line in lines("udev/*.umockdev"):
        if line.startswith(b"H: descriptors="):
            yield bytes.fromhex(line.split(b"=", 1)[1].decode())


def beacons():
    """Messages from a real bus, each after BlueZ's response about its objects and with BlueZ as the sender; an
    iBeacon."""
    messages = {}
    with open(os.path.join(ROOT, "Tests/Location/LocationSourceTests/BlueZ/messages.txt"), encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                name, digits = line.split()
                messages[name] = bytes.fromhex(digits)
    # The response belongs to the fifth call.
    field = b"\x05\x01u\0"
    at = messages["objects"].index(field) + len(field)
    answer = messages["objects"][:at] + struct.pack("<I", 5) + messages["objects"][at + 4:]
    for message in messages.values():
        yield answer + message
    yield bytes.fromhex("000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
    yield bytes.fromhex("18beace2c56db5dffb48d2b060d0f5a71096e000010002c599")


def boards():
    """Messages as documented by OwnTracks, and lines of a spool."""
    yield (b'{"_type":"location","acc":12,"alt":34,"batt":58,"bs":1,"cog":270,"conn":"w","inregions":["home"],"lat":52.5,'
           b'"lon":13.4,"m":1,"p":101.3,"t":"u","tid":"ph","tst":1700000000,"vac":3,"vel":36}')
    yield b'{"_type":"location","lat":-89.99999999,"lon":180.0,"tst":1700000000,"tst_ms":1700000000999,"vel":-1,"cog":-1}'
    yield b'{"_type":"lwt","tst":1700000000}'
    yield b'{"_type":"transition","wtst":1,"tst":2,"acc":3,"event":"enter","lat":1,"lon":2,"desc":"home"}'
    for body in (b"7 A", b'42 P owntracks/a/b {"_type":"lwt"}', b"1 R senml/a/b/gyroscope [] "):
        check = 0xCBF29CE484222325
        for byte in body:
            check = (check ^ byte) * 0x100000001B3 % 2**64
        yield b"%016x " % check + body


def motion():
    """The first byte selects a list of waypoints or a trace, and the options of the motion."""
    yield b"048,11,520,3\n48.001,11.001,,,5\n48,11.002\n"
    yield b"2lon,lat,pause\n-180,90,1\n180;-90\n0 0 \n"
    yield b"4# there and back\n48,11\n48.01,11\n48,11\n48,11,,,3\n"
    yield b"1" + b"".join(
        b'{"class":"TPV","mode":3,"time":"2026-01-01T00:00:0%d.000Z","lat":48.00%d,"lon":11,"altMSL":5}\n' % (n, n)
        for n in (1, 2, 4, 9))


def places():
    """Addresses, with or without a circle according to the first byte; changes to the section table and the data."""
    for text in ["Berlin", "Paris, Texas", "1 Infinite Loop, Cupertino CA 95014, USA", "Oxford, Oxfordshire, UK", "Bo",
                 "Wien, \u00d6sterreich", "Georgia", "San Juan, Puerto Rico, USA", "San Fran", "London, QQ", "BO"]:
        yield b"0" + text.encode()
        yield b"2" + text.encode()
    for section in range(17):
        place = 12 + 8 * section
        for question in (1, 3):
            yield bytes([question, 12, place, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F]) + b"Paris, Texas"
            yield bytes([question, 8, place + 4, 0, 0, 1, 2, 0, 0]) + b"Bavaria"
    yield bytes([1, 15, 9, 9, 9, 1, 2, 3, 4]) + b"Wien"


def nmea():
    """Receiver logs and their smallest parts, so that a mutation affects a field."""
    whole, seen = {}, set()
    for name, line in lines("gpsd/*.log"):
        if line[:1] in (b"$", b"#") and len(whole.setdefault(name, [])) < 30:
            whole[name].append(line)
        if line[:1] == b"$" and (name, line.split(b",")[0]) not in seen:
            seen.add((name, line.split(b",")[0]))
            yield line + b"\n"
    yield from (b"\n".join(log) + b"\n" for log in whole.values())


def formats():
    """Expected callbacks, device descriptions and dialogues."""
    yield b"\n".join([
        b'{"format":"device-services-expectations","version":1,"options":{"o":"x"},"tolerances":{"a":{"absolute":9,'
        b'"relative":1,"circle":360},"b":{"rotation":360},"c":{"absolute":1e9}}}',
        b'{"a":1,"b":[0,0,0,1],"c":"2026-05-01T10:00:00Z"}', b'{"a":2,"b":[0,0,1,0],"c":"2026-05-01T10:00:01.5Z"}', b""])
    for path in sorted(glob.glob(os.path.join(TRACES, "udev", "*.script"))) + [
            os.path.join(TRACES, "udev", "weigh-scale.umockdev")]:
        with open(path, "rb") as file:
            yield file.read()


def tables():
    """Tables of phone apps and other programs, and a column map."""
    for table in [
        '"Time (s)";"Acceleration x (m/s^2)";"Acceleration y (m/s^2)";"Acceleration z (m/s^2)"\n1,5E0;NaN;2;3\n2,5E0;1;2;3\n',
        '"Time (s)","Latitude (°)","Longitude (°)","Height (m)","Velocity (m/s)","Vertical Accuracy (°)","Satellites"\n'
        "1,50,6,100,5,3,7\n",
        '"event","experiment time","system time"\n"START",0,1700000000\n"PAUSE",5,1700000005\n"START",5,1700000009\n',
        "time,seconds_elapsed,z,y,x\n1700000000000000000,0.5,1,2,3\n",
        "time,horizontalAccuracy,speed,altitude,longitude,latitude\n1700000000000000000,5,-1,100,6,50\n",
        "time,batteryLevel,batteryState\n1700000000000000000,0.5,full\n",
        "version,recording epoch time,platform,standardisation\n3,1700000000000,android,false\n",
        "t,ax,ay,az,lat,lon,v,m,n\n1,0,0,-1,50,6,36,3,7\n",
        "2026-11-21T10:00:00Z;1;2;3;500000000;60000000\n",
        'time=t:ms,accel.x="a,b":-g,accel.y=#2,accel.z=z:mg,lat=a,lon=b,separator=tab',
    ]:
        # The first byte selects the format.
        for kind in b"01289:;<=>?":
            yield bytes([kind]) + table.encode()


TARGETS = {function.__name__.replace("_", "-"): function for function in (
    accessories, accessory_server, beacons, boards, dashboard, formats, gpsd, gpsd_server, iio, iio_client, iio_server, mcap,
    motion, nmea, places, tables, udev, xml)}

for number, seed in enumerate(TARGETS[sys.argv[1]]()):
    with open(os.path.join(sys.argv[2], f"seed-{number}"), "wb") as file:
        file.write(seed)
