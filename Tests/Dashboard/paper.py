# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The page that `sensorctl plot` writes: the values at the pointer equal the drawn ones."""
import json
import os

from checking import part
from recorded import tool_output

# Moves the pointer to a point of a plot, and returns the displayed values.
_POINT = """const point = (node, x, y) => {
    const place = new DOMPoint(x, y).matrixTransform(node.ownerSVGElement.closest('svg.row').getScreenCTM());
    const init = { bubbles: true, clientX: place.x, clientY: place.y };
    node.dispatchEvent(new PointerEvent('pointermove', init));
    const box = document.getElementById('figures');
    return getComputedStyle(box).visibility === 'visible' ? box.textContent : null;
};"""


@part("paper")
def paper(trial):
    browser = trial.browser
    traces = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Simulators", "Traces")
    # The first plot has no positions.
    sources = [os.path.join(traces, name) for name in ("iio/shake.csv", "gpsd/sirfstarv.log.chk", "gpsd/ublox-8.log.chk")]
    page = os.path.join(trial.folder, "plot.html")
    lines = [json.loads(line) for line in tool_output(
        trial.tool, "plot", *sources, "track", "speed", "accelerometer", "--align", "start", "--json", "-o", page, "--overwrite").splitlines()]
    browser.resize(1000, 900, False)
    browser.go("file://" + page)
    tracks = [line for line in lines if line["chart"] == "track"]
    wrong = []
    for order, track in enumerate(tracks):
        # The last point of each track, which no other point covers.
        text = browser.run(_POINT + """const path = document.querySelectorAll('path[data-line=track]')[arguments[0]];
            const places = [...path.getAttribute('d').matchAll(/[ML](-?[\\d.]+),(-?[\\d.]+)/g)].at(-1);
            return point(path, Number(places[1]), Number(places[2]))""", order)
        _, latitude, longitude, accuracy = track["points"][-1]
        if f"{latitude}°, {longitude}°" not in (text or ""):
            wrong.append((text, latitude, longitude))
    trial.check(len(tracks) == 2 and not wrong, "the tooltip shows the position at the pointer", wrong)
    speeds = [line for line in lines if line["chart"] == "speed"]
    text = browser.run(_POINT + """const chart = document.querySelector('g.chart[data-name=speed]');
        const [left, right, from, to] = chart.dataset.x.split(' ').map(Number), [bottom, top] = chart.dataset.y.split(' ').map(Number);
        return point(chart.querySelector('path'), left + (30 - from) / (to - from) * (right - left), (bottom + top) / 2)""")
    wanted = [min((point for stroke in line["strokes"] for point in stroke), key=lambda point: abs(point[0] - 30)) for line in speeds]
    rows = (text or "").split("\n")[1:]
    # Two digits more than the labels of the axis.
    labels = browser.run("""return [...document.querySelectorAll('g.chart[data-name=speed] > text[text-anchor=end]')].map((node) => node.textContent)""")
    decimals = max(len(label.partition(".")[2]) for label in labels) + 2
    trial.check(len(rows) == len(speeds) == 2 and all(
        row == f"{line['trace']}: {value:.{decimals}f} m/s" for row, line, (_, value) in zip(rows, speeds, wanted)),
        "the tooltip shows the speeds of both traces at that time", (text, wanted, labels))
    trial.check((text or "").startswith("0:30.00") or (text or "").startswith("30.00 s"), "the tooltip shows the time like the axis", text)
    browser.run("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
    trial.check("accelerometer" in browser.run("return document.getElementById('figures').textContent"), "the keys reach all charts")
    gap = [0.0, 0.0]
    for stroke in zip(speeds[0]["strokes"], speeds[0]["strokes"][1:]):
        gap = max(gap, [stroke[0][-1][0], stroke[1][0][0]], key=lambda ends: ends[1] - ends[0])
    if gap[1] - gap[0] > 10:
        text = browser.run(_POINT + """const chart = document.querySelector('g.chart[data-name=speed]');
            const [left, right, from, to] = chart.dataset.x.split(' ').map(Number), [bottom, top] = chart.dataset.y.split(' ').map(Number);
            return point(chart.querySelector('path'), left + (arguments[0] - from) / (to - from) * (right - left), (bottom + top) / 2)""", sum(gap) / 2)
        trial.check(speeds[0]["trace"] not in (text or ""), "the tooltip shows no value in a gap", (text, gap))
    trial.shot("paper-light")
    browser.resize(1000, 900, True)
    trial.shot("paper-dark")
    nameless = browser.run("return [...document.querySelectorAll('svg.row')].filter((node) => !node.getAttribute('aria-label') && !node.ariaHidden).length")
    named = browser.run("return document.querySelector('svg.row').getAttribute('aria-label')")
    trial.check(nameless == 0 and "track of" in named and "Speed from" in named, "the plots have accessible names", (nameless, named))
    fetched = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    trial.check(not fetched, "the page makes no requests", fetched)
    browser.resize(390, 800, False)
    small = browser.run("""return [...document.querySelectorAll('svg.row text')].filter((node) => node.getClientRects().length)
        .map((node) => Number(node.getAttribute('font-size')) * node.getScreenCTM().a)""")
    wide = browser.run("return document.documentElement.scrollWidth")
    trial.check(small and min(small) >= 11 and wide <= 390, "text is at least 11 pixels high on a phone, without scrolling", (min(small or [0]), wide))
    outside = browser.run("""return [...document.querySelectorAll('svg.row text')].filter((node) => node.getClientRects().length)
        .filter((node) => { const box = node.getBoundingClientRect(); return box.left < -1 || box.right > 391; }).map((node) => node.textContent)""")
    trial.check(not outside, "no text leaves the narrow page", outside)
    trial.shot("paper-narrow")
    trial.check_console()
    os.remove(page)
