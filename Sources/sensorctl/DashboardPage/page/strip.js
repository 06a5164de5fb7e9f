// SPDX-License-Identifier: Apache-2.0

// A strip chart of the last minute of a channel, with a line for each axis. Lines end in the letter of their axis, so that they
// can be distinguished without color. The x, y and z axes are red, green and blue, as in the picture of the attitude.

import { element, prepareCanvas, setAttribute, setText, shape, show } from "./dom.js";
import { age, clockTime, reading, unitName } from "./format.js";
import { History } from "./history.js";
import { Columns } from "./columns.js";
import { Scale } from "./scale.js";
import { colours } from "./theme.js";

/** The line styles of the axes. Rotations have the color of the axis about which the device rotates. */
const pens = {
    x: { colour: "axis-x" }, y: { colour: "axis-y" }, z: { colour: "axis-z" }, w: { colour: "ink" },
    pitch: { colour: "axis-x" }, roll: { colour: "axis-y" }, yaw: { colour: "axis-z" },
    true: { colour: "second", dash: [7, 3] },
};
const penOf = (name) => ({ colour: "accent", dash: [], ...pens[name] });
/** The time covered by a chart, in seconds, as long as there are fewer readings. The columns are computed for these spans. */
const spans = [5, 10, 20, 40];

export const margin = { left: 40, right: 12, top: 6, bottom: 15 };
const fixedRanges = { heading: [0, 360, 90], attitude: [-1, 1, 1], angles: [-180, 180, 90] };
/** The number of seconds without a reading after which values are marked as old. */
const oldAfter = 2;

export class Strip {
    constructor(channel, seconds) {
        this.channel = channel;
        this.history = new History(channel, seconds);
        this.scale = new Scale(channel.unit, fixedRanges[channel.name]);
        // The accuracy of a heading is drawn as a band around the heading, not as a line.
        this.band = channel.name === "heading" ? channel.axes.indexOf("accuracy") : -1;
        this.lines = channel.axes.map((_, axis) => axis).filter((axis) => axis !== this.band);
        this.columns = null;
        this.changed = true;
        this.build();
    }

    build() {
        const { channel } = this;
        this.figures = channel.axes.map(() => element("span", { class: "value" }, "–"));
        this.note = element("span", { class: "quiet strip-note" });
        const legend = element("div", { class: "strip-legend" }, ...channel.axes.map((axis, index) => element(
            "span", { class: "axis" }, channel.name === "heading" ? sample(axis, index === this.band) : null,
            // If there is only one line, the name of the channel is sufficient.
            element("span", { class: pens[axis] ? `axis-name ${penOf(axis).colour}` : "axis-name" }, channel.axes.length > 1 ? axis : ""),
            this.figures[index])));
        this.canvas = element("canvas", { role: "img" });
        this.node = element(
            "figure", { class: "strip", "data-channel": channel.name, hidden: true },
            element("figcaption", {},
                element("h3", {}, channel.label ?? channel.name, " ", element("span", { class: "unit" }, unitName(channel.unit))),
                this.note),
            element("div", { class: "strip-body" }, this.canvas, legend));
    }

    clear() {
        this.history.clear();
        this.scale.clear();
        this.columns = null;
        this.changed = true;
    }

    add(time, values, offset) {
        if (!this.history.add(time, values, offset)) return;
        this.columns?.add(time, values, offset);
        this.changed = true;
        show(this.node, true);
    }

    /** Updates the values in the legend. Called a few times a second. */
    describe(now, pointed) {
        const { history, channel } = this;
        const values = pointed === null ? history.latest : history.nearest(pointed);
        this.figures.forEach((figure, axis) => setText(figure, reading(values?.[axis], channel.unit)));
        const behind = now - history.knownAt;
        const old = values === null || (pointed === null && behind > Math.max(oldAfter, history.gapAfter));
        this.node.classList.toggle("old", old);
        const text = pointed !== null ? `at ${clockTime(pointed)}`
            : history.count === 0 ? "no reading" : old ? `${age(behind)} old` : `${history.rate.toFixed(history.rate < 10 ? 1 : 0)} Hz`;
        setText(this.note, text);
        setAttribute(this.canvas, "aria-label", `${channel.label ?? channel.name} of the last ${history.seconds} seconds`);
    }

    /** Draws the readings from `from` to `to`. By default, these are the limits of the last minute. */
    draw(now, pointed, { from, to } = { from: now - this.history.seconds, to: now }) {
        const drawing = prepareCanvas(this.canvas);
        if (!drawing) return;
        const { context, width, height } = drawing;
        const inner = Math.max(16, Math.floor(width - margin.left - margin.right));
        const resolution = (spans.find((seconds) => seconds >= to - from) ?? this.history.seconds) / inner;
        if (this.columns?.count !== inner || Math.abs(this.columns.width - resolution) > 1e-9) {
            this.columns = new Columns(this.history, inner, resolution * inner);
        }
        const columns = this.columns;
        const first = Math.floor(from / columns.width);
        const axes = this.band < 0 ? this.lines.length : this.band;
        this.scale.fit(columns.range(first, axes));
        const bottom = height - margin.bottom;
        const span = this.scale.high - this.scale.low || 1;
        const y = (value) => bottom - (value - this.scale.low) / span * (bottom - margin.top);
        const right = margin.left + inner;
        const at = (time) => right - (to - time) / (to - from) * inner;
        const x = (column) => at((column + 0.5) * columns.width);

        this.grid(context, { width, bottom, right, inner, y, at, from, now });
        context.save();
        context.beginPath();
        context.rect(margin.left, margin.top - 3, inner, bottom - margin.top + 6);
        context.clip();
        this.gaps(context, columns, first, x, bottom);
        const { knownAt, gapAfter } = this.history;
        if (now - knownAt > Math.max(oldAfter, gapAfter)) this.hatch(context, Math.max(at(knownAt), margin.left), at(now), bottom, true);
        if (this.band >= 0) this.accuracy(context, columns, first, x, y);
        for (const axis of this.lines) this.line(context, axis, columns, first, x, y);
        if (pointed !== null) {
            context.fillStyle = colours.ink;
            context.fillRect(Math.round(at(pointed)), margin.top, 1, bottom - margin.top);
            const values = this.history.nearest(pointed) ?? [];
            for (const axis of this.lines) if (Number.isFinite(values[axis])) this.dot(context, axis, at(pointed), y(values[axis]));
        }
        context.restore();
        this.letters(context, right, y, bottom);
        this.changed = false;
    }

    dot(context, axis, x, y) {
        context.fillStyle = colours[penOf(this.channel.axes[axis]).colour];
        context.beginPath();
        context.arc(x, y, 3, 0, 2 * Math.PI);
        context.fill();
    }

    grid(context, { width, bottom, right, inner, y, at: position, from, now }) {
        context.font = "10px " + getFont();
        context.textBaseline = "middle";
        context.lineWidth = 1;
        context.textAlign = "right";
        for (const tick of this.scale.ticks()) {
            const at = Math.round(y(tick)) + 0.5;
            context.strokeStyle = tick === 0 ? colours.faint : colours.line;
            stroke(context, margin.left, at, right, at);
            context.fillStyle = colours.quiet;
            context.fillText(this.scale.label(tick), margin.left - 5, Math.min(at, bottom - 2));
        }
        context.textAlign = "center";
        context.textBaseline = "alphabetic";
        context.strokeStyle = colours.line;
        const step = [1, 2, 5, 10, 20, 30].find((seconds) => (now - from) / seconds <= (inner > 300 ? 4 : 2)) ?? 30;
        for (let before = 0; before <= now - from + 1e-6; before += step) {
            const at = Math.round(position(now - before)) + 0.5;
            stroke(context, at, bottom, at, bottom + 4);
            context.fillText(before === 0 ? "now" : `\u2212${before} s`, at, bottom + 13);
        }
    }

    /** Draws hatching where readings are missing. */
    gaps(context, columns, first, x, bottom) {
        const axis = this.lines[0];
        columns.walk(axis, first, this.history.gapAfter, () => {}, (from, to) => this.hatch(context, x(from) + 1, x(to) - 1, bottom));
    }

    /** Hatches a time span. A span that has not ended is also shaded. */
    hatch(context, left, right, bottom, isShaded = false) {
        const tall = bottom - margin.top;
        context.save();
        context.beginPath();
        context.rect(left, margin.top, right - left, tall);
        context.clip();
        context.fillStyle = colours["bad-wash"];
        if (isShaded) context.fillRect(left, margin.top, right - left, tall);
        context.strokeStyle = colours.faint;
        context.lineWidth = 1;
        context.beginPath();
        for (let offset = -tall; offset < right - left + tall; offset += 6) {
            context.moveTo(left + offset, bottom);
            context.lineTo(left + offset + tall, margin.top);
        }
        context.stroke();
        context.restore();
    }

    line(context, axis, columns, first, x, y) {
        const pen = penOf(this.channel.axes[axis]);
        const wraps = this.channel.unit === "deg";
        let last = 0;
        context.beginPath();
        columns.walk(axis, first - 1, this.history.gapAfter, (column, low, high, joined) => {
            const at = x(column);
            // The end that is nearer to the previous column is drawn first, which avoids spikes.
            const near = Math.abs(low - last) <= Math.abs(high - last) ? low : high;
            const far = near === low ? high : low;
            if (joined && !(wraps && Math.abs(near - last) > 180)) context.lineTo(at, y(near));
            else context.moveTo(at, y(near));
            // If a heading passes north, or another angle 180 degrees, the line is interrupted. Otherwise, it would cross the whole chart.
            if (wraps && high - low > 180) context.moveTo(at, y(far));
            else if (far !== near) context.lineTo(at, y(far));
            else if (!joined) context.lineTo(at + 0.75, y(near));
            last = far;
        });
        context.strokeStyle = colours[pen.colour];
        context.lineWidth = 1.4;
        context.lineJoin = "round";
        context.setLineDash(pen.dash);
        context.stroke();
        context.setLineDash([]);
    }

    accuracy(context, columns, first, x, y) {
        const centre = this.channel.axes.includes("true") && this.history.latest && Number.isFinite(this.history.latest[1]) ? 1 : 0;
        const widths = new Map();
        columns.walk(this.band, first - 1, this.history.gapAfter, (column, _, high) => widths.set(column, high));
        context.fillStyle = colours["accent-wash"];
        columns.walk(centre, first - 1, this.history.gapAfter, (column, low, high) => {
            const wide = widths.get(column);
            if (!(wide >= 0)) return;
            // Near north, a column may have readings at both ends of the axis. If the band extends beyond north, that part is
            // drawn at the other end.
            const [from, to] = high - low > 180 ? [high - wide, low + 360 + wide] : [low - wide, high + wide];
            for (const turn of [-360, 0, 360]) {
                const top = y(to + turn);
                context.fillRect(x(column) - 0.5, top, 1.2, y(from + turn) - top);
            }
        });
    }

    /** Draws the letters of the axes at the ends of their lines. Letters that would overlap are drawn one below the other. */
    letters(context, right, y, bottom) {
        if (this.history.count === 0 || this.lines.length === 1) return;
        const latest = this.history.latest;
        const ends = this.lines.filter((axis) => Number.isFinite(latest[axis]))
            .map((axis) => ({ axis, at: y(latest[axis]) })).sort((a, b) => a.at - b.at);
        let free = margin.top + 4;
        for (const end of ends) free = (end.at = Math.max(end.at, free)) + 11;
        for (let index = ends.length - 1, limit = bottom - 2; index >= 0; index -= 1, limit -= 11) {
            ends[index].at = Math.min(ends[index].at, limit);
        }
        context.font = "600 10px " + getFont();
        context.textAlign = "left";
        context.textBaseline = "middle";
        for (const { axis, at } of ends) {
            context.fillStyle = colours[penOf(this.channel.axes[axis]).colour];
            context.fillText(this.channel.axes[axis].slice(0, 1), right + 3, at);
        }
    }
}

function stroke(context, x1, y1, x2, y2) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
}

let font = null;
const getFont = () => font ??= getComputedStyle(document.body).fontFamily;

/** Returns a sample of an axis's line for the legend. */
function sample(axis, isBand) {
    if (isBand) return element("span", { class: "sample band", "aria-hidden": "true" });
    const pen = penOf(axis);
    return shape("svg", { class: `sample sample-${pen.colour}`, viewBox: "0 0 18 6", "aria-hidden": "true" },
        shape("line", { x1: 0, y1: 3, x2: 18, y2: 3, "stroke-dasharray": pen.dash.join(" ") || "none" }));
}
