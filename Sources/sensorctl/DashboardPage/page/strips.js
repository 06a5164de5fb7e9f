// SPDX-License-Identifier: Apache-2.0

// The strips of all channels. If the pointer is on a strip, all strips show their readings at the time under the pointer.

import { byID, show } from "./dom.js";
import { decodeBatch } from "./decode.js";
import { Strip, margin } from "./strip.js";
import { calm, onTheme } from "./theme.js";

/** The interval between drawings in milliseconds. It is slightly shorter than two frames of the screen. */
const interval = 30;
const calmInterval = 500;

export class Strips {
    constructor(clock) {
        this.clock = clock;
        this.byID = new Map();
        this.list = [];
        this.visible = new Set();
        this.pointed = null;
        this.described = 0;
        this.drawn = -1;
        this.drawnAt = -Infinity;
        this.body = byID("strips");
        this.observer = new IntersectionObserver((entries) => {
            for (const entry of entries) {
                const strip = this.list.find((strip) => strip.node === entry.target);
                if (!strip) continue;
                if (entry.isIntersecting) this.visible.add(strip); else this.visible.delete(strip);
                strip.changed = true;
            }
        }, { rootMargin: "150px" });
        // While a trace is paused, only a resize causes a redraw.
        this.sizes = new ResizeObserver((entries) => {
            const canvases = new Set(entries.map(({ target }) => target));
            for (const strip of this.list) strip.changed ||= canvases.has(strip.canvas);
        });
        const all = () => this.list.forEach((strip) => { strip.changed = true; });
        onTheme(all);
        this.body.addEventListener("pointermove", (event) => this.point(event));
        this.body.addEventListener("pointerleave", () => { this.pointed = null; all(); });
    }

    /** Creates the strips of a session. Strips of unchanged channels keep their readings. */
    begin(channels, seconds, keep) {
        const known = new Map(this.list.map((strip) => [strip.channel.name, strip]));
        this.byID.clear();
        this.observer.disconnect();
        this.sizes.disconnect();
        this.visible.clear();
        this.list = channels.filter((channel) => channel.name !== "location").map((channel) => {
            const old = known.get(channel.name);
            const same = keep && old && JSON.stringify(old.channel) === JSON.stringify(channel);
            const strip = same ? old : new Strip(channel, seconds);
            this.byID.set(channel.id, strip);
            return strip;
        });
        this.body.replaceChildren(...this.list.map((strip) => strip.node));
        this.list.forEach((strip) => {
            this.observer.observe(strip.node);
            this.sizes.observe(strip.canvas);
        });
    }

    named(name) { return this.list.find((strip) => strip.channel.name === name); }

    clear() { this.list.forEach((strip) => strip.clear()); }

    receive(buffer) {
        let strip = null;
        let newest = -Infinity;
        decodeBatch(buffer, (id) => {
            strip = this.byID.get(id) ?? null;
            return strip?.channel.axes.length ?? null;
        }, (time, values, offset) => {
            strip.add(time, values, offset);
            newest = time;
        });
        this.clock.reached(newest);
    }

    point(event) {
        const canvas = event.target.closest?.("canvas");
        if (!canvas) return;
        const box = canvas.getBoundingClientRect();
        const part = (box.right - margin.right - event.clientX) / (box.width - margin.left - margin.right);
        const seconds = this.list[0]?.history.seconds ?? 60;
        this.pointed = part < 0 || part > 1 ? null : part * seconds;
        this.list.forEach((strip) => { strip.changed = true; });
    }

    /** Draws the visible strips about 30 times a second, because the server sends readings at this rate. */
    draw() {
        const now = this.clock.now;
        const time = performance.now();
        if (time - this.drawnAt >= (calm.matches ? calmInterval : interval)) {
            const moved = now !== this.drawn;
            const pointed = this.pointed === null ? null : now - this.pointed;
            for (const strip of this.visible) if (moved || strip.changed) strip.draw(now, pointed);
            this.drawn = now;
            this.drawnAt = time;
        }
        if (time - this.described < 200) return;
        this.described = time;
        show(byID("panel-strips"), this.list.some((strip) => !strip.node.hidden));
        this.list.forEach((strip) => strip.describe(now, this.pointed === null ? null : now - this.pointed));
    }
}
