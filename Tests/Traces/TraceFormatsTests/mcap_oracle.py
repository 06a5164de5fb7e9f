#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes MCAP files with Foxglove's Python library, which shares no code with the project.

    pip install mcap mcap-protobuf-support foxglove-schemas-protobuf
    mcap_oracle.py read FILE      reads by the indexes and sequentially, with all checksums; prints messages as JSON lines
    mcap_oracle.py write FOLDER   writes files in the style of other programs
"""
import json
import os
import sys

from mcap.reader import NonSeekingReader, SeekingReader
from mcap.writer import CompressionType, IndexType, Writer

START = 1_714_557_600_000_000_000  # 2024-05-01T10:00:00Z


def messages(reader):
    return [
        (schema.name if schema else "", channel.topic, message.log_time, message.publish_time, message.data)
        for schema, channel, message in reader.iter_messages(log_time_order=False)
    ]


def read(path):
    with open(path, "rb") as file:
        seeking = SeekingReader(file, validate_crcs=True)
        header, summary = seeking.get_header(), seeking.get_summary()
        assert header.library == "swift-device-services" and header.profile == "", "the header is wrong"
        by_index = messages(seeking)
        metadata = list(seeking.iter_metadata())
    with open(path, "rb") as file:
        assert messages(NonSeekingReader(file, validate_crcs=True)) == by_index, "the indexes miss messages"
    assert summary.statistics.message_count == len(by_index), "the statistics are wrong"
    assert [entry.name for entry in metadata] == ["device-services-trace"], "the metadata are wrong"
    for schema, topic, logged, published, data in by_index:
        print(json.dumps({
            "topic": topic, "schema": schema, "logged": logged, "published": published, "message": json.loads(data)}))


def fix(index, latitude):
    time = START + index * 1_000_000_000
    return time, json.dumps({
        "timestamp": {"sec": time // 10**9, "nsec": time % 10**9}, "frame_id": "gps", "latitude": latitude,
        "longitude": 8.25, "altitude": 100.0 + index, "position_covariance": [4, 0, 0, 0, 4, 0, 0, 0, 9],
        "position_covariance_type": 2}).encode()


def write_file(path, order=range(10), attachment=False, **options):
    writer = Writer(path, **options)
    writer.start(profile="", library="mcap_oracle.py")
    location = writer.register_schema("foxglove.LocationFix", "jsonschema", b'{"type":"object"}')
    image = writer.register_schema("foxglove.RawImage", "jsonschema", b'{"type":"object"}')
    gps = writer.register_channel("/fix", "json", location)
    camera = writer.register_channel("/camera", "protobuf", image)
    if attachment:
        writer.add_attachment(0, START, "big.bin", "application/octet-stream", bytes(300_000))
    for index in order:
        time, data = fix(index, 50 + index / 1000)
        writer.add_message(gps, time, data, time)
        # Larger than the block that is read at a time.
        writer.add_message(camera, time, bytes(100_000), time)
    if attachment:
        writer.add_metadata("note", {"key": "value"})
    writer.finish()


def write_protobuf(path):
    """Returns the same positions as Foxglove's own programs record them."""
    from foxglove_schemas_protobuf.LocationFix_pb2 import LocationFix
    from mcap_protobuf.writer import Writer as ProtobufWriter

    with open(path, "wb") as file, ProtobufWriter(file, compression=CompressionType.NONE) as writer:
        for index in range(10):
            time, data = fix(index, 50 + index / 1000)
            values = json.loads(data)
            message = LocationFix()
            message.timestamp.seconds, message.timestamp.nanos = values["timestamp"].values()
            for name in ["frame_id", "latitude", "longitude", "altitude", "position_covariance_type"]:
                setattr(message, name, values[name])
            message.position_covariance.extend(values["position_covariance"])
            writer.write_message("/fix", message, time, time)


def write(folder):
    plain = {"compression": CompressionType.NONE}
    write_file(os.path.join(folder, "chunked.mcap"), enable_data_crcs=True, **plain)
    write_file(os.path.join(folder, "small-chunks.mcap"), chunk_size=1000, attachment=True, **plain)
    write_file(os.path.join(folder, "unchunked.mcap"), use_chunking=False)
    write_file(
        os.path.join(folder, "no-summary.mcap"), index_types=IndexType.NONE, use_statistics=False,
        use_summary_offsets=False, repeat_channels=False, repeat_schemas=False, enable_crcs=False, **plain)
    write_file(
        os.path.join(folder, "disordered.mcap"), order=[3, 4, 5, 0, 1, 2, 9, 8, 7, 6], chunk_size=250_000, **plain)
    write_protobuf(os.path.join(folder, "protobuf.mcap"))
    write_file(os.path.join(folder, "zstd.mcap"), compression=CompressionType.ZSTD)
    write_file(os.path.join(folder, "lz4.mcap"), compression=CompressionType.LZ4)


{"read": read, "write": write}[sys.argv[1]](sys.argv[2])
