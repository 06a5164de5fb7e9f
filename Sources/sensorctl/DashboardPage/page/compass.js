// SPDX-License-Identifier: Apache-2.0

// The heading on a compass rose. The needle shows the heading, and the hatched sector shows its accuracy.

import { byID, element, setAttribute, setText, shape, show } from "./dom.js";
import { fixed, isKnown, unknown, windName } from "./format.js";

const point = (degrees, radius) => {
    const angle = degrees * Math.PI / 180;
    return `${(Math.sin(angle) * radius).toFixed(2)} ${(-Math.cos(angle) * radius).toFixed(2)}`;
};

function sector(middle, half, radius) {
    if (half >= 179.5) return `M 0 ${-radius} A ${radius} ${radius} 0 1 1 0 ${radius} A ${radius} ${radius} 0 1 1 0 ${-radius} Z`;
    return `M 0 0 L ${point(middle - half, radius)} A ${radius} ${radius} 0 ${half > 90 ? 1 : 0} 1 ${point(middle + half, radius)} Z`;
}

export class Compass {
    constructor() {
        const rose = byID("rose");
        for (let degrees = 0; degrees < 360; degrees += 10) {
            const long = degrees % 90 === 0 ? 10 : degrees % 30 === 0 ? 7 : 4;
            rose.append(shape("path", { class: "tick", d: `M ${point(degrees, 80)} L ${point(degrees, 80 - long)}` }));
            if (degrees % 30 !== 0) continue;
            const [x, y] = point(degrees, 92).split(" ");
            const name = { 0: "N", 90: "E", 180: "S", 270: "W" }[degrees];
            rose.append(shape("text", { class: name ? "wind" : "number", x, y }, name ?? String(degrees)));
        }
        this.sector = shape("path", { class: "sector" });
        this.magnetic = shape("path", { class: "magnetic", d: "M 0 -62 L 6 -76 L -6 -76 Z" });
        this.needle = shape("g", { class: "needle" },
            shape("path", { class: "north", d: "M 0 -72 L 9 0 L -9 0 Z" }), shape("path", { class: "south", d: "M 0 40 L 6 0 L -6 0 Z" }),
            shape("circle", { r: 3 }));
        rose.append(this.sector, this.magnetic, this.needle);
        this.rose = rose;
        this.clear();
    }

    clear() {
        this.shown = null;
        show(byID("panel-compass"), false);
    }

    /** Draws the latest reading of the heading strip. */
    draw(strip, now) {
        const reading = strip?.history.latest;
        if (!reading) return;
        byID("panel-compass").classList.toggle("old", now - strip.history.knownAt > 3);
        if (this.shown === strip.history.newest) return;
        this.shown = strip.history.newest;
        const [magnetic, trueHeading, accuracy] = reading;
        const isTrue = isKnown(trueHeading) && trueHeading >= 0;
        const heading = isTrue ? trueHeading : magnetic;
        if (!isKnown(heading)) return;
        show(byID("panel-compass"), true);
        const isSure = isKnown(accuracy) && accuracy >= 0;
        setAttribute(this.needle, "transform", `rotate(${heading.toFixed(2)})`);
        this.needle.classList.toggle("unsure", !isSure);
        setAttribute(this.sector, "d", isSure ? sector(heading, Math.min(accuracy, 180), 80) : "");
        this.magnetic.style.display = isTrue && isKnown(magnetic) ? "" : "none";
        if (isKnown(magnetic)) setAttribute(this.magnetic, "transform", `rotate(${magnetic.toFixed(2)})`);
        setText(byID("heading"), fixed(heading, 1));
        setText(byID("heading-wind"), windName(heading));
        setText(byID("heading-kind"), isTrue ? "True" : "Magnetic");
        setText(byID("heading-accuracy"), isSure ? `±${fixed(accuracy, 0)}°` : unknown);
        setText(byID("heading-foot"), isSure ? "The hatched sector is the accuracy of the heading" : "The accuracy is unknown");
        setText(byID("heading-magnetic"), isTrue && isKnown(magnetic) ? `${fixed(magnetic, 1)}°` : unknown);
        show(byID("heading-magnetic").parentElement, isTrue);
        setAttribute(this.rose, "aria-label", `Compass: ${fixed(heading, 0)} degrees, ${isTrue ? "true" : "magnetic"}, `
            + (isSure ? `within ${fixed(accuracy, 0)} degrees` : "accuracy unknown"));
    }
}
