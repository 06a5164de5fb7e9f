// SPDX-License-Identifier: Apache-2.0

// The units of lengths and speeds. The user's choice is stored in the browser. The default is the server's setting.

import { byID, setText } from "./dom.js";
import { fixed, isKnown, unknown } from "./format.js";

const foot = 0.3048;
const mile = 1609.344;
const nauticalMile = 1852;
/** For each quantity, the unit and the factor that converts metres or metres per second to the unit. */
const systems = {
    metric: { speed: ["km/h", 3.6], height: ["m", 1], distance: ["km", 1 / 1000] },
    imperial: { speed: ["mph", 3600 / mile], height: ["ft", 1 / foot], distance: ["mi", 1 / mile] },
    nautical: { speed: ["kn", 3600 / nauticalMile], height: ["ft", 1 / foot], distance: ["NM", 1 / nauticalMile] },
};
const key = "dashboard-units";
const listeners = [];
let chosen = null;
let current = "metric";

/** Returns the unit of a quantity: "speed", "height" or "distance". */
export const unitOf = (quantity) => systems[current][quantity][0];

/** Converts metres or metres per second to the unit of the quantity. */
export const converted = (value, quantity) => (isKnown(value) ? value * systems[current][quantity][1] : value);

/** Formats a length in metres or feet, or in the unit of distances if it is at least one kilometre or mile. */
export function length(metres) {
    if (!isKnown(metres)) return unknown;
    const far = converted(metres, "distance");
    return far < 1 ? `${fixed(converted(metres, "height"), 0)} ${unitOf("height")}` : `${fixed(far, far < 100 ? 1 : 0)} ${unitOf("distance")}`;
}

/** Calls `handler` after each change of the units. */
export const onUnits = (handler) => listeners.push(handler);

/** Shows the units that the user has chosen, or else the server's default. */
export function startUnits(preset) {
    try { chosen ??= localStorage.getItem(key); } catch { /* Storage is not available. */ }
    current = [chosen, preset].find((name) => Object.hasOwn(systems, name ?? "")) ?? "metric";
    byID("units").value = current;
    for (const node of document.querySelectorAll("[data-unit]")) setText(node, unitOf(node.dataset.unit));
    for (const handler of listeners) handler();
}

byID("units").addEventListener("change", ({ target }) => {
    chosen = target.value;
    try { localStorage.setItem(key, chosen); } catch { /* Storage is not available. */ }
    startUnits();
});

/** Adds a scale bar in the current units to a Leaflet map. */
export function addScaleBar(leaflet, map) {
    const Nautical = leaflet.Control.Scale.extend({
        _updateMetric(maximum) {
            const miles = maximum / nauticalMile;
            const power = 10 ** Math.floor(Math.log10(miles));
            const rounded = [5, 2, 1].find((head) => head * power <= miles) * power;
            this._updateScale(this._mScale, `${Number(rounded.toPrecision(1))} NM`, rounded / miles);
        },
    });
    let bar = null;
    const update = () => {
        bar?.remove();
        const options = { metric: current !== "imperial", imperial: current === "imperial", maxWidth: 120 };
        bar = (current === "nautical" ? new Nautical(options) : leaflet.control.scale(options)).addTo(map);
    };
    update();
    onUnits(update);
}
