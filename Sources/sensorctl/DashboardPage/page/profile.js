// SPDX-License-Identifier: Apache-2.0

// Graphs of speed and altitude along the whole track, with their accuracy. They are drawn with dygraphs, which supports
// hovering and zooming.

import { byID, element, show } from "./dom.js";
import { clockTime, fixed, isKnown } from "./format.js";
import { roundStep } from "./scale.js";
import { colours, onTheme } from "./theme.js";
import { converted, onUnits, unitOf } from "./units.js";

const interval = 250;
/** The maximum number of readings in a graph. If the track is longer, readings are omitted at regular intervals. */
const maximumRows = 1500;

const kinds = [
    { id: "graph-speed", key: "speed", accuracy: "speedAccuracy", label: "Speed", quantity: "speed", digits: 1, least: 0, narrowest: 5 },
    { id: "graph-altitude", key: "altitude", accuracy: "verticalAccuracy", label: "Altitude", quantity: "height", digits: 1, narrowest: 10 },
];

/** Returns ticks at round numbers. At least two ticks are visible. */
function roundTicks(low, high) {
    const step = roundStep(high - low, 3);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const ticks = [];
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push({ v: value, label: fixed(value, digits) });
    return ticks;
}

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** Returns ticks at whole minutes or seconds, at most one per 70 pixels. */
function timeTicks(low, high, pixels) {
    const least = (high - low) / Math.max(pixels / 70, 1);
    const step = timeSteps.find((one) => one >= least) ?? Math.ceil(least / 86400) * 86400;
    const ticks = [];
    for (let time = Math.ceil(low / step) * step; time <= high; time += step) ticks.push({ v: time, label: clockTime(time, 0) });
    return ticks;
}

export class Profile {
    /** @param seek called with the time of a click on a curve of a recording */
    constructor(track, source, overview, seek) {
        Object.assign(this, { track, source, overview, seek });
        onUnits(() => this.redraw());
        this.graphs = [];
        this.drawnVersion = -1;
        this.drawnAt = 0;
    }

    start(library) {
        this.library = library;
        onTheme(() => this.graphs.forEach((graph) => graph.updateOptions(this.chartStyle())));
        new ResizeObserver(() => this.graphs.forEach((graph) => graph.resize())).observe(byID("profile"));
        byID("profile").addEventListener("pointerdown", (event) => { if (event.pointerType === "touch") this.touch(event); });
        byID("profile").addEventListener("pointerup", (event) => {
            const graph = event.pointerType === "touch" && this.overview.hasTrack ? this.graphAt(event.target) : null;
            if (graph) this.seek(this.timeAt(graph, event.clientX));
        });
    }

    clear() { if (!this.overview.hasTrack) this.redraw(); }

    redraw() { this.drawnVersion = -1; }

    graphAt(node) { return this.graphs.find(({ graphDiv }) => graphDiv.contains(node)); }

    timeAt(graph, clientX) { return graph.toDataXCoord(clientX - graph.graphDiv.getBoundingClientRect().left); }

    /** Shows the values at a touch in all graphs. dygraphs shows values only under a mouse. */
    touch({ target, clientX }) {
        const touched = this.graphAt(target);
        if (!touched) return;
        const time = this.timeAt(touched, clientX);
        const distance = (row) => Math.abs(touched.getValue(row, 0) - time);
        let nearest = 0;
        for (let row = 1; row < touched.numRows(); row += 1) if (distance(row) < distance(nearest)) nearest = row;
        for (const graph of this.graphs) graph.setSelection(nearest, undefined, false, true);
    }

    chartStyle() {
        return {
            colors: [colours.accent], gridLineColor: colours.line, axisLineColor: colours.line, highlightCircleSize: 4,
            fillAlpha: 0.18, strokeWidth: 1.5, axisLabelFontSize: 10, gridLineWidth: 1,
        };
    }

    createGraph(kind, rows) {
        const name = (time) => clockTime(time, 0);
        const value = (number) => `${fixed(number, kind.digits)} ${unitOf(kind.quantity)}`;
        return new this.library(byID(kind.id), rows, {
            ...this.chartStyle(), labels: ["Time", kind.label], customBars: true, connectSeparatedPoints: false, legend: "never",
            xRangePad: 4, valueRange: this.range(rows, kind), underlayCallback: (context, area, graph) => this.shade(context, area, graph),
            axes: {
                x: { valueFormatter: name, axisLabelWidth: 52, ticker: timeTicks },
                y: { axisLabelWidth: 44, ticker: roundTicks },
            },
            highlightCallback: (_, time, points) => {
                byID(`${kind.id}-value`).textContent = points.length > 0 ? `${value(points[0].yval)} at ${name(time)}` : "";
            },
            unhighlightCallback: () => { byID(`${kind.id}-value`).textContent = ""; },
            clickCallback: (_, time) => { if (this.overview.hasTrack) this.seek(time); },
            drawCallback: (graph) => this.placeCursor(graph),
        });
    }

    /** Moves the cursor of a recording to the playback position. A veil covers the part that has not been played yet. */
    placeCursor(graph) {
        const area = graph.getArea();
        graph.cursor ??= graph.graphDiv.appendChild(element("div", { class: "graph-cursor" }));
        const x = Math.min(Math.max(graph.toDomXCoord(this.source.clock.now), area.x), area.x + area.w);
        show(graph.cursor, this.overview.hasTrack);
        Object.assign(graph.cursor.style, { left: `${x}px`, top: `${area.y}px`, width: `${area.x + area.w - x}px`, height: `${area.h}px` });
    }

    /** Shades the time during which the position source was unavailable. */
    shade(context, area, graph) {
        context.fillStyle = colours["bad-wash"];
        for (const [from, to] of this.overview.hasTrack ? this.overview.gaps : this.source.spans) {
            const left = Math.max(area.x, graph.toDomXCoord(from));
            const end = this.overview.hasTrack ? to : Math.min(to, this.source.clock.now);
            const right = Math.min(area.x + area.w, graph.toDomXCoord(end));
            if (right > left) context.fillRect(left, area.y, right - left, area.h);
        }
    }

    /** Returns rows of time and [low, value, high]. A gap in the track is a row without values. */
    rows({ key, accuracy, least, quantity }) {
        const { points } = this.overview.hasTrack ? this.overview.track : this.track;
        const every = Math.max(1, Math.ceil(points.length / maximumRows));
        const rows = [];
        points.forEach((point, index) => {
            if (point.broken && rows.length > 0) rows.push([point.t - 0.001, [NaN, NaN, NaN]]);
            if (index % every !== 0 && index !== points.length - 1 && !point.broken) return;
            const value = converted(point[key], quantity);
            if (!isKnown(value)) return rows.push([point.t, [NaN, NaN, NaN]]);
            const uncertainty = isKnown(point[accuracy]) ? converted(point[accuracy], quantity) : 0;
            rows.push([point.t, [Math.max(least ?? -Infinity, value - uncertainty), value, value + uncertainty]]);
        });
        // While the source is unavailable, the chart continues without values.
        if (this.source.error !== null && !this.overview.hasTrack) rows.push([Math.max(this.source.clock.now, rows.at(-1)[0] + 0.001), [NaN, NaN, NaN]]);
        return rows;
    }

    /** Returns the range of the values, extended by their accuracy as far as the values remain readable. */
    range(rows, { least, narrowest }) {
        let [low, high, uncertainty] = [Infinity, -Infinity, 0];
        for (const [, [from, value]] of rows) {
            if (!(value >= low)) low = Number.isFinite(value) ? value : low;
            if (!(value <= high)) high = Number.isFinite(value) ? value : high;
            if (value - from > uncertainty) uncertainty = value - from;
        }
        if (low > high) return [0, narrowest];
        const span = Math.max(high - low, narrowest);
        const padding = Math.min(uncertainty, span * 0.7) + span * 0.08;
        const middle = (low + high - span) / 2;
        const bottom = least === undefined ? -Infinity : least - span * 0.04;
        return [Math.max(bottom, Math.min(low, middle) - padding), Math.max(high, middle + span) + padding];
    }

    draw() {
        for (const graph of this.graphs) this.placeCursor(graph);
        const hasOverview = this.overview.hasTrack;
        const version = hasOverview ? `overview ${this.overview.version}` : this.track.version;
        if (!this.library || (this.drawnVersion === version && (hasOverview || this.source.error === null))) return;
        const hasLine = hasOverview || this.track.points.length > 1;
        show(byID("profile"), hasLine);
        if (!hasLine) return;
        const time = performance.now();
        // An invisible graph has no size, so dygraphs would assume a default size.
        if (time - this.drawnAt < interval || byID("profile").clientWidth === 0) return;
        this.drawnAt = time;
        this.drawnVersion = version;
        kinds.forEach((kind, index) => {
            const rows = this.rows(kind);
            if (!this.graphs[index]) this.graphs[index] = this.createGraph(kind, rows);
            // The user's zoom is kept.
            else this.graphs[index].updateOptions({ file: rows, valueRange: this.range(rows, kind) });
        });
    }
}
