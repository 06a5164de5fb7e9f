# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Searches the tool's output for physically impossible numbers and for files that are not well-formed."""
import json
import math
import xml.etree.ElementTree as ElementTree

# See docs/formats.md: altitudes of 10,000 km and more, negative speeds and similar values are omitted.
HEIGHT, SPEED, SAMPLE = 1e7, 1e6, 1e9

# The minimum, the maximum and the values for unknown in JSON callbacks.
FIELDS = {
    "latitude": (-90, 90, ()), "longitude": (-180, 180, ()), "altitude": (-HEIGHT, HEIGHT, (None,)),
    "ellipsoidalAltitude": (-HEIGHT, HEIGHT, (None,)), "horizontalAccuracy": (1e-9, 1e9, (-1,)),
    "verticalAccuracy": (1e-9, 1e9, (-1,)), "speed": (0, SPEED, (-1,)), "speedAccuracy": (0, SPEED, (-1,)),
    "course": (0, 360, (-1,)), "courseAccuracy": (0, 360, (-1,)),
    "magneticHeading": (0, 360, (-1,)), "trueHeading": (0, 360, (-1,)),
}


def wrong(kind, data):
    """Returns the problem in an output of this kind, or None."""
    check = {"json": _json, "gpx": _xml, "xcode": _xml, "kml": _xml, "geojson": _geojson, "nmea": _nmea, "csv": _csv,
             "trace": _lines, "gpsd": _reports}.get(kind)
    try:
        return check(data) if check else None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ElementTree.ParseError) as error:
        return f"is no well-formed {kind}: {error!r:.200}"


def _refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def _parsed(line):
    # Decoded strictly, because JSON is UTF-8.
    return json.loads(line.decode(), parse_constant=_refuse)


def _json(data):
    for line in data.splitlines():
        found = _members(_parsed(line))
        if found:
            return found
    return None


def _members(value):
    if isinstance(value, list):
        return next(filter(None, map(_members, value)), None)
    if not isinstance(value, dict):
        return None
    for name, member in value.items():
        if name in FIELDS and (member is None or isinstance(member, (int, float))):
            least, greatest, unknown = FIELDS[name]
            if member not in unknown and (member is None or not least <= member <= greatest):
                return f"{name} is {member}"
        elif isinstance(member, float) and not math.isfinite(member):
            return f"{name} is {member}"
        found = _members(member)
        if found:
            return found
    return None


def _lines(data):
    """A trace: each line is an object. Reports are kept unmodified, regardless of their contents."""
    for line in data.splitlines():
        if line.startswith(b"{"):
            value = json.loads(line.decode())
            for name in ("accelerometer", "gyroscope", "magnetometer"):
                if name in value and not all(abs(number) <= SAMPLE for number in value[name]):
                    return f"{name} is {value[name]}"
    return None


def _reports(data):
    """gpsd's own format contains reports unmodified, including damaged ones, which a warning counts, and any bytes of a
    receiver's name. Everything except reports is written by the tool.
    """
    for line in data.splitlines():
        if not line.startswith(b"{"):
            line.decode()
    return None


def _place(lat, lon, height=0.0):
    if not (-90 <= lat <= 90 and -180 <= lon <= 180 and abs(height) <= HEIGHT):
        return f"a position is {lat}, {lon}, {height}"
    return None


def _xml(data):
    for element in ElementTree.fromstring(data).iter():
        name = element.tag.rpartition("}")[2]
        text = (element.text or "").strip()
        found = None
        if "lat" in element.attrib:
            found = _place(float(element.attrib["lat"]), float(element.attrib["lon"]))
        elif name == "ele":
            found = _place(0, 0, float(text))
        elif name == "speed" and not 0 <= float(text) <= SPEED:
            found = f"speed is {text}"
        elif name == "course" and not 0 <= float(text) <= 360:
            found = f"course is {text}"
        elif name in ("coordinates", "coord"):
            # KML: lon,lat[,height] separated by spaces, or a single one with spaces inside.
            for point in [text.split()] if name == "coord" else [word.split(",") for word in text.split()]:
                lon, lat, *height = map(float, point)
                found = found or _place(lat, lon, *height)
        if found:
            return found
    return None


def _geojson(data):
    def places(value):
        if value and isinstance(value[0], (int, float)):
            yield value
        else:
            for member in value:
                yield from places(member)
    for feature in _parsed(data)["features"]:
        for lon, lat, *height in places(feature["geometry"]["coordinates"]):
            found = _place(lat, lon, *height)
            if found:
                return found
    return None


def _nmea(data):
    for line in data.decode().split("\r\n"):
        if not line:
            continue
        body, _, checksum = line[line.index("$") + 1:].partition("*")
        total = 0
        for byte in body.encode():
            total ^= byte
        if int(checksum, 16) != total:
            return f"{line} has another checksum"
        fields = body.split(",")
        if fields[0].endswith("GGA") and fields[2]:
            lat, lon = (float(fields[n][:-8] or 0) + float(fields[n][-8:]) / 60 for n in (2, 4))
            found = _place(lat, lon, float(fields[9] or 0))
            if found or float(fields[2][-8:]) >= 60:
                return found or line
    return None


def _csv(data):
    header, *rows = data.decode().splitlines()
    columns = header.split(",")
    for row in rows:
        cells = row.split(",")
        if len(cells) != len(columns):
            return f"the row {row} has not {len(columns)} cells"
        if not all(abs(float(cell)) < 1e15 for cell in cells if cell):
            return f"a row is {row}"
    return None
