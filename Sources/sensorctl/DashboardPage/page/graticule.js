// SPDX-License-Identifier: Apache-2.0

// Draws lines of round latitudes and longitudes on the map, with labels at the edges.

import { element } from "./dom.js";

const steps = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002, 0.00001];
/** The minimum distance between two lines, in pixels. */
const minimumSpacing = 90;

function name(degrees, positive, negative, step) {
    const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    // A map may extend beyond the 180th meridian.
    const value = degrees - 360 * Math.round(degrees / 360);
    const letter = Math.abs(value) < step / 2 ? "" : value > 0 ? positive : negative;
    return `${Math.abs(value).toFixed(digits)}°${letter}`;
}

/** Adds a graticule to a Leaflet map. The graticule is redrawn when the map moves. */
export function addGraticule(leaflet, map) {
    map.createPane("graticule").style.zIndex = 250;
    // The labels are above the tracks, which therefore do not cross them.
    map.createPane("graticule-names").style.zIndex = 450;
    const renderer = leaflet.svg({ pane: "graticule", padding: 0.5 });
    const group = leaflet.layerGroup().addTo(map);

    const label = (position, text, kind) => {
        const icon = leaflet.divIcon({ className: `graticule-name ${kind}`, html: element("span", {}, text), iconSize: [0, 0] });
        leaflet.marker(position, { pane: "graticule-names", interactive: false, keyboard: false, icon }).addTo(group);
    };
    /** Returns at most 60 multiples of a step between two values. */
    const multiples = (from, to, step) => {
        const first = Math.ceil(from / step);
        return Array.from({ length: Math.max(0, Math.min(60, Math.floor(to / step) - first + 1)) }, (_, index) => (first + index) * step);
    };
    const line = (from, to) => leaflet.polyline([from, to], {
        pane: "graticule", renderer, className: "graticule-line", interactive: false, noClip: true,
    }).addTo(group);

    const draw = () => {
        group.clearLayers();
        const bounds = map.getBounds().pad(0.4);
        const visibleBounds = map.getBounds();
        const size = map.getSize();
        if (size.x === 0 || size.y === 0) return;
        const perPixel = (visibleBounds.getEast() - visibleBounds.getWest()) / size.x;
        const step = steps.findLast((step) => step / perPixel >= minimumSpacing) ?? steps[0];
        const left = map.containerPointToLatLng([4, 0]);
        for (const value of multiples(bounds.getWest(), bounds.getEast(), step)) {
            line([Math.max(-85, bounds.getSouth()), value], [Math.min(85, bounds.getNorth()), value]);
            const at = map.latLngToContainerPoint([visibleBounds.getNorth(), value]).x;
            if (at > 72 && at < size.x - 30) label([map.containerPointToLatLng([at, 2]).lat, value], name(value, "E", "W", step), "east");
        }
        for (const value of multiples(bounds.getSouth(), bounds.getNorth(), step)) {
            if (Math.abs(value) > 85) continue;
            line([value, bounds.getWest()], [value, bounds.getEast()]);
            const at = map.latLngToContainerPoint([value, visibleBounds.getWest()]).y;
            if (at > 84 && at < size.y - 44) label([value, left.lng], name(value, "N", "S", step), "north");
        }
    };
    map.on("moveend zoomend resize", draw);
    return draw;
}
