// SPDX-License-Identifier: Apache-2.0

// The marks below the timeline, and the time under the pointer.

import { byID, setText, shape, show } from "./dom.js";
import { clockTime, isKnown } from "./format.js";

/** The width of the slider's thumb, in pixels. At the ends of the range, the thumb touches the ends of the slider. */
const thumb = 16;
/** The distance from the pointer within which a mark is named, in pixels. */
const reach = 6;
const maximumNames = 3;

export class Timeline {
    constructor(playback, overview) {
        this.playback = playback;
        this.overview = overview;
        this.slider = byID("timeline");
        this.drawn = "";
        /** The faults that were switched on by hand, as marks. */
        this.faults = [];
        this.slider.addEventListener("pointermove", (event) => this.point(event.clientX));
        for (const name of ["pointerleave", "pointercancel", "blur"]) this.slider.addEventListener(name, () => show(byID("timeline-tip"), false));
        new ResizeObserver(() => { this.drawn = ""; }).observe(this.slider);
    }

    clear() {
        this.faults = [];
        this.drawn = "";
    }

    /** Updates the faults that are switched on, as objects with `id`. */
    setActive(active, time) {
        const on = new Set(active.map(({ id }) => id));
        for (const fault of this.faults) {
            if (fault.end !== Infinity || on.has(fault.text)) continue;
            // After a seek, the end may precede the start.
            fault.end = Math.max(fault.t, time);
        }
        for (const id of on) {
            if (!this.faults.some(({ text, end }) => text === id && end === Infinity)) this.faults.push({ kind: "fault", t: time, end: Infinity, text: id });
        }
    }

    get marks() { return this.overview.marks.concat(this.faults); }

    /** Returns the position of a time on the slider, in pixels. */
    position(time) {
        const width = this.slider.clientWidth;
        return thumb / 2 + Math.min(Math.max(time / this.playback.duration, 0), 1) * (width - thumb);
    }

    draw(now) {
        const duration = this.playback.duration;
        if (!(duration > 0) || this.slider.clientWidth === 0) return;
        const open = this.faults.some(({ end }) => end === Infinity) ? Math.round(this.position(now)) : 0;
        const state = `${this.overview.version} ${this.faults.length} ${open} ${this.slider.clientWidth} ${duration}`;
        if (state === this.drawn) return;
        this.drawn = state;
        const order = ["gap", "fault", "accessory", "region"];
        const marks = this.marks.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
        byID("timeline-marks").replaceChildren(...marks.map((mark) => {
            const x = this.position(mark.t);
            if (!isKnown(mark.end) && mark.end !== Infinity) return shape("path", { class: `mark-${mark.kind}`, d: `M${x.toFixed(1)},0l3.5,7h-7z` });
            const end = this.position(Math.min(mark.end, mark.end === Infinity ? now : duration));
            return shape("rect", { class: `mark-${mark.kind}`, x: x.toFixed(1), width: Math.max(end - x, 2).toFixed(1), y: 0, height: 7 });
        }));
    }

    /** Shows the time and the names of the marks at a position of the pointer. */
    point(clientX) {
        const { duration } = this.playback;
        const box = this.slider.getBoundingClientRect();
        if (!(duration > 0) || box.width <= thumb) return;
        const time = Math.min(Math.max((clientX - box.left - thumb / 2) / (box.width - thumb), 0), 1) * duration;
        const tolerance = reach * duration / (box.width - thumb);
        const names = this.marks.filter(({ t, end }) => time >= t - tolerance && time <= (end ?? t) + tolerance).map(({ t, end, text }) => (
            `${text} ${isKnown(end) ? `${clockTime(t, 0)} to ${clockTime(end, 0)}` : `at ${clockTime(t, 0)}`}`));
        const more = names.length > maximumNames ? [`${names.length - maximumNames} more`] : [];
        setText(byID("timeline-tip"), [clockTime(time, 0), ...names.slice(0, maximumNames), ...more].join("\n"));
        show(byID("timeline-tip"), true);
        const tip = byID("timeline-tip");
        const left = Math.min(Math.max(clientX - box.left - tip.offsetWidth / 2, -box.left + 4), innerWidth - box.left - tip.offsetWidth - 4);
        tip.style.left = `${left}px`;
    }
}
