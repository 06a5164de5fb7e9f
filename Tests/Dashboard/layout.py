# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The layout of the page, by the boxes of its elements: at least three widths in both themes, with screenshots."""
import os

from checking import frames, part

HERE = os.path.dirname(os.path.abspath(__file__))

# Visible elements that contain text, and findings: clipped, overlapping or poorly legible ones.
_FINDINGS = """
    const findings = [], root = document.documentElement;
    if (root.scrollWidth > innerWidth) findings.push(`the page is ${root.scrollWidth} wide in ${innerWidth}`);
    const name = (node) => `${node.id || node.className || node.tagName} "${node.textContent.trim().slice(0, 24)}"`;
    const rgb = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    const opaque = ([r, g, b, a = 1], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
    const ground = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) layers.push(rgb(getComputedStyle(at).backgroundColor));
        return layers.reverse().reduce((under, layer) => opaque(layer, under), [255, 255, 255]);
    };
    const light = (colour) => colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const leaves = [...document.querySelectorAll('header *, main *, .banner *')].filter((node) => !node.closest('svg, #map, .graph, .sr, .menu-body, #traffic, .events, option')
        && node.checkVisibility() && getComputedStyle(node).clipPath === 'none' && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()));
    const boxes = leaves.map((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        // Only the visible part of a text with an ellipsis counts.
        const dots = getComputedStyle(node).textOverflow === 'ellipsis';
        return dots ? { node, box: node.getBoundingClientRect(), lines: [node.getBoundingClientRect()] } : { node, box: range.getBoundingClientRect(), lines: [...range.getClientRects()] };
    }).filter(({ box }) => box.width > 0);
    for (const { node, box } of boxes) {
        const style = getComputedStyle(node);
        const inline = style.display === 'inline';
        if (!inline && style.textOverflow !== 'ellipsis' && (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)) findings.push(`clipped: ${name(node)}`);
        const panel = node.closest('.panel, .bar, .transport, .banner');
        const outer = panel?.getBoundingClientRect();
        if (outer && (box.left < outer.left - 0.5 || box.right > outer.right + 0.5 || box.top < outer.top - 1 || box.bottom > outer.bottom + 1) && style.textOverflow !== 'ellipsis') findings.push(`outside its panel: ${name(node)}`);
        if (node.closest('.old, :disabled') || node.matches(':disabled')) continue;
        const back = ground(node), fore = opaque(rgb(style.color), back);
        const [high, low] = [light(fore), light(back)].sort((a, b) => b - a);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < 4.5) findings.push(`contrast ${contrast.toFixed(2)}: ${name(node)}`);
        if (parseFloat(style.fontSize) < 9) findings.push(`${style.fontSize} is too small: ${name(node)}`);
    }
    for (let first = 0; first < boxes.length; first += 1) {
        for (let second = first + 1; second < boxes.length; second += 1) {
            const a = boxes[first], b = boxes[second];
            if (a.node.contains(b.node) || b.node.contains(a.node)) continue;
            if (Boolean(a.node.closest('.top')) !== Boolean(b.node.closest('.top'))) continue;
            // The boxes of text lines are higher than their letters.
            const over = a.lines.some((one) => b.lines.some((other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
                && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4));
            if (over) findings.push(`overlapping: ${name(a.node)} and ${name(b.node)}`);
        }
    }
    const panels = [...document.querySelectorAll('.panel')].filter((node) => node.checkVisibility()).map((node) => [node.id, node.getBoundingClientRect()]);
    panels.forEach(([id, a], index) => panels.slice(index + 1).forEach(([other, b]) => {
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5) findings.push(`${id} overlaps ${other}`);
    }));
    for (const control of document.querySelectorAll('button, select, summary, input')) {
        if (!control.checkVisibility() || control.closest('dialog, .leaflet-container')) continue;
        const box = control.closest('label')?.getBoundingClientRect() ?? control.getBoundingClientRect();
        if (box.height < 24) findings.push(`${box.height.toFixed(0)} high is too small for touch: ${control.id}`);
    }
    return { count: boxes.length, findings: [...new Set(findings)] };
"""

SIZES = [("narrow", 360, 740), ("middle", 768, 1024), ("wide", 1280, 860), ("widest", 1920, 1080)]


@part("layout")
def layout(trial):
    browser = trial.browser
    with trial.serve(trial.drive, "--region", "Station=46.5537,7.9012,150", "--region", "Bridge=46.5525,7.9150,90") as served:
        # Uses playback instead of seeking, so that traffic is shown.
        trial.open(served.address)
        trial.command({"do": "speed", "value": 20})
        browser.wait("return dashboard.clock.now > 62", what="a minute of the trace")
        trial.command({"do": "pause"})
        for name, width, height in SIZES:
            for theme, dark in (("light", False), ("dark", True)):
                browser.resize(width, height, dark)
                trial.settle()
                trial.check(browser.run("return document.documentElement.dataset.theme") == theme, f"{name}, {theme}: the page uses the system's theme")
                _judge(trial, f"{name}, {theme}")
                trial.shot(f"{name}-{theme}-top")
                whole = browser.run("return document.documentElement.scrollHeight")
                browser.resize(width, min(whole, 9000), dark)
                trial.settle()
                trial.shot(f"{name}-{theme}")
        trial.open(served.address, 1280, 860, False)
        trial.pause_at(225.0)
        _judge(trial, "without a fix")
        trial.check(browser.run("return document.getElementById('fix-state').dataset.mode") == "lost", "the fix is lost in the tunnel")
        trial.shot("tunnel-light")
        browser.run("document.getElementById('faults').open = true")
        trial.shot("faults-light")
        over = browser.run("""const box = document.querySelector('.menu-body').getBoundingClientRect();
            return { inside: box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight,
                above: [[0.1, 0.1], [0.9, 0.9], [0.5, 0.5]].every(([x, y]) => document.elementFromPoint(box.left + box.width * x, box.top + box.height * y).closest('.menu-body')) }""")
        trial.check(over["inside"] and over["above"], "the list of faults covers other elements and is within the window", over)
        trial.open(served.address, 360, 740, True)
        browser.run("document.getElementById('faults').open = true")
        over = browser.run("""const box = document.querySelector('.menu-body').getBoundingClientRect();
            return { inside: box.left >= 0 && box.right <= innerWidth,
                above: [[0.1, 0.1], [0.9, 0.4], [0.5, 0.5]].every(([x, y]) => document.elementFromPoint(box.left + box.width * x, box.top + Math.min(box.height, 500) * y).closest('.menu-body')) }""")
        trial.check(over["inside"] and over["above"], "the list of faults fits on a narrow page", over)
        trial.shot("faults-narrow-dark")
        browser.run("document.getElementById('faults').open = false; document.getElementById('help').showModal()")
        trial.shot("keys-narrow-dark")
        trial.check(browser.run("const box = document.getElementById('help').getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight"),
                    "the list of keys fits on a narrow page")
        calm(trial, served)
        sources = browser.run("return [...new Set(performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host))]")
        trial.check(sources == [f"127.0.0.1:{served.port}"], "all resources are from the expected servers", sources)
        described(trial)
        trial.check_console()


@part("kinds")
def kinds(trial):
    """Other kinds of recordings: motion only, a receiver without a fix, many satellites, a single accessory."""
    browser = trial.browser
    for name, place, wanted, absent in [
            ("motion/six-poses.trace", 8, ["strips", "attitude"], ["position", "sky", "accessories"]),
            ("gpsd/bu303b-nofix.log.chk", 4, ["position"], ["strips", "attitude", "accessories"]),
            ("gpsd/sirfstarv.log.chk", 40, ["position", "sky"], ["strips", "accessories"]),
            ("udev/weigh-scale.trace", 2, ["accessories"], ["position", "sky", "strips"])]:
        with trial.serve(os.path.join(HERE, "..", "..", "Simulators", "Traces", name), "--speed", str(max(1, place // 4))) as served:
            trial.open(served.address)
            browser.wait("return dashboard.clock.now >= arguments[0] || dashboard.playback.state.ended", place, what=f"{place} s of {name}")
            trial.command({"do": "pause"})
            trial.settle()
            shown = [part for part in wanted + absent if trial.is_shown(f"panel-{part}")]
            trial.check(shown == wanted, f"{name}: only the panels {', '.join(wanted)} are shown", shown)
            found = browser.run(_FINDINGS)
            trial.check(not found["findings"], f"{name}: no text is clipped, covered or low in contrast", found["findings"][:6])
            trial.shot("kind-" + name.split("/")[1].split(".")[0])


@part("live")
def live(trial):
    """Live data of a simulated machine: gpsd, sensors and accessories behind the real clients."""
    browser = trial.browser
    with trial.serve("--live", before=[trial.tool, "simulate", trial.drive, "--"]) as served:
        trial.open(served.address)
        browser.wait("return dashboard.track.points.length > 4 && dashboard.strips.named('accelerometer').history.count > 300",
                     what="positions and readings")
        trial.settle()
        trial.check(not trial.is_shown("transport") and trial.text("mode") == "Live", "a live page has no playback controls")
        fix = browser.run("return dashboard.track.latest")
        trial.check(any(abs(fix["latitude"] - one["latitude"]) < 1e-9 and abs(fix["longitude"] - one["longitude"]) < 1e-9
                        for _, one in trial.expected.fixes()), "its fix is one of the trace", fix)
        rate = browser.run("return dashboard.strips.named('accelerometer').history.rate")
        trial.check(rate > 20, "the accelerometer is received", rate)
        trial.measured(f"live: {rate:.0f} accelerometer readings per second, {frames(browser, 4):.1f} frames per second")
        browser.wait("return document.getElementById('panel-doctor').checkVisibility()", what="the findings of doctor")
        browser.wait("return document.getElementById('user-list').textContent.includes('sensorctl dashboard')", what="the users of the position")
        _judge(trial, "live")
        browser.resize(1280, 1600, False)
        trial.settle()
        trial.shot("live-light")


def _judge(trial, where):
    found = trial.browser.run(_FINDINGS)
    trial.check(found["count"] > 40 and not found["findings"], f"{where}: {found['count']} texts, none clipped, covered or low in contrast",
                found["findings"][:6])


def calm(trial, served):
    """With reduced motion, strips are updated twice per second."""
    browser = trial.browser
    trial.open(served.address, calm=True)
    trial.command({"do": "seek", "t": 10})
    trial.command({"do": "play"})
    count = """const strip = dashboard.strips.list[0], draw = strip.draw;
        strip.drawings = 0;
        strip.draw = function (...given) { this.drawings += 1; return draw.apply(this, given); };
        return new Promise((resolve) => setTimeout(() => { delete strip.draw; resolve(strip.drawings); }, 3000))"""
    slow = browser.run(count)
    browser.resize(1280, 900, False, False)
    fast = browser.run(count)
    trial.check(0 < slow <= 8 < fast, "with reduced motion, strips are updated twice per second", (slow, fast))
    trial.command({"do": "pause"})


def described(trial):
    """Accessible names of all controls and pictures."""
    nameless = trial.browser.run("""return [...document.querySelectorAll('button, input, select, [role=img], [role=application], section, canvas, svg:not([aria-hidden])')]
        .filter((node) => node.checkVisibility() && !node.closest('.leaflet-pane, .graph') && !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby')
            || node.textContent.trim() || node.labels?.length)).map((node) => node.outerHTML.slice(0, 90))""")
    trial.check(not nameless, "all controls and pictures have names", nameless[:4])
    tree = trial.browser.cdp("Accessibility.getFullAXTree")["nodes"]
    names = {(node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in tree if not node.get("ignored")}
    wanted = {("slider", "Time in the recording"), ("button", "Play"), ("application", "Map of the track; the arrow keys move it, plus and minus zoom")}
    trial.check(wanted <= names, "the browser's accessibility tree contains these names", wanted - names)
    trial.check(any(role == "status" for role, _ in names), "the page has a live region")
