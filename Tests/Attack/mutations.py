# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Mutations of the bytes of a recording. The same random generator results in the same bytes."""
import re

NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
NUMBERS = [
    b"1e300", b"-1e300", b"1e308", b"1e309", b"-0", b"0", b"NaN", b"nan", b"inf", b"-Infinity", b"null", b"1e-320",
    b"9" * 30, b"-" + b"9" * 400, b"0." + b"3" * 300, b"18446744073709551616", b"-9223372036854775809", b"2147483648",
    b"1e18", b"-1", b"91", b"181", b"360", b"1e7", b"4294967295", b"0x10", b"1,5", b"+5", b".5", b"5.", b"1e", b"",
]
BYTES = [b"\0", b"\xff", b"\x1b[6n", b"\x9b", b"\xc2\x9b", b"\xe2\x80\xae", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\n",
         b"\"", b"\\", b"\\u0000", b"\\ud800", b"&#27;", b"]]>", b"{", b"[" * 300, b",,,", b"\t", b"$GP", b"<", b"%s%n"]


def _spot(chance, data):
    return chance.randrange(len(data) + 1)


def flip_bits(chance, data, _):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 32))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def remove_run(chance, data, _):
    at = _spot(chance, data)
    return data[:at] + data[at + chance.choice((1, 2, 7, 60, 900)):]


def repeat_run(chance, data, _):
    at = _spot(chance, data)
    run = data[at:at + chance.choice((1, 4, 40, 400))]
    return data[:at] + run * chance.choice((2, 3, 100)) + data[at + len(run):]


def cut(chance, data, _):
    return data[:_spot(chance, data)]


def cut_front(chance, data, _):
    return data[_spot(chance, data):]


def change_numbers(chance, data, _):
    spots = list(NUMBER.finditer(data))
    for match in sorted(chance.sample(spots, min(len(spots), chance.choice((1, 1, 3)))), key=lambda found: -found.start()):
        data = data[:match.start()] + chance.choice(NUMBERS) + data[match.end():]
    return data


def insert_bytes(chance, data, _):
    for _ in range(chance.choice((1, 1, 3))):
        at = _spot(chance, data)
        data = data[:at] + chance.choice(BYTES) + data[at:]
    return data


def splice(chance, data, other):
    return data[:_spot(chance, data)] + other[_spot(chance, other):]


def change_lines(chance, data, other):
    lines = data.splitlines(keepends=True)
    for _ in range(chance.choice((1, 3, 10))):
        if not lines:
            break
        at = chance.randrange(len(lines))
        kind = chance.randrange(5)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(chance.randrange(len(lines) + 1), lines[at])
        elif kind == 2:
            lines.insert(chance.randrange(len(lines)), lines.pop(at))
        elif kind == 3:
            lines.insert(at, chance.choice(other.splitlines(keepends=True) or [b"\n"]))
        else:
            lines[at] = lines[at][:chance.randrange(len(lines[at]))] + b"\n"
    return b"".join(lines)


def lengthen_line(chance, data, _):
    at = _spot(chance, data)
    return data[:at] + chance.choice((b"a", b"1", b" ", b"\"", b",", b"\xc3\xa9")) * chance.choice((200, 5000, 70_000)) + data[at:]


def fill_zeros(chance, data, _):
    at = _spot(chance, data)
    count = chance.choice((1, 16, 512))
    return data[:at] + b"\0" * count + data[at + chance.choice((0, count)):]


def change_encoding(chance, data, _):
    text = data.decode("latin1")
    return chance.choice((
        lambda: text.encode("utf-16"), lambda: text.encode("utf-16-be"), lambda: text.encode("utf-8"),
        lambda: b"\xef\xbb\xbf" + data, lambda: text.encode("utf-7"), lambda: text.encode("utf-32")))()


def change_line_ends(chance, data, _):
    return re.sub(rb"\r?\n", chance.choice((b"\r", b"\r\n", b"\n\n", b"\n\r", b"\0", b"")), data)


def empty(chance, data, _):
    return chance.choice((b"", b"\n", b" ", b"\0", b"\xef\xbb\xbf"))


# The first mutations are repeated, because they pass further checks of the readers.
ALL = [change_numbers] * 5 + [flip_bits, cut, change_lines, splice, insert_bytes] * 2 + [
    remove_run, repeat_run, cut_front, lengthen_line, fill_zeros, change_encoding, change_line_ends]


def damage(chance, data, other):
    """Returns the data after one or two mutations, and the names of the mutations."""
    ways = [chance.choice(ALL) for _ in range(chance.choice((1, 1, 2)))]
    if chance.random() < 0.01:
        ways = [empty]
    for way in ways:
        data = way(chance, data, other)
    return data, "+".join(way.__name__ for way in ways)
