// SPDX-License-Identifier: Apache-2.0

// The names on the map: places the names of regions where no track crosses them, and adds the name of the place.

import { byID } from "./dom.js";

const gap = 3;
/** The minimum interval between placements while the track grows, in milliseconds. */
const interval = 1000;

export class RegionLabels {
    constructor(leaflet, map, circles) {
        Object.assign(this, { leaflet, map, circles, placedAt: -Infinity });
        map.on("moveend zoomend", () => this.place());
    }

    /** Called after a change of the track. */
    update() { if (performance.now() - this.placedAt > interval) this.place(); }

    place() {
        this.placedAt = performance.now();
        const { leaflet, map } = this;
        const segments = this.segments();
        const occupied = [];
        const origin = map.containerPointToLayerPoint([0, 0]);
        const visible = leaflet.bounds(origin, origin.add(map.getSize()));
        for (const circle of this.circles.values()) {
            const tooltip = circle.getTooltip();
            const node = tooltip?.getElement();
            if (!node) continue;
            const centre = map.latLngToLayerPoint(circle.getLatLng());
            const radius = centre.y - map.latLngToLayerPoint(circle.getBounds().getNorthWest()).y;
            const half = leaflet.point(node.offsetWidth / 2, node.offsetHeight / 2);
            const boxes = [[0, -radius - half.y - gap], [0, radius + half.y + gap], [radius + half.x + gap, 0], [-radius - half.x - gap, 0], [0, 0]]
                .map((offset) => leaflet.bounds(centre.add(offset).subtract(half), centre.add(offset).add(half)));
            const crossings = (box) => segments.filter(([from, to]) => leaflet.LineUtil.clipSegment(from, to, box)).length
                + 1000 * (occupied.filter((other) => other.intersects(box)).length + (visible.contains(box) ? 0 : 1));
            const [best] = boxes.map((box) => [box, crossings(box)]).reduce((least, one) => (one[1] < least[1] ? one : least));
            occupied.push(best);
            tooltip.options.offset = best.getCenter().subtract(centre);
            tooltip.update();
        }
    }

    /** Returns the segments of all drawn tracks, in layer coordinates. */
    segments() {
        const segments = [];
        for (const path of this.map.getPane("overlayPane").querySelectorAll("path[class*=track]")) {
            let last = null;
            for (const [, letter, x, y] of (path.getAttribute("d") ?? "").matchAll(/([ML])(-?[\d.]+) (-?[\d.]+)/g)) {
                const point = this.leaflet.point(Number(x), Number(y));
                if (letter === "L" && last) segments.push([last, point]);
                last = point;
            }
        }
        return segments;
    }
}

/** Moves the name of the place to a corner of the map. */
export function addPlaceName(leaflet, map) {
    const Name = leaflet.Control.extend({ onAdd: () => byID("place-name") });
    new Name({ position: "bottomright" }).addTo(map);
}
