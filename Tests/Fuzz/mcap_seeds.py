# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""MCAP files without their magic bytes, which the fuzzer prepends."""

import struct
import zlib


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<I", len(data)) + data


def record(code, contents):
    return struct.pack("<BQ", code, len(contents)) + contents


def channel(number, schema, topic, encoding="json"):
    return record(4, struct.pack("<HH", number, schema) + text(topic) + text(encoding) + text(b""))


def message(number, time, data):
    return record(5, struct.pack("<HIQQ", number, 0, time, time) + (data.encode() if isinstance(data, str) else data))


def chunk(records, compression=""):
    return record(
        6,
        struct.pack("<QQQI", 1, 2, len(records), zlib.crc32(records))
        + text(compression)
        + struct.pack("<Q", len(records))
        + records,
    )


def mcap():
    start = 1_714_557_600_000_000_000
    header = record(1, text("") + text("x"))
    fix = (
        '{"timestamp":{"sec":1714557601,"nsec":5},"frame_id":"a","latitude":-33.5,"longitude":151.25,"altitude":40,'
        '"position_covariance":[4,0,0,0,4,0,0,0,9],"position_covariance_type":1,"heading":1,"velocity":{"x":1,"y":2,"z":3}}'
    )
    plain = (
        record(3, struct.pack("<H", 1) + text("foxglove.LocationFix") + text("jsonschema") + text("{}"))
        + channel(1, 1, "/fix")
        + message(1, start + 5, fix)
        + message(1, start, fix)
    )
    # foxglove.LocationFix in Protocol Buffers.
    packed = (
        b"\x09"
        + struct.pack("<d", -33.5)
        + b"\x11"
        + struct.pack("<d", 151.25)
        + b"\x22\x48"
        + struct.pack("<9d", 4, 0, 0, 0, 4, 0, 0, 0, 9)
        + b"\x28\x02\x32\x06\x08\xa0\xa5\xc8\xb1\x06\x3a\x01a"
    )
    protobuf = (
        record(3, struct.pack("<H", 1) + text("foxglove.LocationFix") + text("protobuf") + text(""))
        + channel(1, 1, "/fix", "protobuf")
        + message(1, start, packed)
    )
    trace = (
        '{"format":"device-services-trace","version":1,"start":{"utc":"2024-05-01T10:00:00.000000000Z","boot":1.0},'
        '"sensors":[{"id":"g","kind":"gyroscope"}]}'
    )
    schemas = b"".join(
        record(3, struct.pack("<H", number) + text(name) + text("jsonschema") + text("{}"))
        for number, name in enumerate(["gpsd.Report", "device_services.Vector", "device_services.Event"], 1)
    )
    own = record(12, text("device-services-trace") + text(text("header") + text(trace))) + chunk(
        schemas
        + channel(0, 1, "/gpsd")
        + channel(1, 2, "/gyroscope/g")
        + channel(2, 3, "/events")
        + message(0, start, '{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}')
        + message(1, start + 9, '{"timestamp":{"sec":1,"nsec":2},"frame_id":"g","x":1,"y":2,"z":3}')
        + message(2, start + 10, '{"t":0.1,"battery":{"level":0.5,"state":"unplugged"}}')
    )
    early = (
        record(12, text("device-services-trace") + text(text("header") + text(trace)))
        + schemas
        + channel(0, 1, "/gpsd")
        + message(0, 1, '{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}')
    )
    end = record(15, struct.pack("<I", 0)) + record(11, struct.pack("<QHIIIIQQ", 2, 1, 1, 0, 0, 1, 1, 2) + text(b""))
    end += record(2, struct.pack("<QQI", 0, 0, 0))
    for data in [
        header + plain + end,
        header + chunk(plain) + end,
        header + own + end,
        header + early + end,
        header + protobuf + end,
        header + chunk(plain, "zstd"),
        header + chunk(plain)[:-20],
    ]:
        yield data
