// SPDX-License-Identifier: Apache-2.0

// The positions and signal strengths of satellites. Each system has a shape. Satellites in use have filled shapes.

import { byID, element, setText, shape, show } from "./dom.js";
import { fixed, isKnown } from "./format.js";

const outlines = {
    GPS: "circle", GLONASS: "M -8.5 -8.5 H 8.5 V 8.5 H -8.5 Z", Galileo: "M 0 -10.5 L 10.5 7.5 H -10.5 Z",
    BeiDou: "M 0 -11 L 11 0 L 0 11 L -11 0 Z", QZSS: "M -5 -9.5 H 5 L 10 0 L 5 9.5 H -5 L -10 0 Z",
    SBAS: "M -10 -6.5 H 10 V 6.5 H -10 Z", NavIC: "M 0 -10 L 9.5 -3 L 6 8.5 H -6 L -9.5 -3 Z",
};
/** The strongest signal that a bar shows, in dB-Hz. */
const strongest = 55;
const maximumSatellites = 160;

function mark(system, extra = {}) {
    const outline = outlines[system] ?? "M -8 -8 L 8 -8 L 8 8 L -8 8 Z";
    return outline === "circle" ? shape("circle", { r: 9, ...extra }) : shape("path", { d: outline, ...extra });
}

export class Sky {
    constructor() {
        this.plot = byID("sky");
        this.symbolGroup = shape("g");
        for (const elevation of [0, 30, 60]) {
            this.plot.append(shape("circle", { class: "ring", r: 100 * (90 - elevation) / 90 }));
            if (elevation > 0) {
                this.plot.append(shape("text", { class: "number", x: 3, y: -100 * (90 - elevation) / 90 + 9 }, `${elevation}°`));
            }
        }
        this.plot.append(shape("path", { class: "ring", d: "M -100 0 H 100 M 0 -100 V 100" }));
        for (const [name, x, y] of [["N", 0, -108], ["E", 109, 0], ["S", 0, 109], ["W", -109, 0]]) {
            this.plot.append(shape("text", { class: "wind", x, y }, name));
        }
        this.plot.append(this.symbolGroup);
        this.clear();
    }

    clear() {
        this.latest = null;
        show(byID("panel-sky"), false);
    }

    receive(message) {
        this.latest = message;
        const list = (Array.isArray(message.list) ? message.list : []).slice(0, maximumSatellites);
        show(byID("panel-sky"), true);
        const used = list.filter((satellite) => satellite.used).length;
        setText(byID("sky-count"), `${used} of ${list.length} used`);
        for (const name of ["hdop", "vdop", "pdop"]) setText(byID(name), fixed(message[name], 1));
        this.plot.setAttribute("aria-label", `Sky: ${used} of ${list.length} satellites used`);
        this.symbolGroup.replaceChildren(...this.symbols(list));
        this.bars(list);
    }

    /** Draws satellites in use last, so that they are on top. */
    symbols(list) {
        return list.filter(({ azimuth, elevation }) => isKnown(azimuth) && isKnown(elevation) && elevation >= 0)
            .sort((a, b) => Number(Boolean(a.used)) - Number(Boolean(b.used)))
            .map((satellite) => {
                const angle = satellite.azimuth * Math.PI / 180;
                const radius = 100 * (90 - Math.min(90, satellite.elevation)) / 90;
                const number = String(satellite.id ?? "").replace(/^\D*0*(?=\d)/, "");
                return shape("g", {
                    class: satellite.used ? "satellite used" : "satellite",
                    transform: `translate(${(Math.sin(angle) * radius).toFixed(1)} ${(-Math.cos(angle) * radius).toFixed(1)})`,
                }, mark(satellite.system), shape("text", { y: satellite.system === "Galileo" ? 2 : 0 }, number.slice(0, 3)),
                shape("title", {}, this.name(satellite)));
            });
    }

    name(satellite) {
        const level = isKnown(satellite.snr) && satellite.snr > 0 ? `${fixed(satellite.snr, 0)} dB-Hz` : "no signal";
        return `${satellite.system ?? ""} ${satellite.id ?? ""}: ${level}, ${satellite.used ? "used" : "not used"}`;
    }

    bars(list) {
        const systems = new Map();
        for (const satellite of list) {
            const system = String(satellite.system ?? "Other");
            if (!systems.has(system)) systems.set(system, []);
            systems.get(system).push(satellite);
        }
        byID("signals").replaceChildren(...[...systems].map(([system, satellites]) => element(
            "div", { class: satellites.length > 9 ? "system many" : "system" },
            element("div", { class: "system-name" },
                shape("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, mark(system)),
                element("span", {}, system),
                element("span", { class: "quiet" }, `${satellites.filter((one) => one.used).length}/${satellites.length}`)),
            element("div", { class: satellites.some(({ id }) => /\d{3}/.test(id)) ? "signals long" : "signals" },
                ...satellites.map((one) => this.bar(one))))));
    }

    bar(satellite) {
        const level = isKnown(satellite.snr) ? Math.max(0, Math.min(strongest, satellite.snr)) : 0;
        const fill = element("div", { class: "fill" });
        fill.style.height = `${(level / strongest * 100).toFixed(1)}%`;
        return element("div", { class: satellite.used ? "signal used" : "signal", title: this.name(satellite) },
            element("div", { class: "well" }, fill),
            element("span", { class: "signal-level" }, level > 0 ? fixed(level, 0) : "·"),
            element("span", { class: "signal-name" }, String(satellite.id ?? "").replace(/^\D*0*(?=\d)/, "").slice(0, 3)));
    }

    draw(now) {
        if (this.latest) byID("panel-sky").classList.toggle("old", now - this.latest.t > 15);
    }
}
