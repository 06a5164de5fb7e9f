// SPDX-License-Identifier: Apache-2.0

// Lists of steps, users of the position, findings of `doctor`, and events.

import { byID, element, setText, show, visible } from "./dom.js";
import { commandList } from "./commands.js";
import { clockTime, fixed, isKnown } from "./format.js";
import { converted, length, onUnits } from "./units.js";

const limited = (list) => (Array.isArray(list) ? list.slice(0, 100) : []);

export class Walk {
    constructor() {
        this.clear();
        onUnits(() => { if (this.latest) this.receive(this.latest); });
    }

    clear() {
        this.latest = null;
        show(byID("panel-walk"), false);
    }

    receive(message) {
        this.latest = message;
        show(byID("panel-walk"), true);
        const figures = {
            steps: [message.steps, String], distance: [message.distance, length],
            cadence: [message.cadence, (steps) => fixed(steps * 60, 0)],
            // Core Motion reports the pace in seconds per metre. The page shows minutes per kilometre or mile.
            pace: [message.pace, (seconds) => clockTime(seconds / converted(1, "distance"), 0)], floors: [message.floors, String],
        };
        for (const [id, [value, text]] of Object.entries(figures)) {
            show(byID(id).closest("div"), isKnown(value));
            if (isKnown(value)) setText(byID(id), text(value));
        }
        setText(byID("activity"), message.activity ? String(message.activity) : "unknown");
        setText(byID("confidence"), message.confidence ? `${message.confidence} confidence` : "");
    }

    draw(now) {
        if (this.latest) byID("panel-walk").classList.toggle("old", now - this.latest.t > 15);
    }
}

export function showUsers({ list }) {
    const users = limited(list);
    show(byID("panel-users"), true);
    show(byID("no-users"), users.length === 0);
    byID("user-list").replaceChildren(...users.map(({ name, pid, wants }) => element("li", {},
        element("span", { class: "grow" }, element("b", {}, String(name ?? "")),
            element("span", { class: "quiet" }, isKnown(pid) ? ` pid ${pid}` : "")),
        wants ? element("span", {}, String(wants)) : null)));
}

const levels = { ok: ["✓", "fine"], note: ["i", "note"], warning: ["!", "warning"], error: ["×", "error"] };

export function showFindings({ findings }) {
    show(byID("panel-doctor"), true);
    const order = ["error", "warning", "note", "ok"];
    const list = limited(findings).sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
    const counts = order.map((level) => [level, list.filter((one) => one.level === level).length]);
    setText(byID("doctor-count"), counts.filter(([, count]) => count > 0)
        .map(([level, count]) => `${count} ${level === "ok" ? "fine" : count === 1 ? level : level + "s"}`).join(", "));
    const item = ({ level, title, text, mend }) => {
        const [sign, word] = levels[level] ?? levels.note;
        return element("li", { class: `finding finding-${levels[level] ? level : "note"}` },
            element("span", { class: "sign", role: "img", "aria-label": word }, sign),
            element("div", {}, element("b", {}, String(title ?? "")),
                text ? element("p", {}, String(text)) : null,
                commandList(mend)));
    };
    const problems = list.filter(({ level }) => level !== "ok");
    const fine = list.filter(({ level }) => level === "ok");
    // The user's choice survives the next check.
    const isOpen = byID("findings-fine")?.open ?? false;
    byID("finding-list").replaceChildren(...problems.map(item), ...(fine.length === 0 ? [] : [element("li", {},
        element("details", { id: "findings-fine", open: isOpen }, element("summary", {}, `${fine.length} fine`),
            element("ul", { class: "list" }, ...fine.map(item))))]));
}

/** The last 100 events, newest first. */
export class Events {
    constructor(clock) {
        this.clock = clock;
        this.list = byID("event-list");
    }

    clear() {
        this.list.replaceChildren();
        show(byID("panel-events"), false);
    }

    add(text, time = this.clock.now, level = "note") {
        show(byID("panel-events"), true);
        const first = this.list.firstChild;
        if (first && first.lastChild.textContent === visible(text)) return setText(first.firstChild, clockTime(time, 1));
        this.list.prepend(element("li", { class: `event-${["warning", "error"].includes(level) ? level : "note"}` },
            element("span", { class: "quiet" }, clockTime(time, 1)), element("span", {}, text)));
        while (this.list.childElementCount > 100) this.list.lastChild.remove();
    }
}
