# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The drawn data equals the trace: figures, track, strips down to their pixels, sky, and gaps."""
import json
import math

from checking import part
from recorded import GAP, at

STRIPS = {
    "accelerometer": ("accelerometer", ("x", "y", "z")), "gyroscope": ("gyro", ("x", "y", "z")),
    "magnetometer": ("magnetometer", ("x", "y", "z")),
}


def close(number, wanted, digits):
    """Returns whether a number equals the displayed one, rounded to its digits."""
    if wanted is None or wanted != wanted:
        return number is None
    return number is not None and abs(number - wanted) <= 0.5 * 10 ** -digits + 1e-6 * max(1, abs(wanted))


def known(value):
    return value if value is not None and value >= 0 else None


@part("figures")
def figures(trial):
    """At three times of the trace, each figure equals the last value of replay."""
    with trial.serve() as served:
        trial.open(served.address)
        fixes = trial.expected.fixes()
        for place in (20.25, 150.75, 300.25):
            trial.pause_at(place)
            time, fix = at(fixes, place)
            wrong = []
            for element, value, digits in [
                    ("latitude", fix["latitude"], 6), ("longitude", fix["longitude"], 6), ("altitude", fix["altitude"], 1),
                    ("ellipsoidal", fix["ellipsoidalAltitude"], 1), ("accuracy", known(fix["horizontalAccuracy"]), 1),
                    ("speed", None if known(fix["speed"]) is None else fix["speed"] * 3.6, 1), ("course", known(fix["course"]), 0)]:
                shown = trial.number(element)
                if not close(shown, value, digits):
                    wrong.append(f"{element} {shown}, expected {value}")
            trial.check(not wrong, f"at {place} s, the displayed fix of {time:.1f} s equals replay", wrong)
            trial.check(trial.text("fix-text").startswith("3D fix"), "the mode of the fix is shown", trial.text("fix-text"))
            wrong = []
            for name, (stream, axes) in STRIPS.items():
                shown = trial.browser.run("""const strip = dashboard.strips.named(arguments[0]);
                    return { time: strip.history.newest, texts: strip.figures.map((node) => node.textContent) }""", name)
                digits = {"accelerometer": 3, "gyroscope": 3, "magnetometer": 1}[name]
                row = at(trial.expected.rows(stream, *axes), place)
                numbers = [float(text.replace("\u2212", "-")) for text in shown["texts"]]
                if abs(shown["time"] - row[0]) > 1e-3 or any(
                        not close(number, value, digits) for number, value in zip(numbers, row[1])):
                    wrong.append(f"{name} {shown}, expected {row}")
            trial.check(not wrong, f"the figures of {len(STRIPS)} sensors equal replay", wrong)
            sky = [report for time, report in trial.expected.sky if time <= place][-1]
            used = sum(1 for satellite in sky["satellites"] if satellite["used"])
            trial.check(trial.text("sky-count") == f"{used} of {len(sky['satellites'])} used", "the number of used satellites equals replay",
                        trial.text("sky-count"))
            marks = trial.browser.run("""return [...document.querySelectorAll('#sky .satellite')].map((node) => [
                node.querySelector('title').textContent, node.getAttribute('transform'), node.classList.contains('used')])""")
            bars = trial.browser.run("""return [...document.querySelectorAll('#signals .signal')].map((node) =>
                [parseFloat(node.querySelector('.fill').style.height), node.classList.contains('used')])""")
            places = []
            for satellite in sky["satellites"]:
                radius, angle = 100 * (90 - satellite["el"]) / 90, math.radians(satellite["az"])
                places.append((round(math.sin(angle) * radius, 1), round(-math.cos(angle) * radius, 1), satellite["used"]))
            found = [(*(float(word) for word in text[10:-1].split()), on) for _, text, on in marks]
            trial.check(_alike(found, places), "each satellite is drawn at its azimuth and elevation", (sorted(found)[:4], sorted(places)[:4]))
            heights = [(satellite["ss"] / 55 * 100, satellite["used"]) for satellite in sky["satellites"]]
            trial.check(_alike([tuple(bar) for bar in bars], heights), "each bar is as high as the signal strength",
                        (sorted(bars)[:4], sorted(heights)[:4]))


def _alike(found, wanted):
    return len(found) == len(wanted) and all(
        all(abs(a - b) < 0.11 for a, b in zip(one, other)) for one, other in zip(sorted(found), sorted(wanted)))


@part("strips")
def strips(trial):
    """All readings of a minute are present, each line passes through their pixels, and a gap has no line."""
    with trial.serve() as served:
        trial.open(served.address, height=2000)
        trial.pause_at(130.0)
        for name, (stream, axes) in STRIPS.items():
            got = trial.browser.run("""const { history } = dashboard.strips.named(arguments[0]);
                return Array.from({ length: history.count }, (_, index) => [history.times[history.at(index)], ...history.reading(index)])
                    .map((row) => row.map((value) => Number.isFinite(value) ? value : null))""", name)
            marks = [row for row in got if row[1] is None]
            got = [row for row in got if row[1] is not None and row[0] >= 70.005]
            wanted = [row for row in trial.expected.rows(stream, *axes) if 70.005 <= row[0] <= 130.0]
            off = [(a, b) for a, b in zip(got, wanted) if abs(a[0] - b[0]) > 1e-3 or any(
                abs(x - y) > 1e-5 * max(1, abs(y)) for x, y in zip(a[1:], b[1]))]
            trial.check(abs(len(got) - len(wanted)) <= 1 and not off and len(got) > 50,
                        f"{name}: all {len(wanted)} readings of the minute are stored", (len(got), len(wanted), off[:2]))
            if name in ("accelerometer", "gyroscope"):
                trial.check(len(marks) >= 1, f"{name}: the server marks the gap", marks)
        _pixels(trial, "accelerometer", "accelerometer", 0, "x")
        _pixels(trial, "magnetometer", "magnetometer", 0, "x")
        bright = trial.browser.run(_COLUMN_COLOURS, "accelerometer", GAP[0] + 0.8, GAP[1] - 0.8)
        trial.check(bright["gap"] == 0 and bright["beside"] > 20, "the gap of six seconds contains no line, and a line precedes it", bright)
        trial.check(bright["hatch"] > 20, "the gap is hatched", bright)


# Counts pixels in the colour of the x axis between two times and in the columns before them, and pixels of the hatching.
_COLUMN_COLOURS = """
    const strip = dashboard.strips.named(arguments[0]), canvas = strip.canvas, context = canvas.getContext('2d');
    const theme = getComputedStyle(document.documentElement);
    const rgb = (name) => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = theme.getPropertyValue(name); c.fillRect(0, 0, 1, 1); return c.getImageData(0, 0, 1, 1).data; };
    return import('/page/strip.js').then(({ margin }) => {
        const now = dashboard.clock.now, right = margin.left + strip.columns.count;
        const x = (time) => Math.round(right - (now - time) / strip.columns.width);
        const accent = rgb('--axis-x'), faint = rgb('--faint');
        const count = (from, to, colour, near) => {
            const data = context.getImageData(from, margin.top + 1, Math.max(1, to - from), canvas.height - margin.top - margin.bottom - 2).data;
            let found = 0;
            for (let index = 0; index < data.length; index += 4) {
                const alpha = data[index + 3];
                if (alpha > 100 && Math.abs(data[index] - colour[0]) + Math.abs(data[index + 1] - colour[1]) + Math.abs(data[index + 2] - colour[2]) < near) found += 1;
            }
            return found;
        };
        const from = x(arguments[1]), to = x(arguments[2]);
        return { gap: count(from, to, accent, 60), beside: count(from - 30, from - 8, accent, 120), hatch: count(from, to, faint, 90) };
    })"""


def _pixels(trial, name, stream, axis, key):
    """The line of an axis passes through the values of replay."""
    view = trial.browser.run("""const strip = dashboard.strips.named(arguments[0]);
        return import('/page/strip.js').then(({ margin }) => ({ margin, now: dashboard.clock.now, low: strip.scale.low,
            high: strip.scale.high, width: strip.columns.width, count: strip.columns.count, height: strip.canvas.clientHeight }))""", name)
    right, bottom = view["margin"]["left"] + view["count"], view["height"] - view["margin"]["bottom"]
    columns = {}
    for time, (value,) in trial.expected.rows(stream, key):
        if view["now"] - 55 < time < view["now"] - 1:
            columns.setdefault(math.floor(time / view["width"]), []).append(value)
    points = []
    scale = (bottom - view["margin"]["top"]) / (view["high"] - view["low"])
    for column, values in sorted(columns.items())[::7]:
        beside = values + columns.get(column - 1, []) + columns.get(column + 1, [])
        x = right - (view["now"] / view["width"] - column - 0.5)
        points.append([x, bottom - ((max(values) + min(values)) / 2 - view["low"]) * scale,
                       bottom - (max(beside) - view["low"]) * scale, bottom - (min(beside) - view["low"]) * scale])
    found = trial.browser.run("""const [name, points] = arguments, canvas = dashboard.strips.named(name).canvas, context = canvas.getContext('2d');
        const theme = getComputedStyle(document.documentElement), probe = document.createElement('canvas').getContext('2d');
        probe.fillStyle = theme.getPropertyValue('--axis-x'); probe.fillRect(0, 0, 1, 1);
        const accent = probe.getImageData(0, 0, 1, 1).data;
        const isLine = (data, near) => {
            for (let index = 0; index < data.length; index += 4) {
                if (data[index + 3] > 60 && Math.abs(data[index] - accent[0]) + Math.abs(data[index + 1] - accent[1]) + Math.abs(data[index + 2] - accent[2]) < near) return true;
            }
            return false;
        };
        const pixels = (x, top, height) => height < 1 ? [] : context.getImageData(Math.floor(x), top, 1, height).data;
        return {
            missed: points.filter(([x, y]) => !isLine(context.getImageData(Math.floor(x) - 1, Math.floor(y) - 1, 3, 3).data, 150)).length,
            stray: points.filter(([x, , top, low]) => isLine(pixels(x, 0, Math.floor(top) - 3), 60) || isLine(pixels(x, Math.ceil(low) + 3, canvas.height - Math.ceil(low) - 18), 60)).length,
        }""", name, points)
    # Other axes may be drawn over the line.
    trial.check(len(points) > 15 and found["missed"] <= len(points) * 0.1,
                f"{name}: the line passes through {len(points)} points of replay", found)
    trial.check(found["stray"] == 0, f"{name}: the line has no pixels above or below these points", found)


@part("way")
def way(trial):
    """After playback to the end, the track on the map contains all fixes of the trace, and the tunnel is a gap."""
    with trial.serve(trial.drive, "--speed", "100") as served:
        trial.open(served.address)
        trial.browser.wait("return dashboard.playback.state.ended", seconds=120, what="the end of the trace")
        trial.settle()
        fixes = [fix for _, fix in trial.expected.fixes()]
        lines = trial.browser.run("return dashboard.map.line.getLatLngs().map((line) => line.map(({ lat, lng }) => [lat, lng]))")
        wanted = [[fix["latitude"], fix["longitude"]] for fix in fixes]
        trial.check(sum(lines, []) == wanted, f"Leaflet has all {len(wanted)} fixes, to the last digit",
                    (len(sum(lines, [])), len(wanted)))
        trial.check(len(lines) == 2, "the tunnel divides the track into two lines", [len(line) for line in lines])
        moves = trial.browser.run("""document.getElementById('map-fit').click();
            return document.querySelector('path.track').getAttribute('d').split('M').length - 1""")
        trial.check(moves == 2, "the track is drawn as two lines", moves)
        place = trial.browser.run("""const at = dashboard.map.arrow.getLatLng(), circle = dashboard.map.circle;
            return [at.lat, at.lng, circle.getRadius(), circle.getElement()?.getAttribute('d')?.length > 0]""")
        trial.check(place[:2] == wanted[-1] and abs(place[2] - fixes[-1]["horizontalAccuracy"]) < 1e-9 and place[3],
                    "the last fix has an accuracy circle", place)
        rows = trial.browser.run("""return dashboard.profile.graphs.map((graph) => Array.from({ length: graph.numRows() },
            (_, row) => [graph.getValue(row, 0), graph.getValue(row, 1)]))""")
        for graph, key, accuracy, factor in ((rows[0], "speed", None, 3.6), (rows[1], "altitude", "verticalAccuracy", 1)):
            values = [value[1] for _, value in graph if value and value[1] is not None]
            expected = [fix[key] * factor for fix in fixes if known(fix[accuracy or key]) is not None]
            trial.check(values == expected, f"dygraphs has all {len(expected)} values of {key}", (len(values), len(expected)))
            trial.check(any(not value or value[1] is None for _, value in graph), f"dygraphs has a gap in {key}")


@part("attitude")
def attitude(trial):
    """After playback from the start, the attitude and the pressure, which depend on earlier readings, equal those of
    replay."""
    with trial.serve(trial.drive, "--speed", "20", "--frame", "magnetic") as served:
        trial.open(served.address)
        trial.browser.wait("return dashboard.clock.now > 25", what="25 s of the trace")
        trial.command({"do": "pause"})
        trial.settle()
        got = trial.browser.run("""const { history } = dashboard.strips.named('attitude');
            return Array.from({ length: history.count }, (_, index) => [history.times[history.at(index)], ...history.reading(index)])""")
        rows = dict((round(time * 1000), values) for time, values in trial.expected.rows(
            "device-motion", ("quaternion", 3), ("quaternion", 0), ("quaternion", 1), ("quaternion", 2),
            options=("--frame", "magnetic")))
        off = [row for row in got if round(row[0] * 1000) not in rows or any(
            abs(a - b) > 1e-5 for a, b in zip(row[1:], rows[round(row[0] * 1000)]))]
        trial.check(len(got) > 1000 and not off, f"{len(got)} attitudes equal replay", (len(got), off[:2]))
        got_pressure = trial.browser.run("""const { history } = dashboard.strips.named('pressure');
            return Array.from({ length: history.count }, (_, index) => [history.times[history.at(index)], history.reading(index)[0]])""")
        pairs = list(zip(got_pressure, trial.expected.rows("pressure", "pressure")))
        trial.check(len(pairs) > 20 and all(abs(a[0] - b[0]) < 1e-3 and abs(a[1] - b[1][0] * 10) < 1e-3 for a, b in pairs),
                    f"{len(pairs)} pressures equal replay", pairs[:2])
        w, x, y, z = rows[round(got[-1][0] * 1000)] if got and round(got[-1][0] * 1000) in rows else (1, 0, 0, 0)
        # Rz(yaw)·Rx(pitch)·Ry(roll), as in Core Motion's documentation.
        wanted = {"pitch": math.degrees(math.asin(max(-1, min(1, 2 * (y * z + w * x))))),
                  "roll": math.degrees(math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y))),
                  "yaw": math.degrees(math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)))}
        wrong = [f"{name} {trial.text(name)}, expected {value}" for name, value in wanted.items()
                 if not close(trial.number(name), value, 1)]
        trial.check(not wrong, "the displayed angles equal the attitude", wrong)
        heading = at(trial.expected.rows("heading", "magneticHeading", "headingAccuracy"), got[-1][0])[1]
        shown = trial.browser.run("""return [dashboard.strips.named('heading').history.latest[0],
            Number(/rotate\\(([-\\d.]+)/.exec(document.querySelector('.needle').getAttribute('transform'))[1]), document.getElementById('heading-accuracy').textContent]""")
        trial.check(abs(shown[0] - heading[0]) < 1e-3 and shown[2] == (f"±{heading[1]:.0f}°" if heading[1] >= 0 else "–"),
                    "the heading and its accuracy equal replay", (shown, heading))
        true = trial.browser.run("return dashboard.strips.named('heading').history.latest[1]")
        trial.check(abs(shown[1] - (shown[0] if true is None else true)) < 0.01, "the needle points to the heading", (shown, true))
        inked = trial.browser.run("""const canvas = document.getElementById('cube');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let inked = 0;
            for (let index = 3; index < data.length; index += 4) inked += data[index] > 0;
            return inked / (data.length / 4)""")
        trial.check(0.05 < inked < 0.9, "the cube is drawn", inked)
        turned = trial.browser.run("""return import('/page/cube.js').then(({ rotate }) => [
            rotate([Math.SQRT1_2, 0, 0, Math.SQRT1_2], [1, 0, 0]), rotate([Math.SQRT1_2, Math.SQRT1_2, 0, 0], [0, 1, 0])])""")
        trial.check(all(abs(a - b) < 1e-9 for a, b in zip(sum(turned, []), [0, 1, 0, 0, 0, 1])),
                    "a quarter turn about z rotates x to y, and one about x rotates y to z", turned)


@part("accessories")
def accessories(trial):
    """The bytes of the scale equal those of the trace, and the hostile name is shown as text."""
    with trial.serve() as served:
        trial.open(served.address)
        trial.browser.wait("return dashboard.clock.now > 2.5", what="2.5 s of the trace")
        trial.command({"do": "pause"})
        trial.settle()
        lines = trial.browser.run("""return [...document.querySelectorAll('#traffic li')].map((line) =>
            [line.className, line.querySelector('.as-text').textContent, line.querySelector('.as-hex').textContent])""")
        wanted = []
        with open(trial.drive, encoding="utf-8") as file:
            for line in file:
                if '"accessory"' in line:
                    event = json.loads(line)
                    if "in" in event or "out" in event:
                        wanted.append(("received", event["in"]) if "in" in event else ("sent", event["out"]))
        found = sorted((kind, bytes.fromhex(text.replace(" ", "")).decode()) for kind, _, text in lines)
        trial.check(found == sorted(wanted) and len(found) > 5, f"all {len(wanted)} messages of the trace are shown", (found[:3], wanted[:3]))
        escaped = [text for _, text, _ in lines if text == "TARE\\r\\n"]
        trial.check(escaped, "messages are shown as text with escaped line ends", [text for _, text, _ in lines][:4])
        page = trial.browser.run("""return { images: document.querySelectorAll('main img, main script, #accessory-list b b').length,
            title: document.title, names: [...document.querySelectorAll('#accessory-list b')].map((node) => node.textContent),
            width: document.documentElement.scrollWidth <= innerWidth }""")
        trial.check(page["images"] == 0 and page["title"] != "1" and any("<img src=x onerror=" in name for name in page["names"]),
                    "a hostile name is shown as text and runs no script", page)
        hidden = trial.browser.run(r"return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)")
        trial.check(not hidden and any("\\u202e" in name for name in page["names"]), "bidirectional control characters are shown as their code points", page["names"])
        trial.check(page["width"], "a hostile name does not widen the page")
