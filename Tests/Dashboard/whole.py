# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The whole recording on the page: track, curves, marks of the timeline, seeks, and panels that flow by height."""
from checking import part

# The village that the drive passes, see the README of the traces.
REGION = "village=46.5556,7.9045,150"

# Watches the panels, the map and the height of the page during each frame for a second.
_WATCH = """const shown = () => [...document.querySelectorAll('.panel')].filter((node) => node.checkVisibility()).map((node) => node.id).join(' ');
    const first = { shown: shown(), height: document.documentElement.scrollHeight, center: String(dashboard.map.map.getCenter()),
        zoom: dashboard.map.map.getZoom(), track: document.querySelector('.track-whole').getAttribute('d') };
    const changes = [];
    dashboard.playback.seek(arguments[0]);
    return new Promise((resolve) => {
        const begun = performance.now();
        const next = () => {
            if (shown() !== first.shown) changes.push('panels: ' + shown());
            if (Math.abs(document.documentElement.scrollHeight - first.height) > 30) changes.push('height: ' + document.documentElement.scrollHeight);
            if (String(dashboard.map.map.getCenter()) !== first.center || dashboard.map.map.getZoom() !== first.zoom) changes.push('map');
            if (document.querySelector('.track-whole').getAttribute('d') !== first.track) changes.push('track');
            if (!document.querySelector('.track').getAttribute('d')) changes.push('past');
            if (performance.now() - begun < 1500) requestAnimationFrame(next); else resolve([...new Set(changes)]);
        };
        next();
    })"""


@part("whole")
def whole(trial):
    browser = trial.browser
    with trial.serve(trial.drive, "--region", REGION) as served:
        trial.open(served.address, 1440, 900)
        browser.wait("return dashboard.overview.hasTrack && dashboard.overview.marks.some(({ kind }) => kind === 'region')", what="the overview")
        trial.pause_at(120)
        track(trial)
        curves(trial)
        timeline(trial)
        seeks(trial)
        trial.check_console()


def track(trial):
    browser = trial.browser
    found = browser.run("""const flat = (line) => line.getLatLngs().flat();
        const whole = flat(dashboard.map.whole), past = flat(dashboard.map.line), points = dashboard.overview.track.points;
        return { whole: whole.length, points: points.length, past: past.length, until: points.filter(({ t }) => t <= 120).length,
            first: past[0].lat === whole[0].lat, here: past.at(-1).lat === dashboard.track.latest.latitude,
            faint: Number(getComputedStyle(document.querySelector('.track-whole')).strokeOpacity),
            strong: Number(getComputedStyle(document.querySelector('.track')).strokeOpacity) }""")
    trial.check(found["whole"] == found["points"] > 600, "the map shows the whole track", found)
    trial.check(found["first"] and found["here"] and abs(found["past"] - found["until"]) <= 1,
                "the past is drawn from the start of the recording to the position", found)
    trial.check(found["faint"] <= 0.4 and found["strong"] == 1, "the whole track is faint, and the past is strong", found)


def curves(trial):
    browser = trial.browser
    found = browser.run("""const [graph] = dashboard.profile.graphs, area = graph.getArea(), [low, high] = graph.xAxisRange();
        const cursor = graph.cursor.getBoundingClientRect(), box = graph.graphDiv.getBoundingClientRect();
        return { rows: graph.numRows(), points: dashboard.overview.track.points.length, low, high, duration: dashboard.playback.duration,
            cursor: graph.toDataXCoord(cursor.left - box.left), labels: graph.xAxisExtremes() }""")
    trial.check(found["rows"] >= found["points"] and found["low"] <= 0.5 and found["high"] >= found["duration"] - 1,
                "the curves cover the whole recording", found)
    trial.check(abs(found["cursor"] - 120) < 2, "the cursor is at the playback position", found)
    for kind, time in (("mouse", 200.0), ("touch", 60.0)):
        x, y = browser.run("""const [graph] = dashboard.profile.graphs, area = graph.getArea();
            graph.graphDiv.scrollIntoView({ block: 'center' });
            const box = graph.graphDiv.getBoundingClientRect();
            return [box.left + graph.toDomXCoord(arguments[0]), box.top + area.y + area.h / 2]""", time)
        if kind == "touch":
            browser.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            browser.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        else:
            for name in ("mouseMoved", "mousePressed", "mouseReleased"):
                browser.cdp("Input.dispatchMouseEvent", type=name, x=x, y=y, clickCount=1,
                            button="none" if name == "mouseMoved" else "left")
        browser.wait("return Math.abs(dashboard.clock.now - arguments[0]) < 2", time, what=f"{time} s after a {kind} on a curve")
        trial.check(True, f"a {kind} on a curve seeks")


def timeline(trial):
    browser = trial.browser
    trial.settle()
    found = browser.run("""return { drawn: document.querySelectorAll('#timeline-marks > *').length, marks: dashboard.overview.marks.length,
        kinds: [...new Set(dashboard.overview.marks.map(({ kind }) => kind))].sort() }""")
    trial.check(found["drawn"] == found["marks"] and {"gap", "region", "accessory"} <= set(found["kinds"]),
                "the timeline has a mark for each gap, region crossing and accessory", found)
    text = browser.run("""const slider = document.getElementById('timeline'), box = slider.getBoundingClientRect();
        const mark = dashboard.overview.marks.find(({ kind }) => kind === 'region');
        slider.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: box.left + dashboard.playback.timeline.position(mark.t), clientY: box.top + 5 }));
        return [document.getElementById('timeline-tip').textContent, mark.t, document.getElementById('timeline-tip').checkVisibility()]""")
    minutes = f"{int(text[1]) // 60}:{int(text[1]) % 60:02d}"
    trial.check(text[2] and "village was entered" in text[0] and minutes in text[0], "pointing at the timeline shows the time and the mark", text)
    trial.command({"do": "fault", "fault": "nofix", "on": True})
    browser.wait("return document.querySelectorAll('#timeline-marks .mark-fault').length === 1", what="the mark of a fault")
    trial.command({"do": "fault", "fault": "nofix", "on": False})
    trial.check(True, "a fault that is switched on has a mark")
    trial.shot("whole-timeline")


def seeks(trial):
    browser = trial.browser
    trial.pause_at(250)
    for time in (100.0, 300.0):
        changes = browser.run(_WATCH, time)
        trial.check(not changes, f"a seek to {time:.0f} s neither hides nor moves anything", changes)
        counts = browser.run("return dashboard.strips.list.filter(({ history }) => history.count > 0).length")
        trial.check(counts > 4, "the charts keep their data", counts)


# The panels of the page, and the unused share of the grid.
_PANELS = """const boxes = [...document.querySelectorAll('#cards > *')].filter((node) => node.offsetHeight > 0)
        .map((node) => { const box = node.getBoundingClientRect(); return { id: node.id, left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY }; });
    const grid = document.getElementById('cards').getBoundingClientRect();
    const bottom = Math.max(...boxes.map((box) => box.bottom)), top = Math.min(...boxes.map((box) => box.top));
    const used = boxes.reduce((sum, box) => sum + (box.right - box.left) * (box.bottom - box.top), 0);
    const overlaps = boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1).map((b) => `${a.id} and ${b.id}`));
    // The largest space between a panel and the one below it in the same column.
    const voids = boxes.map((box) => { const below = boxes.filter((other) => other.top >= box.bottom && Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1);
        return below.length ? Math.min(...below.map((other) => other.top)) - box.bottom : 0; });
    return { boxes, overlaps, voids: Math.max(...voids), unused: 1 - used / (grid.width * (bottom - top)), width: grid.width };"""


@part("flow")
def flow(trial):
    browser = trial.browser
    with trial.serve(trial.drive, "--region", REGION) as served:
        for width, height in ((1920, 1080), (1440, 900), (800, 1000), (390, 844)):
            trial.open(served.address, width, height)
            browser.wait("return dashboard.overview.hasTrack", what="the overview")
            trial.pause_at(120)
            trial.settle()
            found = browser.run(_PANELS)
            trial.check(not found["overlaps"], f"{width} pixels: no panels overlap", found["overlaps"])
            trial.check(found["voids"] <= 48, f"{width} pixels: no void between panels", found["voids"])
            trial.check(found["unused"] <= (0.22 if width > 700 else 0.05), f"{width} pixels: the columns have similar heights", round(found["unused"], 3))
            box = next(box for box in found["boxes"] if box["id"] == "panel-position")
            share = (box["right"] - box["left"]) / found["width"]
            wanted = share > 0.45 if width >= 1180 else share > 0.95
            trial.check(wanted, f"{width} pixels: the map spans two columns", share)
            browser.resize(width, browser.run("return document.documentElement.scrollHeight"))
            trial.settle()
            trial.shot(f"flow-{width}")
        trial.check(not trial.is_shown("panel-users") and not trial.is_shown("panel-doctor"),
                    "a recording has neither users of the position nor findings of doctor")
        trial.check_console()
