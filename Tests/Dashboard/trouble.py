# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Faults: missing libraries, a restarted server, a page without scripts."""
import json
import os
import socket
import subprocess

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


# Counts the pixels of a chart that are shaded, and returns the last column that is.
_SHADED = """const probe = document.createElement('canvas').getContext('2d');
    const rgba = (name) => { probe.clearRect(0, 0, 1, 1); probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name); probe.fillRect(0, 0, 1, 1); return probe.getImageData(0, 0, 1, 1).data; };
    const wash = rgba('--bad-wash');
    const shaded = (canvas) => {
        const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0, last = -1;
        for (let index = 0; index < data.length; index += 4) {
            if (data[index + 3] > 200 && Math.abs(data[index] - wash[0]) + Math.abs(data[index + 1] - wash[1]) + Math.abs(data[index + 2] - wash[2]) < 6) { count += 1; last = Math.max(last, index / 4 % width); }
        }
        return { count: count / (data.length / 4), last: last / width };
    };"""


@part("source")
def source(trial):
    """While gpsd is unavailable, the page says so, dims the sky, and continues its charts. The map does not move."""
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address, height=1600)
        browser.resize(390, 800)
        trial.pause_at(60)
        where = "const { top, height } = document.getElementById('map').getBoundingClientRect(); return [top, height]"
        narrow = browser.run(where)
        browser.resize(1280, 1600)
        trial.settle()
        before = browser.run(where)
        trial.check(trial.text("link-text") == "page connected", "the state of the connection names the page", trial.text("link-text"))
        trial.command({"do": "fault", "fault": "loss(gpsd)", "on": True})
        trial.command({"do": "speed", "value": 5})
        trial.command({"do": "play"})
        # The position source reports the loss, so the page need not wait for the age of the fix.
        browser.wait("return document.getElementById('fix-state').dataset.mode === 'gone'", what="the state of the position")
        early = browser.run("return dashboard.clock.now - dashboard.track.latest.t")
        browser.wait("return dashboard.clock.now > 75", what="15 s of the loss")
        trial.command({"do": "pause"})
        trial.settle()
        trial.check(trial.text("fix-text").startswith("gpsd is unavailable · last fix"), "the state names gpsd and the age of the fix", (trial.text("fix-text"), early))
        trial.check(trial.text("link-text") == "page connected", "the page is still connected", trial.text("link-text"))
        trial.check("simulated" in trial.text("fix-error") and browser.run(where) == before, "the reason is shown, and the map has not moved", (trial.text("fix-error"), browser.run(where), before))
        over = browser.run("""const map = document.getElementById('map').getBoundingClientRect(), note = document.getElementById('fix-error').getBoundingClientRect();
            const zoom = document.querySelector('.leaflet-control-zoom').getBoundingClientRect();
            return note.top >= map.top && note.bottom <= map.bottom && note.right <= map.right && note.left >= zoom.right""")
        trial.check(over, "the reason is on the map, beside its buttons", over)
        dim = "return ['sky', 'signals'].map((id) => Number(getComputedStyle(document.getElementById(id)).opacity)).concat(Number(getComputedStyle(document.getElementById('hdop')).opacity))"
        trial.check(all(opacity < 0.8 for opacity in browser.run(dim)), "the sky and the dilutions are dimmed", browser.run(dim))
        charts = browser.run(_SHADED + """return dashboard.profile.graphs.map((graph) => ({ range: graph.xAxisRange(), now: dashboard.clock.now,
            ...shaded([...graph.graphDiv.querySelectorAll('canvas')].reduce((one, other) => (shaded(one).count >= shaded(other).count ? one : other))) }))""")
        trial.check(all(chart["range"][1] >= chart["now"] - 0.5 and chart["count"] > 0.05 and chart["last"] > 0.95 for chart in charts),
                    "the curves continue to the current time, and the loss is shaded", charts)
        log = trial.text("event-list")
        trial.check("Fault switched on by hand: gpsd is unavailable" in log, "the events name the fault and that it was switched by hand", log)
        trial.shot("source-lost")
        browser.resize(390, 800)
        trial.settle()
        trial.check(browser.run(where) == narrow, "on a narrow page, the map has not moved either", (browser.run(where), narrow))
        trial.shot("source-lost-narrow")
        browser.resize(1280, 1600)
        trial.command({"do": "fault", "fault": "loss(gpsd)", "on": False})
        trial.command({"do": "play"})
        browser.wait("return document.getElementById('fix-state').dataset.mode === '3D'", what="a fix")
        browser.wait("return Number(getComputedStyle(document.getElementById('sky')).opacity) === 1", what="the next report on the sky")
        trial.command({"do": "pause"})
        trial.check(not trial.is_shown("fix-error"), "after the loss, no reason is shown")
        trial.check("gpsd is available again" in trial.text("event-list"), "the events contain the end of the loss")
        # A sensor that is lost: its chart is shaded from its last reading to the current time.
        trial.command({"do": "fault", "fault": "loss(magnetometer)", "on": True})
        trial.command({"do": "play"})
        browser.wait("return dashboard.clock.now - dashboard.strips.named('magnetometer').history.knownAt > 20", what="20 s without the magnetometer")
        trial.command({"do": "pause"})
        trial.settle()
        chart = browser.run(_SHADED + "return ['magnetometer', 'accelerometer'].map((name) => shaded(dashboard.strips.named(name).canvas))")
        trial.check(chart[0]["count"] > 0.1 and chart[0]["last"] > 0.9 and chart[1]["count"] == 0, "the chart of a lost sensor is shaded until now", chart)
        trial.check_console()


@part("gone")
def gone(trial):
    """In a live session, the state follows gpsd."""
    browser = trial.browser
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def gpsd():
        process = subprocess.Popen([trial.tool, "simulate", "gpsd", trial.drive, "--port", str(port), "--json", "--rebase"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        return process
    server = gpsd()
    try:
        with trial.serve("--live", before=["env", f"DEVICE_SERVICES_GPSD=gpsd://127.0.0.1:{port}", "DEVICE_SERVICES_IIO=ip:127.0.0.1:1",
                                           "DEVICE_SERVICES_UDEV=off"]) as served:
            trial.open(served.address)
            mode = "return document.getElementById('fix-state').dataset.mode === arguments[0]"
            browser.wait(mode, "3D", what="a fix")
            server.terminate()
            server.wait()
            browser.wait(mode, "gone", seconds=10, what="the loss of gpsd")
            trial.check(trial.text("fix-text").startswith("gpsd is unavailable") and str(port) in trial.text("fix-error") and trial.text("link-text") == "page connected",
                        "the state names gpsd, and the reason names its port", (trial.text("fix-text"), trial.text("fix-error")))
            trial.settle()
            trial.shot("gpsd-gone")
            findings(trial)
            server = gpsd()
            browser.wait(mode, "3D", what="a fix after the restart")
            trial.check(not trial.is_shown("fix-error"), "after the restart, no reason is shown")
            trial.check_console()
    finally:
        server.terminate()
        server.wait()


def findings(trial):
    """The commands of doctor are code, each with a button that copies it."""
    browser = trial.browser
    browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.wait("return document.querySelectorAll('#finding-list .command').length > 0", what="a command of doctor")
    lines = subprocess.run(["env", "DEVICE_SERVICES_IIO=ip:127.0.0.1:1", "DEVICE_SERVICES_UDEV=off", trial.tool, "doctor", "--json"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.splitlines()
    wanted = [json.loads(line) for line in lines]
    commands = [line.split("    # ")[0] for finding in wanted if finding.get("topic") == "motion" for line in finding["repair"] if not line.startswith("# ")]
    shown = browser.run("return [...document.querySelectorAll('#finding-list .command code')].map((node) => node.textContent)")
    trial.check(commands and set(commands) <= set(shown), "each command of doctor is an element of its own", (commands, shown))
    copied = browser.run("""const box = document.querySelector('#finding-list .command');
        box.querySelector('button').click();
        return new Promise((resolve) => setTimeout(resolve, 300)).then(() => navigator.clipboard.readText()).then((text) => [text, box.querySelector('code').textContent, box.querySelector('button').textContent], (error) => [String(error)])""")
    trial.check(copied[0] == copied[1] and copied[2] == "Copied", "the button copies the command", copied)
    # A rule with a here-document is one command.
    parts = browser.run("""return import('/page/commands.js').then(({ commandList }) => [...commandList(["sudo tee /etc/rule <<'END'", 'first, second', 'END', 'ls    # shows the rule', '# then log in again']).children]
        .map((node) => [node.className, (node.querySelector('code') ?? node).textContent]))""")
    trial.check(parts == [["command", "sudo tee /etc/rule <<'END'\nfirst, second\nEND"], ["command", "ls"], ["quiet", "Shows the rule"], ["quiet", "Then log in again"]],
                "a here-document is one command, and comments are sentences", parts)


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
                    findings: [{ level: evil, title: evil, text: evil, mend: [evil, `${evil} <<'E'`, 7, null] }], list: Array.from({ length: 3000 }, () => ({ id: evil, name: evil, system: evil, state: evil, radius: 1e9, latitude: 1, longitude: 1, azimuth: 1, elevation: 1, snr: 1, protocols: [evil], users: [evil], manufacturer: evil, connected: true })) });
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
