# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The instruments: axes and values of charts, the sky, units, names on the map, and the picture of the view."""
import base64
import datetime
import math

from checking import part
from recorded import at

# Returns the coordinates of a time in a strip, and of the first and last column of its chart.
_PLACE = """const strip = dashboard.strips.named(arguments[0]), box = strip.canvas.getBoundingClientRect();
    const { margin } = await import('/page/strip.js'), now = dashboard.clock.now, { from, to } = dashboard.strips.window(now);
    const left = box.left + margin.left, right = box.right - margin.right;"""


def _touch(browser, kind, x, y):
    browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": [
        {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0},
        *([{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}] if kind == "touch" else [])]}]})


@part("axes")
def axes(trial):
    """Three axes are red, green and blue everywhere, with one legend. The attitude is shown as angles."""
    browser = trial.browser
    with trial.serve(trial.drive, "--speed", "4") as served:
        trial.open(served.address, height=1600)
        browser.wait("return dashboard.clock.now > 8", what="8 s of the trace")
        trial.command({"do": "pause"})
        trial.settle()
        legend = browser.run("""return [...document.querySelectorAll('.axes-key span')].map((node) => [node.textContent, getComputedStyle(node).color])""")
        hues = [_hue(colour) for _, colour in legend]
        trial.check([name for name, _ in legend] == ["x", "y", "z"] and hues == ["red", "green", "blue"], "the legend has a red, a green and a blue axis", (legend, hues))
        wrong = browser.run("""const [legend] = arguments;
            return dashboard.strips.list.filter((strip) => strip.channel.axes.join('') === 'xyz').flatMap((strip) =>
                [...strip.node.querySelectorAll('.axis-name')].map((node, index) => [strip.channel.name, node.textContent, getComputedStyle(node).color, legend[index]])
                    .filter(([, name, colour, [wanted, hue]]) => name !== wanted || colour !== hue)
                    .concat(strip.node.querySelectorAll('svg').length > 0 ? [[strip.channel.name, 'has its own legend']] : []))""", legend)
        trial.check(not wrong, "all charts of three axes use these colours and have no other legend", wrong)
        # A rotation has the colour of its axis: in Core Motion, pitch is about x, roll about y, and yaw about z.
        names = browser.run("""return [...dashboard.strips.named('angles').node.querySelectorAll('.axis-name')].map((node) => [node.textContent, getComputedStyle(node).color])""")
        colours = [colour for _, colour in legend]
        trial.check(names == [["roll", colours[1]], ["pitch", colours[0]], ["yaw", colours[2]]], "the attitude is shown as roll, pitch and yaw", names)
        got = browser.run("""const all = (name) => { const { history } = dashboard.strips.named(name);
            return Array.from({ length: history.count }, (_, index) => [history.times[history.at(index)], ...history.reading(index)]); };
            return [all('attitude'), all('angles')]""")
        off = []
        for (time, w, x, y, z), (other, roll, pitch, yaw) in zip(*got):
            # Rz(yaw)·Rx(pitch)·Ry(roll), as in Core Motion's documentation.
            wanted = (math.degrees(math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y))),
                      math.degrees(math.asin(max(-1, min(1, 2 * (y * z + w * x))))),
                      math.degrees(math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))))
            if time != other or any(abs(a - b) > 1e-3 for a, b in zip(wanted, (roll, pitch, yaw))):
                off.append((time, wanted, (roll, pitch, yaw)))
        trial.check(len(got[0]) == len(got[1]) > 500 and not off, f"{len(got[1])} angles are those of the quaternions", off[:2])
        visible = "return ['angles', 'attitude'].map((name) => dashboard.strips.named(name).node.checkVisibility())"
        trial.check(browser.run(visible) == [True, False], "the quaternion is hidden")
        browser.run("document.getElementById('quaternion').click()")
        trial.settle()
        trial.check(browser.run(visible) == [True, True], "the quaternion is shown on demand")
        # The charts begin at the first reading instead of with an empty part.
        span = browser.run("const now = dashboard.clock.now; return [dashboard.strips.window(now), now, dashboard.strips.named('accelerometer').history.times[0]]")
        trial.check(abs(span[0]["from"] - min(span[2], 0.05)) < 0.2 and abs(span[0]["to"] - span[1]) < 1e-6,
                    "after 8 s, the charts cover these 8 s", span)
        ink = browser.run("return (async () => {" + _PLACE + """
            const data = strip.canvas.getContext('2d').getImageData(margin.left, margin.top, right - left, strip.canvas.height - margin.top - margin.bottom);
            // The lines have saturated colours, and the grid is grey.
            const columns = [];
            for (let x = 0; x < data.width; x += 1) {
                let found = false;
                for (let y = 0; y < data.height; y += 1) {
                    const [r, g, b, a] = data.data.subarray((y * data.width + x) * 4, (y * data.width + x) * 4 + 4);
                    found ||= a > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 60;
                }
                columns.push(found);
            }
            return [columns.indexOf(true), columns.lastIndexOf(true), data.width, columns.filter(Boolean).length]; })()""", "accelerometer")
        trial.check(ink[0] <= 4 and ink[1] >= ink[2] - 4 and ink[3] > 0.97 * ink[2], "their lines extend from the left edge to the right edge", ink)
        trial.shot("axes")
        trial.check_console()


def _hue(colour):
    red, green, blue = (int(part) for part in colour[4:-1].split(","))
    return max(("red", red), ("green", green), ("blue", blue), key=lambda pair: pair[1])[0]


@part("pointer")
def pointer(trial):
    """The values under the pointer are those of replay, for a mouse and for a finger."""
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address, height=1600)
        trial.pause_at(90)
        rows = trial.expected.rows("magnetometer", "x", "y", "z")
        for kind, fraction in (("mouse", 0.25), ("touch", 0.6)):
            spot = browser.run("return (async () => {" + _PLACE + "return { x: left + (right - left) * arguments[1], y: box.top + 40, time: from + arguments[1] * (to - from), pixel: (to - from) / (right - left) }; })()",
                               "magnetometer", fraction)
            _touch(browser, kind, spot["x"], spot["y"])
            trial.settle()
            shown = browser.run("""return ['magnetometer', 'accelerometer'].map((name) => { const strip = dashboard.strips.named(name);
                return [strip.note.textContent, strip.figures.map((node) => Number(node.textContent.replace('\\u2212', '-')))]; })""")
            near = [row[1] for row in rows if abs(row[0] - spot["time"]) <= spot["pixel"] + 0.02]
            trial.check(any(all(abs(a - b) <= 0.0501 for a, b in zip(shown[0][1], row)) for row in near),
                        f"{kind}: the figures are those at {spot['time']:.2f} s", (shown[0], near[:2]))
            minutes, seconds = divmod(spot["time"], 60)
            found = shown[0][0].removeprefix("at ").split(":")
            trial.check(shown[0][0].startswith("at ") and abs(int(found[0]) * 60 + float(found[1]) - spot["time"]) < 0.2 and shown[1][0] == shown[0][0],
                        f"{kind}: all charts show the time", (shown, minutes, seconds))
        # The curves of speed and altitude.
        fixes = trial.expected.fixes()
        spot = browser.run("""const [graph] = dashboard.profile.graphs, box = graph.graphDiv.getBoundingClientRect();
            return [box.left + graph.toDomXCoord(70), box.top + 40]""")
        _touch(browser, "touch", *spot)
        trial.settle()
        near = [f"{fix['speed'] * 3.6:.1f} km/h" for time, fix in fixes if 69 <= time <= 71]
        shown = trial.text("graph-speed-value"), trial.text("graph-altitude-value")
        trial.check(any(shown[0].startswith(value) for value in near) and " at 1:" in shown[0] and " m at 1:" in shown[1],
                    "touch: the curves show the speed and the altitude at that time", (shown, near))
        _touch(browser, "touch", 20, 20)
        trial.settle()
        trial.check("Hz" in browser.run("return dashboard.strips.named('magnetometer').note.textContent"), "a touch elsewhere ends this")


# : Metres per unit, and metres per second per unit: 1 mi = 1609.344 m, 1 ft = 0.3048 m, 1 NM = 1852 m.
UNITS = {"metric": ("km/h", 1 / 3.6, "m", 1.0), "imperial": ("mph", 0.44704, "ft", 0.3048), "nautical": ("kn", 1852 / 3600, "ft", 0.3048)}


@part("units")
def units(trial):
    browser = trial.browser
    with trial.serve(trial.drive, "--region", "Station=46.5537,7.9012,5000") as served:
        trial.open(served.address)
        trial.pause_at(150.75)
        _, fix = at(trial.expected.fixes(), 150.75)
        for name, (speed, metres_per_second, height, metres) in UNITS.items():
            browser.run("const node = document.getElementById('units'); node.value = arguments[0]; node.dispatchEvent(new Event('change'))", name)
            trial.settle()
            wrong = []
            for element, wanted in (("speed", fix["speed"] / metres_per_second), ("altitude", fix["altitude"] / metres),
                                    ("accuracy", fix["horizontalAccuracy"] / metres)):
                if abs(trial.number(element) - wanted) > 0.0501:
                    wrong.append((element, trial.number(element), wanted))
            shown = browser.run("return [...document.querySelectorAll('[data-unit=speed], [data-unit=height]')].map((node) => `${node.dataset.unit} ${node.textContent}`)")
            trial.check(not wrong and set(shown) == {f"speed {speed}", f"height {height}"}, f"{name}: the figures are in {speed} and {height}", (wrong, shown))
            bar = browser.run("const line = document.querySelector('.leaflet-control-scale-line'); return [line.textContent, line.offsetWidth, dashboard.map.map.getCenter().lat, dashboard.map.map.getZoom()]")
            number, unit = bar[0].split()
            # Web Mercator: 156543.034 m per pixel at the equator at zoom 0. The bar has a border.
            width = float(number) * {"m": 1, "km": 1000, "ft": 0.3048, "mi": 1609.344, "NM": 1852}[unit] / (
                156543.034 * math.cos(math.radians(bar[2])) / 2 ** bar[3])
            trial.check(abs(width - bar[1]) < 4 and unit in {"metric": ("m", "km"), "imperial": ("ft", "mi"), "nautical": ("NM",)}[name],
                        f"{name}: the scale bar of the map has the length of {bar[0]}", (width, bar))
            # 5000 m.
            radius = {"metric": "5.0 km", "imperial": "3.1 mi", "nautical": "2.7 NM"}[name]
            trial.check(radius in trial.text("region-list"), f"{name}: the radius of the region is {radius}", trial.text("region-list"))
            top = browser.run("return dashboard.profile.graphs[0].getValue(dashboard.profile.graphs[0].numRows() - 1, 1)[1]")
            trial.check(abs(top - fix["speed"] / metres_per_second) < 1e-6, f"{name}: the curve of the speed is in {speed}", top)
        trial.open(served.address)
        trial.check(browser.run("return document.getElementById('units').value") == "nautical", "the choice is remembered")
        browser.run("localStorage.clear()")
        trial.open(served.address)
        trial.check(browser.run("return document.getElementById('units').value") == "metric", "without a choice, the units are metric")
        browser.run("dashboard.connection.socket.onmessage({ data: JSON.stringify({ ...dashboard.hello, units: 'imperial' }) })")
        trial.check(browser.run("return document.getElementById('units').value") == "imperial", "the server can set another default")
        trial.check_console()


@part("sky")
def sky(trial):
    """The sky has the colours and names of `plot`, and no name covers another name or satellite."""
    browser = trial.browser
    # The style numbers and colours of SkyChart.swift and PlotStyle.swift.
    wanted = {"G": "#0072B2", "R": "#D55E00", "E": "#009E73", "C": "#AA4499", "J": "#56B4E9", "I": "#56B4E9", "S": "#B8860B"}
    with trial.serve() as served:
        trial.open(served.address)
        trial.pause_at(60)
        marks = browser.run("""return [...document.querySelectorAll('#sky .satellite')].map((node) => [node.querySelector('title').textContent.split(' ')[1].replace(':', ''),
            getComputedStyle(node.querySelector('circle')).stroke, Number(node.querySelector('circle').getAttribute('r'))])""")
        wrong = [mark for mark in marks if _rgb(wanted[mark[0][0]]) != mark[1]]
        trial.check(len(marks) > 15 and not wrong, "each satellite has the colour that plot uses for its system", wrong)
        strengths = {}
        for satellite in [report for time, report in trial.expected.sky if time <= 60][-1]["satellites"]:
            letter = {0: "G", 1: "S", 2: "E", 3: "C", 5: "J", 6: "R", 7: "I"}[satellite["gnssid"]]
            strengths[f"{letter}{satellite['svid'] - (100 if letter == 'S' and satellite['svid'] > 100 else 0):02d}"] = satellite["ss"]
        sizes = sorted((strengths[name], radius) for name, _, radius in marks if name in strengths)
        trial.check(len(sizes) > 15 and all(a[1] <= b[1] for a, b in zip(sizes, sizes[1:])) and sizes[0][1] < sizes[-1][1], "stronger satellites are larger", sizes)
        names = browser.run("""const box = (node) => { const { x, y, width, height } = node.getBBox(); return [node.textContent, x, y, width, height]; };
            return [...document.querySelectorAll('#sky .satellite-name')].map(box)""")
        trial.check({name for name, *_ in names} <= {name for name, *_ in marks} and len(names) > 0.7 * len(marks), "the names are those of RINEX, such as G05", names)
        # The boxes of text lines are higher than their letters.
        over = [(a[0], b[0]) for index, a in enumerate(names) for b in names[index + 1:]
                if min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]) > 0.5 and min(a[2] + a[4], b[2] + b[4]) - max(a[2], b[2]) > 3]
        trial.check(not over, "no name covers another", over)
        trial.check_console()


def _rgb(colour):
    return f"rgb({int(colour[1:3], 16)}, {int(colour[3:5], 16)}, {int(colour[5:7], 16)})"


@part("names")
def names(trial):
    """The name of the place is on the map, and no name on the map is crossed by the track."""
    browser = trial.browser
    # The track passes through the middle of both regions.
    with trial.serve(trial.drive, "--speed", "50", "--region", "Station=46.5537,7.9012,150", "--region", "Bridge=46.5567,7.9144,90") as served:
        trial.open(served.address)
        browser.wait("return dashboard.clock.now > 170", seconds=60, what="170 s of the trace")
        trial.command({"do": "pause"})
        browser.run("document.getElementById('map-fit').click()")
        trial.settle()
        text = trial.text("place-name")
        if text:
            # The drive is in the Bernese Oberland: 46.55° N, 7.90° E.
            over = browser.run("""const map = document.getElementById('map').getBoundingClientRect(), name = document.getElementById('place-name').getBoundingClientRect();
                return [name.left >= map.left && name.right <= map.right && name.top >= map.top && name.bottom <= map.bottom,
                    document.elementFromPoint(name.left + 3, name.top + 3) !== null]""")
            trial.check(text.endswith(", Bern, Switzerland") and over[0], "the name of the place is on the map", (text, over))
        else:
            trial.skipped("the program was built without the place data")
        crossed = browser.run("""const path = document.querySelector('#map path.track'), svg = path.ownerSVGElement, found = [];
            const labels = [...document.querySelectorAll('#map .region-name')];
            const length = path.getTotalLength();
            for (let at = 0; at < length; at += 1) {
                const { x, y } = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
                for (const label of labels) {
                    const box = label.getBoundingClientRect();
                    if (x > box.left && x < box.right && y > box.top && y < box.bottom) found.push(label.textContent);
                }
            }
            return [labels.length, [...new Set(found)], length]""")
        trial.check(crossed[0] == 2 and not crossed[1] and crossed[2] > 100, "the track crosses no name of a region", crossed)
        above = browser.run("""const zIndex = (name) => Number(getComputedStyle(dashboard.map.map.getPane(name)).zIndex);
            return zIndex('graticule-names') > zIndex('overlayPane') && [...document.querySelectorAll('.graticule-name')].every((node) => node.parentNode === dashboard.map.map.getPane('graticule-names'))""")
        trial.check(above, "the names of the graticule are above the track")
        trial.shot("names")
        trial.check_console()


@part("picture")
def picture(trial):
    """The saved picture equals the view without its buttons."""
    browser = trial.browser
    for width in (1280, 390):
        with trial.serve() as served:
            trial.open(served.address, width, 900)
            trial.pause_at(90)
            browser.run("""window.saved = {};
                URL.createObjectURL = (blob) => { window.saved.blob = blob; return 'data:,'; };
                HTMLAnchorElement.prototype.click = function () { window.saved.name = this.download; };
                document.getElementById('save-picture').click()""")
            browser.wait("return window.saved.name", what="the picture")
            # The same view with the same parts hidden, as the browser draws it.
            browser.run("""document.head.append(Object.assign(document.createElement('style'), { textContent:
                'main :is(button, select, summary, input, .tools, .check, .leaflet-control-zoom) { display: none !important }' }))""")
            trial.settle()
            browser.run("dashboard.strips.drawAll()")
            height = browser.run("return document.documentElement.scrollHeight")
            screen = browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                 clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"]
            with open(f"{trial.shots}/view-{width}.png", "wb") as file:
                file.write(base64.b64decode(screen))
            # The heading of the picture is 36 px high.
            found = browser.run("""const [screen] = arguments, { name, blob } = window.saved;
                const load = (source) => new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image); image.onerror = reject; image.src = source; });
                return (async () => {
                    const bytes = new Uint8Array(await blob.arrayBuffer()), own = await createImageBitmap(blob), view = await load(`data:image/png;base64,${screen}`);
                    const top = document.querySelector('main').getBoundingClientRect().top + scrollY, scale = own.width / innerWidth;
                    const tall = document.querySelector('main').offsetHeight;
                    const pixels = (image, sy, factor) => { const canvas = new OffscreenCanvas(innerWidth, tall), context = canvas.getContext('2d');
                        context.drawImage(image, 0, sy * factor, innerWidth * factor, tall * factor, 0, 0, innerWidth, tall); return context.getImageData(0, 0, innerWidth, tall).data; };
                    const a = pixels(own, 36, scale), b = pixels(view, top, 1);
                    let off = 0, inked = 0;
                    for (let index = 0; index < a.length; index += 4) {
                        const difference = Math.abs(a[index] - b[index]) + Math.abs(a[index + 1] - b[index + 1]) + Math.abs(a[index + 2] - b[index + 2]);
                        if (difference > 120) off += 1;
                        if (b[index] + b[index + 1] + b[index + 2] < 600) inked += 1;
                    }
                    const blank = dashboard.strips.list.filter((strip) => strip.node.checkVisibility()).filter((strip) => {
                        const box = strip.canvas.getBoundingClientRect(), first = Math.round(box.top + scrollY - top) * innerWidth;
                        let coloured = 0;
                        for (let index = first * 4; index < (first + Math.round(box.height) * innerWidth) * 4; index += 4) {
                            if (index / 4 % innerWidth > box.right) continue;
                            coloured += Math.max(a[index], a[index + 1], a[index + 2]) - Math.min(a[index], a[index + 1], a[index + 2]) > 60;
                        }
                        return coloured < 60;
                    }).map((strip) => strip.channel.name);
                    return { name, blank, magic: [...bytes.slice(0, 8)], scale, width: own.width, height: own.height, tall, off: off / (a.length / 4), inked: inked / (a.length / 4) };
                })()""", screen)
            with open(f"{trial.shots}/picture-{width}.png", "wb") as file:
                data = browser.run("""return new Promise((resolve) => { const reader = new FileReader();
                    reader.onload = () => resolve(reader.result); reader.readAsDataURL(window.saved.blob); })""")
                file.write(base64.b64decode(data.split(",")[1]))
            trial.check(found["magic"] == [137, 80, 78, 71, 13, 10, 26, 10] and found["name"] == "drive.trace-1-30.png", f"{width}: a PNG file is saved", found)
            trial.check(found["inked"] > 0.01 and found["off"] < 0.01, f"{width}: the picture equals the view without its buttons", found)
            trial.check(not found["blank"], f"{width}: the picture contains all charts, including those below the window", found["blank"])
            requested = browser.run("return performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host).filter((host) => host !== location.host && host !== '')")
            trial.check(not requested, f"{width}: the picture makes no requests to other servers", requested)
            trial.check_console()
            browser.go("about:blank")
