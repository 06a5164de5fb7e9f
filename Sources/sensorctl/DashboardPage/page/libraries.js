// SPDX-License-Identifier: Apache-2.0

// Loads Leaflet and dygraphs from the server. If a library is missing, the page names the package to install. The
// display of values does not require a library.

import { byID, loadScript, loadStyle, setText, show } from "./dom.js";

async function load(script, style, global) {
    if (style) loadStyle(style);
    await loadScript(script);
    return window[global];
}

/** Loads the available libraries. Returns null in place of a missing library. */
export async function loadLibraries({ leaflet, dygraphs, packages }) {
    const attempt = (wanted, ...names) => (wanted ? load(...names).catch(() => null) : Promise.resolve(null));
    const [map, graphs] = await Promise.all([
        attempt(leaflet, "/assets/leaflet/leaflet.js", "/assets/leaflet/leaflet.css", "L"),
        attempt(dygraphs, "/assets/dygraphs/dygraph.min.js", "/assets/dygraphs/dygraph.css", "Dygraph"),
    ]);
    const missing = (packages ?? []).filter((name) => (name.includes("leaflet") ? !map : name.includes("dygraphs") ? !graphs : false));
    show(byID("missing"), missing.length > 0);
    const undrawn = [map ? null : "the map", graphs ? null : "the curves of speed and altitude"];
    setText(byID("missing-what"), undrawn.filter(Boolean).join(" and "));
    setText(byID("missing-command"), `sudo apt-get install ${missing.join(" ")}`);
    return { leaflet: map ?? null, dygraphs: graphs ?? null };
}
