# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Map tiles: the page requests only those of the configured server, and nothing else from other servers."""
import http.server
import math
import re
import struct
import threading
import zlib

from checking import part

ATTRIBUTION = '<img src=x onerror="window.harmed=1"> & others'


def _grey_tile():
    """Returns a grey PNG of 256 by 256 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\xd0" * 256) * 256
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class RecordingServer:
    """A server that records its requests. `with` ends it."""

    def __init__(self):
        self.requests = []
        requests, tile = self.requests, _grey_tile()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.send_header("Content-Length", str(len(tile)))
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()
                self.wfile.write(tile)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@part("tiles")
def tiles(trial):
    browser = trial.browser
    with RecordingServer() as maps, RecordingServer() as other, trial.serve(
            trial.drive, "--tiles", f"http://{maps.host}/map/{{z}}/{{x}}/{{y}}.png", "--tiles-attribution", ATTRIBUTION) as served:
        trial.open(served.address)
        trial.pause_at(60)
        browser.wait("""const tiles = [...document.querySelectorAll('#map img.leaflet-tile')];
            return tiles.length > 3 && tiles.every((tile) => tile.complete && tile.naturalWidth === 256)""", what="the tiles of the map")
        view = browser.run("""const { lat, lng } = dashboard.map.arrow.getLatLng(), box = document.getElementById('map').getBoundingClientRect();
            const tiles = [...document.querySelectorAll('#map img.leaflet-tile')];
            return { lat, lng, zoom: Math.round(dashboard.map.map.getZoom()), sources: tiles.map((tile) => tile.src),
                covered: [[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]].every(([x, y]) => tiles.some((tile) => {
                    const place = tile.getBoundingClientRect(), left = box.left + box.width * x, top = box.top + box.height * y;
                    return place.left <= left && place.right >= left && place.top <= top && place.bottom >= top; })) }""")
        paths = [path for path, _ in maps.requests]
        trial.check(paths and all(re.fullmatch(r"/map/\d+/\d+/\d+\.png", path) for path in paths),
                    f"{len(paths)} tiles are requested from the configured URL", paths[:3])
        # Slippy map tiles: the Mercator square, divided into 2 to the power of z columns and rows.
        count, latitude = 2 ** view["zoom"], math.radians(view["lat"])
        column = int((view["lng"] + 180) / 360 * count)
        row = int((1 - math.asinh(math.tan(latitude)) / math.pi) / 2 * count)
        trial.check(f"/map/{view['zoom']}/{column}/{row}.png" in paths, "the tile at the position is requested",
                    (view["zoom"], column, row, paths[:3]))
        trial.check(view["covered"], "the tiles cover the map")
        leaked = sorted({name for _, headers in maps.requests for name in headers if name in ("referer", "cookie", "authorization")})
        trial.check(not leaked, "requests for tiles contain no referrer and no credentials", leaked)
        text = browser.run("""const node = document.querySelector('.leaflet-control-attribution');
            return [node.textContent, node.querySelectorAll('img').length, window.harmed ?? null]""")
        trial.check(ATTRIBUTION in text[0] and text[1:] == [0, None], "the attribution is shown as text", text)
        sources = browser.run("return [...new Set(performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host))].sort()")
        trial.check(sources == sorted([f"127.0.0.1:{served.port}", maps.host]), "all resources are from the expected servers", sources)
        trial.check_console()
        trial.shot("tiles-light")
        # Requests that an injected script might make.
        before = len(maps.requests)
        tried = browser.run("""const [maps, other] = arguments, outcome = {};
            const refused = (promise) => promise.then(() => false, () => true);
            const picture = (address) => new Promise((resolve, reject) => { const image = new Image(); image.onload = resolve; image.onerror = reject; image.src = address; });
            const script = (address) => new Promise((resolve, reject) => { const node = document.createElement('script'); node.onload = resolve; node.onerror = reject; node.src = address; document.head.append(node); });
            return Promise.all([refused(picture(`http://${other}/a.png`)), refused(fetch(`http://${maps}/b.png`)), refused(fetch(`http://${other}/c.png`)),
                refused(script(`http://${maps}/d.js`)), refused(script(`http://${other}/e.js`)),
                new Promise((resolve) => { const socket = new WebSocket(`ws://${other}/f`); socket.onopen = () => resolve(false); socket.onerror = () => resolve(true); })])""",
                            maps.host, other.host)
        trial.check(all(tried) and not other.requests and len(maps.requests) == before,
                    "images from other servers, and other resources from the tile server, are not fetched", (tried, other.requests, maps.requests[before:]))
        browser.console_messages()
