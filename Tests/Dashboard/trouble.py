# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Faults: missing libraries, a restarted server, a page without scripts."""
import os

from checking import part


@part("libraries")
def libraries(trial):
    """Without Leaflet and dygraphs, the page names the packages to install, and shows figures and strips."""
    browser = trial.browser
    empty = os.path.join(trial.folder, "no-assets")
    os.makedirs(empty, exist_ok=True)
    with trial.serve(trial.drive, "--assets", empty) as served:
        trial.open(served.address)
        trial.pause_at(60)
        text = trial.text("missing")
        trial.check(trial.is_shown("missing") and "libjs-leaflet" in text and "libjs-dygraphs" in text, "the message names the packages to install", text)
        trial.check(not browser.run("return document.getElementById('map').checkVisibility()"), "the map is hidden")
        trial.check(trial.number("latitude") is not None and browser.run("return dashboard.strips.named('gyroscope').history.count") > 5000,
                    "figures and strips are shown")
        trial.shot("without-libraries")


@part("lost")
def lost(trial):
    """When the server ends, the page reports it and keeps its contents. When the server returns, the page
    reconnects."""
    browser = trial.browser
    served = trial.serve()
    try:
        trial.open(served.address)
        trial.pause_at(90)
        picture = "return [dashboard.track.points.length, dashboard.strips.named('magnetometer').history.count, document.getElementById('latitude').textContent]"
        before = browser.run(picture)
        port = served.port
        served.end()
        browser.wait("return document.body.dataset.link === 'lost'", what="the page reports the lost connection")
        trial.settle()
        trial.check(trial.is_shown("banner") and "No connection" in trial.text("banner-text"), "the banner reports that there is no connection", trial.text("banner-text"))
        trial.check("lost" in trial.text("announcement"), "the loss is announced to screen readers", trial.text("announcement"))
        trial.check(browser.run(picture) == before and before[0] > 50 and before[1] > 5000, "the data is kept", (browser.run(picture), before))
        trial.check(browser.run("return document.getElementById('play').disabled"), "the controls are disabled")
        trial.shot("lost")
        browser.wait("return dashboard.connection.attempt >= 3", what="three attempts to reconnect")
        served = trial.serve(port=port)
        browser.run("document.getElementById('retry').click()")
        browser.wait("return document.body.dataset.link === 'open' && !document.getElementById('banner').checkVisibility()", what="the page is connected again")
        browser.wait("return dashboard.clock.now < 60 && dashboard.clock.now > 0.5", what="the beginning of the new session")
        trial.settle()
        trial.check(browser.run("return Math.max(...dashboard.strips.list.map((strip) => strip.history.newest))") < 60, "data of the former session is removed")
        # The new server has a different token.
        answer = trial.command({"do": "pause"})
        trial.check(answer["type"] == "refused", "the new session refuses the page's token", answer)
        console_messages = [text for text in browser.console_messages() if "ERR_CONNECTION" not in text and "WebSocket" not in text]
        trial.check(not console_messages, "the console shows no other errors", console_messages)
    finally:
        served.end()
        browser.run("sessionStorage.clear()")


@part("network")
def network(trial):
    """The connection is interrupted and restored within a session: no data is lost or repeated."""
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address)
        trial.pause_at(90)
        same = """const { history } = dashboard.strips.named('magnetometer');
            return [history.count, history.newest, dashboard.track.points.length, document.querySelectorAll('#traffic li').length]"""
        before = browser.run(same)
        browser.run("dashboard.connection.socket.close()")
        browser.wait("return document.body.dataset.link === 'lost'", what="the page reports the lost connection")
        browser.wait("return document.body.dataset.link === 'open'", what="the page is connected again")
        trial.settle()
        trial.check(browser.run(same) == before, "after an interrupted connection, the data is unchanged", (browser.run(same), before))
        trial.check(trial.command({"do": "play"})["type"] == "done", "commands work after an interrupted connection")


@part("hostile")
def hostile(trial):
    """Messages that our server never sends have no relevant effect."""
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address)
        trial.pause_at(60)
        browser.run("""
            const receive = (message) => dashboard.connection.socket.onmessage({ data: typeof message === 'string' ? message : JSON.stringify(message) });
            for (const message of ['', '{', '[]', 'null', '1', { type: '__proto__' }, { type: 'constructor' }, { type: 'toString' }]) receive(message);
            const evil = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>';
            for (const type of ['locationFailed', 'log', 'users', 'doctor', 'regions', 'walk', 'satellites', 'accessories', 'traffic', 'heading', 'refused', 'gap', 'dropped'])
                receive({ type, t: 60, error: evil, text: evil, title: evil, why: evil, id: evil, channel: evil, activity: evil, confidence: evil, bytes: evil, seconds: evil, count: 3, level: evil,
                    findings: [{ level: evil, title: evil, text: evil, mend: evil }], list: Array.from({ length: 3000 }, () => ({ id: evil, name: evil, system: evil, state: evil, radius: 1e9, latitude: 1, longitude: 1, azimuth: 1, elevation: 1, snr: 1, protocols: [evil], users: [evil], manufacturer: evil, connected: true })) });
            for (const data of [new ArrayBuffer(0), new ArrayBuffer(7), new Uint8Array([1, 0, 255, 255, ...Array(20).fill(0)]).buffer, new Uint8Array([1, 200, 1, 0, ...Array(40).fill(255)]).buffer])
                dashboard.connection.socket.onmessage({ data });
            for (let index = 0; index < 5000; index += 1) receive({ type: 'log', t: index, level: 'note', text: evil + index });
            for (let index = 0; index < 5000; index += 1) receive({ type: 'traffic', t: 60 + index, id: 'x', direction: 'received', count: 1, bytes: 'AA==' });
        """)
        trial.settle()
        state = browser.run("""return { harmed: window.harmed ?? null, images: document.querySelectorAll('main img, main script').length,
            events: document.getElementById('event-list').childElementCount, lines: document.querySelectorAll('#traffic li').length,
            nodes: document.querySelectorAll('*').length, wide: document.documentElement.scrollWidth > innerWidth }""")
        trial.check(state["harmed"] is None and state["images"] == 0, "hostile texts are shown as text", state)
        trial.check(state["events"] <= 100 and state["lines"] <= 200 and state["nodes"] < 12000, "the stored data is bounded", state)
        trial.check(not state["wide"], "hostile texts do not widen the page", state)
        frames = browser.run("""const begun = dashboard.counted.frames;
            return new Promise((resolve) => setTimeout(() => resolve(dashboard.counted.frames - begun), 1000))""")
        trial.check(frames > 3, "the page continues to draw", frames)
        browser.console_messages()


@part("scripts")
def scripts(trial):
    """Without JavaScript, the page shows an alternative."""
    browser = trial.browser
    with trial.serve() as served:
        browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
        try:
            browser.resize(1280, 860, False)
            browser.go("about:blank")
            browser.go(served.address)
            tree = browser.cdp("Accessibility.getFullAXTree")["nodes"]
            text = " ".join(node.get("name", {}).get("value") or "" for node in tree if not node.get("ignored"))
            trial.check("JavaScript" in text and "sensorctl watch" in text, "without scripts, the page names the commands that print the same data", text[:200])
            trial.shot("without-scripts")
        finally:
            browser.cdp("Emulation.setScriptExecutionDisabled", value=False)
            browser.go("about:blank")
