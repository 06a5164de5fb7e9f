# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Playback with buttons and keys, two pages, and read-only pages."""
from checking import part


def now(trial):
    return trial.browser.run("return dashboard.clock.now")


@part("playback")
def playback(trial):
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address)
        trial.check(browser.run("return [location.hash, sessionStorage.getItem('dashboard-token')]") == ["", served.token],
                    "the token is removed from the address and stored for this tab")
        browser.wait("return dashboard.playback.state.playing && dashboard.clock.now > 0.5", what="playback has started automatically")
        browser.run("document.getElementById('play').click()")
        browser.wait("return !dashboard.playback.state.playing", what="the button pauses")
        place = now(trial)
        trial.settle()
        trial.check(now(trial) == place, "the time does not advance while paused", (place, now(trial)))
        trial.check(browser.run("return document.getElementById('play').getAttribute('aria-label')") == "Play", "the button is labelled Play while paused")
        counts = "return dashboard.strips.list.reduce((sum, strip) => sum + strip.history.count, 0)"
        before, place = browser.run(counts), now(trial)
        for _ in range(5):
            browser.run("document.getElementById('step').click()")
        browser.wait("return dashboard.clock.now > arguments[0]", place, what="the time after steps")
        trial.settle()
        trial.check(now(trial) - place < 1 and browser.run(counts) > before, "five steps deliver a few readings", now(trial) - place)
        browser.run("""const slider = document.getElementById('timeline');
            slider.value = 200; slider.dispatchEvent(new Event('change'))""")
        browser.wait("return Math.abs(dashboard.clock.now - 200) < 0.1", what="200 s of the trace after a seek")
        trial.settle()
        span = browser.run("const { history } = dashboard.strips.named('magnetometer'); return [history.times[history.first], history.newest]")
        trial.check(139 < span[0] < 141.5 and 199 < span[1] <= 200.1, "a seek delivers the preceding minute", span)
        trial.check(trial.text("time").startswith("3:20."), "the time display shows the seek target", trial.text("time"))
        trial.settle()
        browser.run("""const select = document.getElementById('speed-select'); select.value = '20'; select.dispatchEvent(new Event('change'))""")
        browser.wait("return dashboard.playback.state.speed === 20", what="the speed is 20")
        browser.run("document.getElementById('loop').click()")
        browser.wait("return document.getElementById('loop').getAttribute('aria-pressed') === 'true'", what="loop is on")
        trial.command({"do": "seek", "t": 325})
        browser.run("document.getElementById('play').click()")
        browser.wait("return dashboard.playback.state.playing && dashboard.clock.now < 100", seconds=60, what="the next loop has started")
        # Waits for data, because the newest time of an empty history is before all others.
        newest = browser.wait("""const newest = Math.max(...dashboard.strips.list.map((strip) => strip.history.newest));
            return Number.isFinite(newest) && { newest }""", what="the history contains data")["newest"]
        trial.check(newest < 150, "a new loop clears the history", newest)
        trial.command({"do": "pause"})
        browser.run("document.getElementById('loop').click()")
        faults(trial)
        regions(trial)
        ended(trial)
        trial.check_console()


def faults(trial):
    """A manual loss of the fix, at a time at which there is a fix."""
    browser = trial.browser
    trial.pause_at(60)
    trial.command({"do": "speed", "value": 5})
    count = browser.run("return dashboard.playback.boxes.size")
    trial.check(count >= 5, f"{count} faults can be injected", count)
    browser.run("document.getElementById('faults').open = true; document.getElementById('fault-nofix').click()")
    browser.wait("return dashboard.playback.state.active.some((fault) => fault.id === 'nofix')", what="the fault is active")
    trial.check(trial.text("fault-count") == "1", "the button shows the number of active faults")
    trial.command({"do": "play"})
    browser.wait("return document.getElementById('fix-state').dataset.mode === 'lost'", what="the fix is lost")
    trial.check(browser.run("return document.getElementById('panel-position').classList.contains('old')"), "the figures are marked as outdated")
    trial.check("last fix" in trial.text("fix-text"), "the age of the fix is shown", trial.text("fix-text"))
    browser.wait("return dashboard.map.arrowShape.className === 'lost'", what="the map marks the position as lost")
    browser.run("document.getElementById('fault-nofix').click()")
    browser.wait("return document.getElementById('fix-state').dataset.mode === '3D'", what="a 3D fix after the fault")
    trial.command({"do": "pause"})
    browser.run("document.getElementById('faults').open = false")


def regions(trial):
    """A region around the current position, added and removed manually."""
    browser = trial.browser
    trial.pause_at(100)
    browser.wait("return document.getElementById('region-add').checkVisibility()", what="the button is visible")
    browser.run("document.getElementById('region-add').click()")
    browser.wait("return document.querySelectorAll('#region-list li').length === 1", what="the region is listed")
    place = browser.run("""const circle = [...dashboard.map.regions.values()][0], at = circle.getLatLng(), fix = dashboard.track.latest;
        return [at.lat - fix.latitude, at.lng - fix.longitude, circle.getRadius()]""")
    trial.check(place == [0, 0, 100], "a region of 100 m around the fix is added and drawn", place)
    trial.command({"do": "play"})
    browser.wait("return document.getElementById('region-list').textContent.includes('inside')", what="the region is reported as inside")
    trial.command({"do": "pause"})
    browser.run("document.querySelector('#region-list button').click()")
    browser.wait("return document.querySelectorAll('#region-list li').length === 0 && dashboard.map.regions.size === 0", what="the region is removed")
    trial.check(True, "the region is reported as inside and can be removed")


def ended(trial):
    browser = trial.browser
    trial.command({"do": "speed", "value": 10})
    trial.command({"do": "seek", "t": 327})
    trial.command({"do": "play"})
    browser.wait("return dashboard.playback.state.ended && !dashboard.playback.state.playing", what="the end of playback")
    trial.check(browser.run("return document.getElementById('play').getAttribute('aria-label')") == "Play again", "at the end, the button is labelled Play again")
    browser.run("document.getElementById('play').click()")
    browser.wait("return dashboard.clock.now < 100", what="playback has restarted")
    trial.check(True, "Play again restarts playback")


@part("keyboard")
def keyboard(trial):
    """All functions with keys alone."""
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address)
        browser.press("Space")
        browser.wait("return !dashboard.playback.state.playing", what="space pauses")
        trial.pause_at(100)
        for key, wanted in (("Right", 105), ("Left", 100), ("Shift+Right", 130), ("Shift+Left", 100)):
            browser.press(key)
            browser.wait("return Math.abs(dashboard.clock.now - arguments[0]) < 0.2", wanted, what=f"{key} seeks to {wanted} s")
        browser.press("+")
        browser.wait("return dashboard.playback.state.speed === 2", what="plus doubles the speed")
        browser.press("-")
        browser.wait("return dashboard.playback.state.speed === 1", what="minus halves the speed")
        place = now(trial)
        browser.press(".")
        browser.wait("return dashboard.clock.now > arguments[0]", place, what="a full stop steps")
        browser.press("l")
        browser.wait("return dashboard.playback.state.loop", what="l enables the loop")
        browser.press("l")
        browser.press("f")
        trial.check(not browser.run("return dashboard.map.follows"), "f disables following")
        browser.press("f")
        browser.press("t")
        trial.check(browser.run("return document.documentElement.dataset.theme") == "light" and trial.text("theme-name") == "Light", "t selects the light theme")
        browser.press("t")
        trial.check(browser.run("return document.documentElement.dataset.theme") == "dark", "t selects the dark theme")
        browser.press("t")
        browser.press("?")
        trial.check(browser.run("return document.getElementById('help').open"), "? opens the list of keys")
        browser.press("Escape")
        trial.check(not browser.run("return document.getElementById('help').open"), "Escape closes the list of keys")
        browser.press("Home")
        browser.wait("return dashboard.clock.now < 1", what="Home seeks to the beginning")
        trial.check(True, "space, arrows, plus, minus, full stop, l, f, t, ?, Home work as listed")
        reach(trial)


def reach(trial):
    """Tab reaches every control, and the focused control is visibly marked."""
    browser = trial.browser
    trial.pause_at(100)
    wanted = set(browser.run("""return [...document.querySelectorAll('button, input, select, summary, [tabindex="0"]')]
        .filter((node) => node.checkVisibility() && !node.disabled && !node.closest('dialog')).map((node) => node.id || node.className || node.tagName)"""))
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    met, blind = set(), []
    for _ in range(len(wanted) + 25):
        browser.press("Tab")
        node = browser.run("""const node = document.activeElement;
            if (!node || node === document.body) return null;
            const style = getComputedStyle(node), box = node.getBoundingClientRect();
            const x = Math.min(innerWidth - 1, Math.max(0, box.x + box.width / 2)), y = Math.min(innerHeight - 1, Math.max(0, box.y + Math.min(box.height / 2, 20)));
            const above = document.elementFromPoint(x, y);
            return { name: node.id || node.className || node.tagName, outline: parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none',
                seen: Boolean(above && (node.contains(above) || above.contains(node))) }""")
        if not node:
            continue
        met.add(node["name"])
        if not node["outline"] or not node["seen"]:
            blind.append(node)
    trial.check(not wanted - met, f"Tab reaches all {len(wanted)} controls", wanted - met)
    trial.check(not blind, "the focused control is always visible", blind[:3])


@part("pages")
def pages(trial):
    """Two pages of one session agree. A page without a token is read-only, and so are all pages with --read-only."""
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address)
        first = browser.shown
        second = browser.tab()
        trial.open(served.address.split("#")[0])
        trial.check(trial.is_shown("read-only") and browser.run("return document.getElementById('play').disabled"),
                    "a page without the token is read-only", trial.text("read-only"))
        browser.show(first)
        trial.pause_at(80)
        browser.show(second)
        browser.wait("return !dashboard.playback.state.playing && Math.abs(dashboard.clock.now - 80) < 0.1", what="the second page follows the first one's seek")
        same = "const { history } = dashboard.strips.named('gyroscope'); return [history.count, history.newest, ...history.latest]"
        trial.settle()
        there = browser.run(same)
        browser.show(first)
        trial.check(browser.run(same) == there, "two pages show the same data", there)
        browser.show(second)
        browser.call("DELETE", "/window")
        browser.show(first)
    with trial.serve(trial.drive, "--read-only") as served:
        trial.open(served.address)
        browser.wait("return dashboard.clock.now > 0.5", what="playback has started")
        browser.press("Space")
        refused = browser.run("""dashboard.connection.token = 'AAAAAAAAAAAAAAAAAAAAAA';
            return new Promise((resolve) => dashboard.connection.send({ do: 'pause' }, resolve))""")
        trial.check(refused["type"] == "refused", "--read-only refuses commands", refused)
        trial.check(browser.run("return dashboard.playback.state.playing") and trial.text("read-only") == "read-only",
                    "a read-only page is labelled and continues to play")
        browser.run("sessionStorage.clear()")
