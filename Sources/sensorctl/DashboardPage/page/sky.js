// SPDX-License-Identifier: Apache-2.0

// The positions and signal strengths of satellites, drawn as by `sensorctl plot` (SkyChart.swift): each system has a color,
// satellites in use are filled circles, and a larger circle is a stronger signal.

import { byID, element, setText, shape, show } from "./dom.js";
import { fixed, isKnown } from "./format.js";

/** The systems in the order of the legend, with the letter and the color of each. */
const systems = {
    GPS: ["G", "gps"], GLONASS: ["R", "glonass"], Galileo: ["E", "galileo"], BeiDou: ["C", "beidou"], QZSS: ["J", "regional"],
    NavIC: ["I", "regional"], SBAS: ["S", "sbas"],
};
/** The strongest signal that a bar shows, in dB-Hz. */
const strongest = 55;
const maximumSatellites = 160;
const fontSize = 8.5;

const colour = (system) => (Object.hasOwn(systems, system ?? "") ? `--system: var(--${systems[system][1]})` : "--system: var(--ink)");
const size = (strength) => (strength > 0 ? 3 + Math.max(0, Math.min(1, (strength - 15) / 35)) * 4.2 : 3);
const frame = (x, y, width, height) => ({ x, y, width, height });
const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function point({ azimuth, elevation }) {
    const angle = azimuth * Math.PI / 180;
    const radius = 100 * (90 - Math.min(90, elevation)) / 90;
    return [Math.sin(angle) * radius, -Math.cos(angle) * radius];
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
        const visible = list.filter(({ azimuth, elevation }) => isKnown(azimuth) && isKnown(elevation) && elevation >= 0)
            .sort((a, b) => Number(Boolean(a.used)) - Number(Boolean(b.used)));
        this.symbolGroup.replaceChildren(...this.symbols(visible), ...this.names(visible.reverse()));
        this.bars(list);
    }

    /** Draws satellites in use last, so that they are on top. */
    symbols(list) {
        return list.map((satellite) => {
            const [x, y] = point(satellite);
            return shape("g", {
                class: satellite.used ? "satellite used" : "satellite", style: colour(satellite.system),
                transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
            }, shape("circle", { r: size(satellite.snr) }), shape("title", {}, this.name(satellite)));
        });
    }

    /** Draws each name beside its satellite, where it overlaps no other name or satellite. Names without such a place are omitted. */
    names(list) {
        const occupied = list.map((satellite) => {
            const [[x, y], radius] = [point(satellite), size(satellite.snr)];
            return frame(x - radius, y - radius, 2 * radius, 2 * radius);
        });
        for (const y of [-66.7, -33.3]) occupied.push(frame(2, y, 15, 10));
        for (const [x, y] of [[0, -108], [109, 0], [0, 109], [-109, 0]]) occupied.push(frame(x - 6, y - 6, 12, 12));
        return list.flatMap((satellite) => {
            const text = String(satellite.id ?? "").slice(0, 4);
            const [x, y] = point(satellite);
            const [width, gap] = [text.length * fontSize * 0.64, size(satellite.snr) + 2];
            const free = [[gap, -4], [-gap - width, -4], [-width / 2, -gap - 8], [-width / 2, gap], [gap * 0.7, -gap - 6],
                [gap * 0.7, gap - 2], [-gap * 0.7 - width, -gap - 6], [-gap * 0.7 - width, gap - 2]]
                .map(([dx, dy]) => frame(x + dx, y + dy, width, 8)).find((one) => !occupied.some((other) => overlap(one, other)));
            if (!free) return [];
            occupied.push(free);
            return [shape("text", { class: "satellite-name", x: free.x, y: free.y + 4 }, text)];
        });
    }

    name(satellite) {
        const level = isKnown(satellite.snr) && satellite.snr > 0 ? `${fixed(satellite.snr, 0)} dB-Hz` : "no signal";
        return `${satellite.system ?? ""} ${satellite.id ?? ""}: ${level}, ${satellite.used ? "used" : "not used"}`;
    }

    bars(list) {
        const groups = new Map(Object.keys(systems).map((system) => [system, []]));
        for (const satellite of list) {
            const system = String(satellite.system ?? "Other");
            if (!groups.has(system)) groups.set(system, []);
            groups.get(system).push(satellite);
        }
        byID("signals").replaceChildren(...[...groups].filter(([, satellites]) => satellites.length > 0).map(([system, satellites]) => element(
            "div", { class: satellites.length > 9 ? "system many" : "system", style: colour(system) },
            element("div", { class: "system-name" }, element("span", { class: "system-mark", "aria-hidden": "true" }),
                element("span", {}, [systems[system]?.[0], system].filter(Boolean).join(" ")),
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

    /** Dims the panel if the report is outdated or the position source is unavailable. */
    draw(now, source) {
        if (this.latest) byID("panel-sky").classList.toggle("old", source.error !== null || now - this.latest.t > 15);
    }
}
