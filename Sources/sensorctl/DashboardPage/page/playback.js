// SPDX-License-Identifier: Apache-2.0

// The controls for play, pause, step, seek, speed, loop and faults during the playback of a trace. Buttons show the state that
// the server reports.

import { byID, element, setAttribute, setText, show } from "./dom.js";
import { civilTime, clockTime } from "./format.js";

const speeds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];
/** The interval between seeks while the timeline is dragged, in milliseconds. */
const dragging = 200;

export class Playback {
    constructor(clock, send) {
        this.clock = clock;
        this.send = send;
        this.state = { playing: false, speed: 1, loop: false, ended: false, active: [] };
        this.duration = 0;
        this.isControllable = false;
        this.seekAt = 0;
        this.slider = byID("timeline");
        byID("play").addEventListener("click", () => this.toggle());
        byID("step").addEventListener("click", () => this.step());
        byID("begin").addEventListener("click", () => this.seek(0));
        byID("loop").addEventListener("click", () => this.send({ do: "loop", on: !this.state.loop }));
        byID("speed-select").append(...speeds.map((speed) => element("option", { value: speed }, `${speed}×`)));
        byID("speed-select").addEventListener("change", (event) => this.send({ do: "speed", value: Number(event.target.value) }));
        this.slider.addEventListener("input", () => this.drag(false));
        this.slider.addEventListener("change", () => this.drag(true));
    }

    begin(hello, isControllable) {
        const isTrace = hello.mode === "trace";
        this.start = hello.start;
        this.duration = isTrace ? hello.duration ?? 0 : 0;
        this.isControllable = isControllable;
        show(byID("transport"), isTrace);
        this.slider.max = this.duration;
        setText(byID("duration"), clockTime(this.duration, 0));
        this.faults(hello.faults ?? []);
        this.enable(isControllable);
    }

    enable(on) {
        // If the controls are disabled, the timeline can no longer be dragged.
        if (!on) this.dragged = null;
        for (const control of byID("transport").querySelectorAll("button, input, select")) control.disabled = !(on && this.isControllable);
    }

    faults(list) {
        this.boxes = new Map(list.map(({ id }) => [id, element("input", { type: "checkbox", id: `fault-${id}` })]));
        for (const [id, box] of this.boxes) {
            box.addEventListener("change", () => this.send({ do: "fault", fault: id, on: box.checked }, (answer) => {
                if (answer.type === "refused") box.checked = !box.checked;
            }));
        }
        byID("fault-list").replaceChildren(...list.map(({ id, label, about }) => element(
            "label", { class: "fault" }, this.boxes.get(id),
            element("span", {}, element("b", {}, label ?? id), element("span", { class: "quiet" }, about ?? "")))));
        show(byID("faults"), list.length > 0);
    }

    receive(message) {
        this.state = { ...this.state, ...message };
        const { playing, speed, loop, ended, active } = this.state;
        this.clock.set(message.t ?? this.clock.now, playing ? speed : 0);
        setAttribute(byID("play"), "data-state", playing ? "playing" : "paused");
        const word = playing ? "Pause" : ended ? "Play again" : "Play";
        setAttribute(byID("play"), "aria-label", word);
        byID("play").title = `${word} (space)`;
        setAttribute(byID("loop"), "aria-pressed", Boolean(loop));
        this.showSpeed(speed);
        this.timeline?.setActive(active ?? [], message.t ?? this.clock.now);
        const on = new Set((active ?? []).map((fault) => fault.id));
        this.boxes?.forEach((box, id) => { box.checked = on.has(id); });
        setText(byID("fault-count"), on.size > 0 ? String(on.size) : "");
        show(byID("fault-count"), on.size > 0);
        setText(byID("play-state"), playing ? "playing" : ended ? "ended" : "paused");
    }

    showSpeed(speed) {
        const select = byID("speed-select");
        if (!speeds.includes(speed) && Number.isFinite(speed)) {
            select.querySelector(".other")?.remove();
            select.append(element("option", { value: speed, class: "other" }, `${speed}×`));
        }
        if (document.activeElement !== select || Number(select.value) !== speed) select.value = String(speed);
    }

    toggle() {
        // At the end of the trace, the command `play` starts again from the beginning.
        this.send({ do: this.state.playing ? "pause" : "play" });
    }

    step() { this.send({ do: "step", count: 1 }); }

    seek(time) { this.send({ do: "seek", t: Math.max(0, Math.min(this.duration, time)) }); }

    /** Seeks forward, or backward if the number of seconds is negative. */
    move(seconds) { this.seek(this.clock.now + seconds); }

    /** Selects the next or the previous speed in the list. */
    change(by) {
        const off = (speed) => Math.abs(speed - this.state.speed);
        const nearest = speeds.reduce((best, speed) => (off(speed) < off(best) ? speed : best));
        const index = speeds.indexOf(nearest) + by;
        if (index >= 0 && index < speeds.length) this.send({ do: "speed", value: speeds[index] });
    }

    drag(isLast) {
        const now = performance.now();
        this.dragged = isLast ? null : Number(this.slider.value);
        if (!isLast && now - this.seekAt < dragging) return;
        this.seekAt = now;
        this.seek(Number(this.slider.value));
    }

    draw() {
        this.timeline?.draw(this.clock.now);
        const time = this.dragged ?? Math.min(this.clock.now, this.duration || Infinity);
        setText(byID("time"), clockTime(time, 1));
        setText(byID("civil"), civilTime(this.start, time));
        if (this.duration > 0) {
            if (this.dragged == null) this.slider.value = String(time);
            this.slider.style.setProperty("--part", `${(time / this.duration * 100).toFixed(2)}%`);
            setAttribute(this.slider, "aria-valuetext", `${clockTime(time, 0)} of ${clockTime(this.duration, 0)}`);
        }
    }
}
