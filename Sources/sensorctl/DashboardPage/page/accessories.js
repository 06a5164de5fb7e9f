// SPDX-License-Identifier: Apache-2.0

// The accessories, the programs that use them, and their traffic. Names and bytes are untrusted and are shown as text.

import { byID, element, setText, show } from "./dom.js";
import { byteCount, clockTime } from "./format.js";
import { decodeBase64, hexadecimal, printable } from "./decode.js";

const quiet = (text) => element("span", { class: "quiet" }, text);
const arrow = (text) => element("span", { "aria-hidden": "true" }, text);

/** The maximum number of lines of traffic. */
const maximumLines = 200;

export class Accessories {
    constructor() {
        this.lines = byID("traffic");
        byID("traffic-hex").addEventListener("change", (event) => this.lines.classList.toggle("hex", event.target.checked));
        this.clear();
    }

    clear() {
        show(byID("no-accessories"), accessories.length === 0);
        this.names = new Map();
        this.count = 0;
        this.lastTime = -Infinity;
        this.resumeTime = -Infinity;
        this.lines.replaceChildren();
        byID("accessory-list").replaceChildren();
        show(byID("panel-accessories"), false);
        show(byID("traffic-box"), false);
    }

    /** Ignores traffic that the page has shown before the connection was lost. */
    resume() { this.resumeTime = this.lastTime; }

    receive({ list }) {
        const accessories = Array.isArray(list) ? list.slice(0, 64) : [];
        if (accessories.length > 0) show(byID("panel-accessories"), true);
        this.names = new Map(accessories.map((accessory) => [accessory.id, accessory.name]));
        byID("accessory-list").replaceChildren(...accessories.map((accessory) => this.card(accessory)));
    }

    card({ name, manufacturer, model, serial, protocols, connected, received, sent, users }) {
        const about = [manufacturer, model === name ? null : model, serial].filter(Boolean).join(" · ");
        const hasTraffic = received != null || sent != null;
        return element("li", { class: connected ? "accessory" : "accessory gone" },
            element("span", { class: `mark ${connected ? "full" : "hollow"}`, "aria-hidden": "true" }),
            element("div", { class: "accessory-text" },
                element("div", {}, element("b", {}, String(name ?? "")), " ", quiet(connected ? "attached" : "detached")),
                element("div", { class: "quiet" }, about),
                element("div", { class: "tags" },
                    ...(protocols ?? []).slice(0, 8).map((protocol) => element("code", {}, String(protocol)))),
                users?.length > 0 ? element("div", { class: "quiet" }, "used by ", users.map(String).join(", ")) : null),
            hasTraffic ? element("div", { class: "accessory-count" },
                element("div", {}, arrow("← "), byteCount(received), quiet(" in")),
                element("div", {}, arrow("→ "), byteCount(sent), quiet(" out"))) : null);
    }

    traffic({ t, id, direction, bytes, count }) {
        if (t <= this.resumeTime) return;
        this.lastTime = Math.max(this.lastTime, t);
        show(byID("panel-accessories"), true);
        show(byID("traffic-box"), true);
        const data = decodeBase64(bytes);
        const received = direction === "received";
        const rest = count > data.length ? ` … ${count} B` : "";
        const atEnd = this.lines.scrollTop + this.lines.clientHeight >= this.lines.scrollHeight - 8;
        this.lines.append(element("li", { class: received ? "received" : "sent" },
            element("span", { class: "quiet" }, clockTime(t, 2)),
            element("span", { class: "direction", title: received ? "received" : "sent" }, received ? "←" : "→"),
            element("span", { class: "who quiet" }, String(this.names.get(id) ?? id)),
            element("span", { class: "as-text" }, printable(data) + rest),
            element("span", { class: "as-hex" }, hexadecimal(data) + rest)));
        this.count += 1;
        while (this.lines.childElementCount > maximumLines) this.lines.firstChild.remove();
        if (atEnd) this.lines.scrollTop = this.lines.scrollHeight;
        setText(byID("traffic-count"), String(this.count));
    }
}
