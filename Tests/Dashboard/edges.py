# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Discontinuities of angles, at the 180th meridian and at north, and removal of data when its source ends."""
from checking import part

# Processes a message as if the server had sent it.
_RECEIVE = "const receive = (message) => dashboard.connection.socket.onmessage({ data: JSON.stringify(message) });"


@part("edges")
def edges(trial):
    browser = trial.browser
    with trial.serve() as served:
        trial.open(served.address, height=2400)
        trial.pause_at(60)
        browser.run(_RECEIVE + """receive({ type: 'clear' });
            receive({ type: 'location', t: 50, latitude: -17, longitude: 179.9985, horizontalAccuracy: 5, mode: '3D' });""")
        trial.settle()
        trial.check(trial.is_shown("map") and not trial.is_shown("profile"), "curves from before a seek are removed")
        browser.run(_RECEIVE + """for (let step = 1; step < 40; step += 1) {
                const longitude = 179.9985 + step * 1e-4;
                receive({ type: 'location', t: 50 + step * 0.2, latitude: -17 + step * 1e-5, longitude: longitude > 180 ? longitude - 360 : longitude, horizontalAccuracy: 5, speed: 4, altitude: 3, mode: '3D' });
            }""")
        trial.settle()
        way = browser.run("""const line = dashboard.map.line, bounds = line.getBounds(), arrow = dashboard.map.arrow.getLatLng();
            document.getElementById('map-fit').click();
            return { pieces: line.getLatLngs().length, width: bounds.getEast() - bounds.getWest(), east: bounds.getEast(),
                arrow: arrow.lng, circle: dashboard.map.circle.getLatLng().lng, shown: document.getElementById('longitude').textContent + document.getElementById('longitude-unit').textContent,
                names: [...document.querySelectorAll('.graticule-name.east')].map((node) => node.textContent) }""")
        trial.check(way["pieces"] == 1 and abs(way["width"] - 0.0039) < 1e-6, "a track across the 180th meridian is one short line", way)
        trial.check(abs(way["arrow"] - way["east"]) < 1e-9 and abs(way["circle"] - way["east"]) < 1e-9, "the arrow and the accuracy circle are at the end of the track", way)
        trial.check(way["names"] and all(float(name.split("°")[0]) <= 180 for name in way["names"]) and any(name.endswith("W") for name in way["names"]),
                    "meridians beyond it are labelled as west", way["names"])
        trial.check(way["shown"] == "179.997600° W", "the position is labelled as west", way["shown"])
        band = browser.run("""const strip = dashboard.strips.named('heading'), now = dashboard.clock.now;
            for (let step = 0; step < 400; step += 1) strip.add(now - 40 + step * 0.1, Float32Array.of(355, NaN, 20), 0);
            return new Promise((resolve) => setTimeout(resolve, 600)).then(() => import('/page/strip.js')).then(({ margin }) => {
                strip.draw(now, null);
                const canvas = strip.canvas, context = canvas.getContext('2d'), bottom = canvas.height - margin.bottom;
                const x = Math.round(margin.left + strip.columns.count - 20 / strip.columns.width);
                const inked = (from, to) => {
                    const y = (value) => bottom - value / 360 * (bottom - margin.top);
                    const data = context.getImageData(x - 3, Math.ceil(y(to)), 6, Math.max(1, Math.floor(y(from)) - Math.ceil(y(to)))).data;
                    let count = 0;
                    for (let index = 3; index < data.length; index += 4) count += data[index] > 0;
                    return count / (data.length / 4);
                };
                return { below: inked(338, 352), beyond: inked(3, 13), away: inked(100, 170), between: inked(200, 260) };
            })""")
        trial.check(band["below"] > 0.9 and band["beyond"] > 0.9 and band["away"] == 0 and band["between"] == 0,
                    "the accuracy band of a heading near north is drawn on both sides of north", band)
        held = browser.run("""const slider = document.getElementById('timeline');
            slider.value = '10';
            slider.dispatchEvent(new Event('input'));
            const dragged = dashboard.playback.dragged;
            dashboard.connection.socket.close();
            return new Promise((resolve) => setTimeout(() => resolve([dragged, dashboard.playback.dragged]), 300))""")
        trial.check(held == [10, None], "a timeline that is removed while it is dragged ends the drag", held)
        browser.wait("return document.body.dataset.link === 'open'", what="the page is connected again")
        browser.console_messages()
