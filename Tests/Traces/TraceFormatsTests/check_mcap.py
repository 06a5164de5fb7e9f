#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Checks an MCAP file against mcap.dev/spec and prints its messages as JSON, one per line.

    check_mcap.py FILE

Checks the magic bytes, the order of records, all checksums, that schemas precede channels and channels precede messages, all
offsets and lengths of the indexes, the statistics, the summary offsets, that times do not decrease, that each channel has a
schema, and each message against its schema. Warnings of "mcap doctor" are errors here. The script shares no code with the
project.
"""
import json
import struct
import sys
import zlib

MAGIC = b"\x89MCAP0\r\n"
data = open(sys.argv[1], "rb").read()


def need(condition, what):
    if not condition:
        sys.exit(what)


class Fields:
    def __init__(self, contents):
        self.rest = contents

    def number(self, form):
        size = struct.calcsize("<" + form)
        value, = struct.unpack("<" + form, self.rest[:size])
        self.rest = self.rest[size:]
        return value

    def bytes(self, form="I"):
        length = self.number(form)
        need(length <= len(self.rest), "a length goes beyond its record")
        value, self.rest = self.rest[:length], self.rest[length:]
        return value

    def text(self):
        return self.bytes().decode("utf-8")

    def map(self, key, value):
        inner, result = Fields(self.bytes()), {}
        while inner.rest:
            name = inner.text() if key == "s" else inner.number(key)
            need(name not in result, "a key is there twice")
            result[name] = inner.text() if value == "s" else inner.number(value)
        return result


def records(start, end):
    while start < end:
        opcode, length = struct.unpack_from("<BQ", data, start)
        need(start + 9 + length <= end, f"the record at {start} goes too far")
        yield opcode, start, data[start + 9:start + 9 + length]
        start += 9 + length


need(data.startswith(MAGIC) and data.endswith(MAGIC), "the magic bytes are missing")
schemas, channels, messages, chunks, metadata = {}, {}, [], {}, {}
indexes = {}
KINDS = {
    "object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
}


def suits(value, rule):
    """Returns whether a value conforms to the keywords of JSON Schema that are used here."""
    if "type" in rule and not isinstance(value, KINDS[rule["type"]]):
        return False
    if "const" in rule and value != rule["const"]:
        return False
    if "oneOf" in rule and sum(suits(value, one) for one in rule["oneOf"]) != 1:
        return False
    if isinstance(value, (int, float)):
        return rule.get("minimum", value) <= value <= rule.get("maximum", value)
    if isinstance(value, list):
        return rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)) and all(
            suits(item, rule.get("items", {})) for item in value)
    if isinstance(value, dict):
        return all(key in value for key in rule.get("required", [])) and all(
            suits(value[key], inner) for key, inner in rule.get("properties", {}).items() if key in value)
    return True


def schema(fields):
    number, name, encoding, text = fields.number("H"), fields.text(), fields.text(), fields.bytes()
    need(number != 0 and encoding == "jsonschema" and json.loads(text)["title"] == name, "a schema is wrong")
    need(schemas.setdefault(number, (name, text)) == (name, text), "a schema is there twice and differs")


def channel(fields):
    number, kind = fields.number("H"), fields.number("H")
    need(kind in schemas, "a channel stands before its schema, or has none")
    entry = (kind, fields.text(), fields.text(), tuple(fields.map("s", "s")))
    need(entry[2] == "json", "a channel is not JSON")
    need(channels.setdefault(number, entry) == entry, "a channel is there twice and differs")


def chunk(start, contents, whole):
    fields = Fields(contents)
    first, last, size, check = fields.number("Q"), fields.number("Q"), fields.number("Q"), fields.number("I")
    need(fields.text() == "", "a chunk is compressed")
    inside = fields.bytes("Q")
    need(not fields.rest and len(inside) == size and zlib.crc32(inside) == check, "a chunk's checksum is wrong")
    found, at = {}, 0
    while at < len(inside):
        opcode, length = struct.unpack_from("<BQ", inside, at)
        fields = Fields(inside[at + 9:at + 9 + length])
        if opcode == 3:
            schema(fields)
        elif opcode == 4:
            channel(fields)
        else:
            need(opcode == 5, "a chunk holds a record that it may not hold")
            number, sequence, logged, published = (fields.number(form) for form in "HIQQ")
            need(number in channels, "a message stands before its channel")
            need(sequence == len(messages), "a sequence number is wrong")
            need(not messages or logged >= messages[-1][1], "a message is earlier than the one before")
            found.setdefault(number, []).append((logged, at))
            messages.append((number, logged, published, fields.rest))
        at += 9 + length
    times = [time for entries in found.values() for time, _ in entries]
    need((first, last) == (min(times), max(times)), "a chunk's times are wrong")
    chunks[start] = (first, last, 9 + len(contents), size, found)


end_of_data = None
order = []
for opcode, start, contents in records(len(MAGIC), len(data) - len(MAGIC)):
    order.append(opcode)
    if end_of_data is not None:
        continue
    if opcode == 6:
        current = start
        chunk(start, contents, True)
        indexes[current] = {}
    elif opcode == 7:
        fields = Fields(contents)
        number, entries = fields.number("H"), fields.bytes()
        pairs = [struct.unpack_from("<QQ", entries, at) for at in range(0, len(entries), 16)]
        need(chunks[current][4].get(number) == pairs, "a message index is wrong")
        indexes[current][number] = (start, 9 + len(contents))
    elif opcode == 12:
        fields = Fields(contents)
        metadata[start] = (9 + len(contents), fields.text(), fields.map("s", "s"))
    elif opcode == 15:
        need(Fields(contents).number("I") == zlib.crc32(data[:start]), "the data's checksum is wrong")
        end_of_data = start
    else:
        need(opcode == 1 and len(order) == 1, f"a record {opcode} stands where it may not")
        fields = Fields(contents)
        need(fields.text() == "" and fields.text() == "swift-device-services", "the header is wrong")
need(order[0] == 1 and order[-1] == 2 and order.count(15) == 1, "the order of records is wrong")
for start, (_, _, _, _, found) in chunks.items():
    need(set(found) == set(indexes[start]), "a chunk has not one index for each channel")

footer = Fields(data[-len(MAGIC) - 20:-len(MAGIC)])
summary, offsets, check = footer.number("Q"), footer.number("Q"), footer.number("I")
need(check == zlib.crc32(data[summary:-len(MAGIC) - 4]), "the summary's checksum is wrong")
groups, seen, statistics = {}, {"chunks": set(), "metadata": set(), "channels": set()}, 0
for opcode, start, contents in records(summary, offsets):
    length = 9 + len(contents)
    if opcode in groups:
        need(groups[opcode][0] + groups[opcode][1] == start, "records of a kind do not stand together")
        groups[opcode] = (groups[opcode][0], groups[opcode][1] + length)
    else:
        groups[opcode] = (start, length)
    fields = Fields(contents)
    if opcode == 3:
        schema(fields)
    elif opcode == 4:
        seen["channels"].add(struct.unpack_from("<H", contents)[0])
        channel(fields)
    elif opcode == 8:
        first, last, at, size = (fields.number("Q") for _ in range(4))
        places, total = fields.map("H", "Q"), fields.number("Q")
        need(fields.text() == "", "an index says compression")
        sizes = fields.number("Q"), fields.number("Q")
        entry = chunks[at]
        need((first, last, size) == entry[:3] and sizes == (entry[3], entry[3]), "a chunk index is wrong")
        need(places == {n: place for n, (place, _) in indexes[at].items()}, "places of message indexes are wrong")
        need(total == sum(length for _, length in indexes[at].values()), "a length of message indexes is wrong")
        seen["chunks"].add(at)
    elif opcode == 11:
        statistics += 1
        numbers = [fields.number(form) for form in "QHIIIIQQ"]
        counts = {}
        for number, _, _, _ in messages:
            counts[number] = counts.get(number, 0) + 1
        times = [logged for _, logged, _, _ in messages] or [0]
        need(numbers == [len(messages), len(schemas), len(channels), 0, len(metadata), len(chunks), min(times), max(times)],
             f"the statistics are wrong: {numbers}")
        need(fields.map("H", "Q") == counts, "the counts of channels are wrong")
    elif opcode == 13:
        at, size, name = fields.number("Q"), fields.number("Q"), fields.text()
        need((size, name) == metadata[at][:2], "a metadata index is wrong")
        seen["metadata"].add(at)
    else:
        sys.exit(f"a record {opcode} is in the summary")
need(statistics == 1 and seen["chunks"] == set(chunks) and seen["metadata"] == set(metadata), "the summary lacks something")
need(seen["channels"] == set(channels), "the summary lacks a channel")
told = {}
for opcode, start, contents in records(offsets, len(data) - len(MAGIC) - 29):
    need(opcode == 14, "the summary offsets hold something else")
    fields = Fields(contents)
    group = fields.number("B")
    told[group] = (fields.number("Q"), fields.number("Q"))
need(told == groups, "the summary offsets are wrong")

rules = {number: json.loads(text) for number, (_, text) in schemas.items()}
for number, logged, published, text in messages:
    kind, topic, _, _ = channels[number]
    message = json.loads(text)
    need(suits(message, rules[kind]), f"a message of {topic} does not suit its schema: {text}")
    print(json.dumps({
        "topic": topic, "schema": schemas[kind][0], "logged": logged, "published": published, "message": message}))
