// SPDX-License-Identifier: Apache-2.0

// The strips of all channels. If the pointer is on a strip, all strips show their readings at the time under the pointer.

import { byID, show } from "./dom.js";
import { decodeBatch } from "./decode.js";
import { angles } from "./cube.js";
import { Strip, margin } from "./strip.js";
import { calm, onTheme } from "./theme.js";

/** The interval between drawings in milliseconds. It is slightly shorter than two frames of the screen. */
const interval = 30;
const calmInterval = 500;
/** The minimum time that the charts cover, in seconds. */
const shortest = 5;

/** The angles that are calculated from the quaternions of the channel `attitude`. */
const anglesChannel = { name: "angles", label: "Attitude", unit: "deg", axes: ["roll", "pitch", "yaw"] };

export class Strips {
    constructor(clock) {
        this.clock = clock;
        this.byID = new Map();
        this.list = [];
        this.visible = new Set();
        this.pointed = null;
        this.describedAt = 0;
        this.drawnTime = -1;
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
        const markAllChanged = () => this.list.forEach((strip) => { strip.changed = true; });
        onTheme(markAllChanged);
        for (const type of ["pointermove", "pointerdown"]) this.body.addEventListener(type, (event) => this.point(event));
        // After a touch, the values are shown until the user touches another part of the page.
        const endPointing = () => { this.pointed = null; markAllChanged(); };
        this.body.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") endPointing(); });
        document.addEventListener("pointerdown", ({ target }) => { if (!target.closest?.("#strips canvas")) endPointing(); });
        byID("quaternion").addEventListener("change", ({ target }) => this.body.classList.toggle("quaternion", target.checked));
    }

    /** Creates the strips of a session. Strips of unchanged channels keep their readings. */
    begin(channels, seconds, keep) {
        const known = new Map(this.list.map((strip) => [strip.channel.name, strip]));
        this.byID.clear();
        this.observer.disconnect();
        this.sizes.disconnect();
        this.visible.clear();
        const find = (channel) => {
            const old = known.get(channel.name);
            const isUnchanged = keep && old && JSON.stringify(old.channel) === JSON.stringify(channel);
            return isUnchanged ? old : new Strip(channel, seconds);
        };
        this.list = channels.filter((channel) => channel.name !== "location").flatMap((channel) => {
            const strip = find(channel);
            this.byID.set(channel.id, strip);
            return channel.name === "attitude" ? [find(anglesChannel), strip] : [strip];
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
            if (strip.channel.name === "attitude") {
                const { roll, pitch, yaw } = angles(values.subarray(offset, offset + 4));
                this.named("angles").add(time, [roll, pitch, yaw], 0);
            }
            newest = time;
        });
        this.clock.advanceTo(newest);
    }

    point(event) {
        const canvas = event.target.closest?.("canvas");
        if (!canvas) return;
        const box = canvas.getBoundingClientRect();
        const fraction = (box.right - margin.right - event.clientX) / (box.width - margin.left - margin.right);
        const now = this.clock.now;
        const { from, to } = this.window(now);
        const before = now - to + fraction * (to - from);
        this.pointed = fraction < 0 || fraction > 1 || before < 0 ? null : before;
        this.list.forEach((strip) => { strip.changed = true; });
    }

    /** Returns the time span of the charts: the last minute, or the time since the first reading if it is shorter. */
    window(now) {
        const seconds = this.list[0]?.history.seconds ?? 60;
        const first = Math.min(...this.list.map(({ history }) => (history.count > 0 ? history.times[history.first] : Infinity)));
        const from = Math.max(now - seconds, Math.min(first, now));
        return { from, to: Math.max(now, from + shortest) };
    }

    /** Draws all strips, including those outside the window, for a picture of the view. */
    drawAll() {
        const now = this.clock.now;
        for (const strip of this.list) strip.draw(now, null, this.window(now));
    }

    /** Draws the visible strips about 30 times a second, because the server sends readings at this rate. */
    draw() {
        const now = this.clock.now;
        const time = performance.now();
        if (time - this.drawnAt >= (calm.matches ? calmInterval : interval)) {
            const moved = now !== this.drawnTime;
            const pointed = this.pointed === null ? null : now - this.pointed;
            const span = this.window(now);
            for (const strip of this.visible) if (moved || strip.changed) strip.draw(now, pointed, span);
            this.drawnTime = now;
            this.drawnAt = time;
        }
        if (time - this.describedAt < 200) return;
        this.describedAt = time;
        show(byID("panel-strips"), this.list.some((strip) => !strip.node.hidden));
        this.list.forEach((strip) => strip.describe(now, this.pointed === null ? null : now - this.pointed));
    }
}
