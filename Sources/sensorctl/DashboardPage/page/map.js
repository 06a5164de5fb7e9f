// SPDX-License-Identifier: Apache-2.0

// A map of the track, the current position with its accuracy circle, and the regions. Leaflet draws the map on a plain
// background, or on map tiles from a server that the user has selected.

import { byID, setAttribute, show, visible } from "./dom.js";
import { isKnown } from "./format.js";
import { addGraticule } from "./graticule.js";
import { RegionLabels, addPlaceName } from "./labels.js";
import { addScaleBar } from "./units.js";

/** The interval between updates of the track, in milliseconds. */
const interval = 100;

export class TrackMap {
    constructor(track, overview) {
        this.track = track;
        this.overview = overview;
        this.follows = true;
        this.drawnVersion = -1;
        this.drawnAt = 0;
        this.regions = new Map();
        byID("map-follow").addEventListener("click", () => this.follow(!this.follows));
        byID("map-fit").addEventListener("click", () => this.fit());
    }

    /** Creates the map after Leaflet has been loaded. */
    start(leaflet, tiles) {
        this.leaflet = leaflet;
        show(byID("map"), true);
        const map = leaflet.map(byID("map"), {
            zoomSnap: 0.5, attributionControl: Boolean(tiles), zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false,
        });
        this.map = map;
        map.setView([0, 0], 1);
        if (tiles) {
            map.attributionControl.setPrefix("");
            const plain = document.createElement("span");
            plain.textContent = visible(tiles.attribution ?? "");
            leaflet.tileLayer(tiles.url, { attribution: plain.innerHTML, maxZoom: 19 }).addTo(map);
            byID("map").classList.add("tiled");
        }
        addScaleBar(leaflet, map);
        addPlaceName(leaflet, map);
        this.labels = new RegionLabels(leaflet, map, this.regions);
        this.graticule = addGraticule(leaflet, map);
        const line = (className) => leaflet.polyline([], { className, interactive: false, smoothFactor: 0.7 }).addTo(map);
        this.whole = line("track-whole");
        this.halo = line("track-halo");
        this.line = line("track");
        this.circle = leaflet.circle([0, 0], { radius: 0, className: "error-circle", interactive: false });
        const arrow = document.createElement("div");
        const icon = leaflet.divIcon({ className: "here", html: arrow, iconSize: [28, 28] });
        this.arrow = leaflet.marker([0, 0], { interactive: false, keyboard: false, icon });
        this.arrowShape = arrow;
        map.on("dragstart", () => this.follow(false));
        byID("map").addEventListener("keydown", (event) => { if (event.key.startsWith("Arrow")) this.follow(false); });
        new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(byID("map"));
        this.reset();
        this.showOverview();
    }

    /** Discards the drawn track. The view stays, so that a seek does not move the map. */
    clear() { this.drawnVersion = -1; }

    /** Discards the view, too, because another recording begins. */
    reset() {
        this.clear();
        this.isPlaced = false;
        this.whole?.setLatLngs([]);
    }

    /** Draws the whole track of a recording, and shows all of it unless the user has moved the map. */
    showOverview() {
        if (!this.map || !this.overview.hasTrack) return;
        this.whole.setLatLngs(this.overview.track.lines());
        this.drawnVersion = -1;
        if (this.follows) this.isPlaced = false;
    }

    /** The bounds of the whole track of a recording, or of the track so far. */
    get bounds() { return this.overview.hasTrack ? this.whole.getBounds() : this.line?.getBounds(); }

    follow(on) {
        this.follows = on;
        setAttribute(byID("map-follow"), "aria-pressed", on);
        if (on) this.drawnVersion = -1;
    }

    fit() {
        const bounds = this.bounds;
        if (!bounds?.isValid()) return;
        this.follow(false);
        this.map.fitBounds(bounds, { padding: [28, 28], maxZoom: 18, animate: false });
    }

    draw() {
        if (!this.map || this.drawnVersion === this.track.version || !this.track.latest) return;
        const time = performance.now();
        if (time - this.drawnAt < interval) return;
        this.drawnAt = time;
        this.drawnVersion = this.track.version;
        const lines = this.overview.hasTrack ? this.overview.until(this.track.latest.t, this.track) : this.track.lines();
        this.halo.setLatLngs(lines);
        this.line.setLatLngs(lines);
        this.labels.update();
        const fix = this.track.latest;
        const hasPosition = isKnown(fix.latitude) && isKnown(fix.longitude);
        const lastPosition = lines.at(-1)?.at(-1);
        if (!hasPosition || this.track.broken) {
            if (lastPosition) this.arrow.setLatLng(lastPosition).addTo(this.map);
            this.circle.remove();
            this.arrowShape.style.transform = "";
            this.arrowShape.className = "lost";
            if (lastPosition) this.keepVisible(lastPosition);
            return;
        }
        // The latest fix is at the end of the track.
        if (isKnown(fix.horizontalAccuracy)) this.circle.setLatLng(lastPosition).setRadius(fix.horizontalAccuracy).addTo(this.map);
        else this.circle.remove();
        this.arrow.setLatLng(lastPosition).addTo(this.map);
        const moves = isKnown(fix.course) && !(fix.speed < 0.3);
        this.arrowShape.className = moves ? "moving" : "standing";
        this.arrowShape.style.transform = moves ? `rotate(${fix.course}deg)` : "";
        this.keepVisible(lastPosition);
    }

    /** Keeps the position visible. Moves the map only when the position approaches an edge. */
    keepVisible(position) {
        if (!this.isPlaced) {
            this.map.invalidateSize({ animate: false });
            if (this.map.getSize().x === 0) {
                this.drawnVersion = -1;
                return;
            }
            const bounds = this.bounds;
            this.isPlaced = true;
            const hasTrack = bounds?.isValid() && (this.overview.hasTrack || this.track.points.length > 2);
            if (hasTrack) this.map.fitBounds(bounds, { padding: [40, 40], maxZoom: 16, animate: false });
            else this.map.setView(position, 16, { animate: false });
            return;
        }
        if (!this.follows) return;
        const at = this.map.latLngToContainerPoint(position);
        const size = this.map.getSize();
        const edge = Math.min(size.x, size.y) * 0.2;
        if (at.x < edge || at.y < edge || at.x > size.x - edge || at.y > size.y - edge) this.map.panTo(position, { animate: false });
    }

    setRegions(list) {
        if (!this.map) return;
        for (const layer of this.regions.values()) layer.remove();
        this.regions.clear();
        for (const { id, latitude, longitude, radius, state } of list.slice(0, 100)) {
            if (!isKnown(latitude) || !isKnown(longitude) || !(radius > 0)) continue;
            const name = document.createElement("span");
            name.textContent = visible(id);
            const className = `region region-${state === "inside" ? "inside" : "outside"}`;
            this.regions.set(id, this.leaflet.circle([latitude, longitude], { radius, className, interactive: false })
                .bindTooltip(name, { permanent: true, direction: "center", className: "region-name" }).addTo(this.map));
        }
        this.labels.place();
    }
}
