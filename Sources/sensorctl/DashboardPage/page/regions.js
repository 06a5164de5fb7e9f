// SPDX-License-Identifier: Apache-2.0

// The monitored regions, with their state and the time since its last change. The user can add a region at the current position
// and remove regions.

import { byID, element, setText, show } from "./dom.js";
import { age, isKnown } from "./format.js";
import { length, onUnits } from "./units.js";

/** The radius of a region that is added at the current position, in metres. */
const radius = 100;

export class Regions {
    constructor(track, send) {
        this.track = track;
        this.send = send;
        this.isControllable = false;
        this.clear();
        byID("region-add").addEventListener("click", () => this.add());
        onUnits(() => this.receive({ list: this.list }));
    }

    begin(isControllable) {
        this.isControllable = isControllable;
        show(byID("region-add"), isControllable);
    }

    clear() {
        this.list = [];
        this.since = [];
        byID("region-list").replaceChildren();
        show(byID("panel-regions"), false);
    }

    add() {
        const fix = this.track.latest;
        if (!isKnown(fix?.latitude) || !isKnown(fix?.longitude)) return;
        const names = new Set(this.list.map(({ id }) => id));
        let number = 1;
        while (names.has(`Region ${number}`)) number += 1;
        this.send({ do: "region", add: { id: `Region ${number}`, latitude: fix.latitude, longitude: fix.longitude, radius } });
    }

    receive({ list }) {
        this.list = Array.isArray(list) ? list.slice(0, 100) : [];
        this.since = [];
        byID("region-list").replaceChildren(...this.list.map((region) => this.line(region)));
    }

    line({ id, radius, state, since }) {
        const ago = element("span", { class: "quiet" });
        this.since.push({ since, ago });
        const mark = { inside: "full", outside: "hollow" }[state] ?? "dotted";
        const about = { "aria-label": `Stop monitoring ${id}`, title: "Stop monitoring" };
        const remove = element("button", { type: "button", class: "plain small", ...about }, "×");
        remove.addEventListener("click", () => this.send({ do: "region", remove: id }));
        return element("li", {}, element("span", { class: `mark ${mark}`, "aria-hidden": "true" }),
            element("span", { class: "grow" }, element("b", {}, String(id)), element("span", { class: "quiet" }, ` ${length(radius)}`)),
            element("span", {}, state === "inside" || state === "outside" ? state : "unknown"), ago, this.isControllable ? remove : null);
    }

    draw(now) {
        const fix = this.track.latest;
        show(byID("panel-regions"), this.list.length > 0 || (this.isControllable && isKnown(fix?.latitude)));
        show(byID("no-regions"), this.list.length === 0);
        for (const { since, ago } of this.since) setText(ago, isKnown(since) ? `for ${age(now - since)}` : "");
    }
}
