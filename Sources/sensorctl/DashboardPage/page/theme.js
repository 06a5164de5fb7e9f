// SPDX-License-Identifier: Apache-2.0

// The light or dark theme, selected by the system or the user. Canvases use the colors of this module.

import { byID, setText } from "./dom.js";

const choices = ["auto", "light", "dark"];
const key = "dashboard-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
let chosen = "auto";

try { chosen = choices.find((name) => name === localStorage.getItem(key)) ?? "auto"; } catch { /* Storage is not available. */ }

/** The colors of the current theme, by their names in the style sheet. */
export const colours = {};
const names = ["ink", "quiet", "faint", "line", "panel", "well", "accent", "accent-wash", "warn", "bad", "bad-wash", "second", "axis-x", "axis-y", "axis-z"];

/** Calls `handler` after each change of the colors. */
export const onTheme = (handler) => listeners.push(handler);

function apply() {
    const displayed = chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen;
    document.documentElement.dataset.theme = displayed;
    const style = getComputedStyle(document.documentElement);
    for (const name of names) colours[name] = style.getPropertyValue(`--${name}`).trim();
    setText(byID("theme-name"), { auto: "Auto", light: "Light", dark: "Dark" }[chosen]);
    byID("theme").title = `Theme: ${chosen}. T changes it.`;
    for (const handler of listeners) handler();
}

export function nextTheme() {
    chosen = choices[(choices.indexOf(chosen) + 1) % choices.length];
    try { localStorage.setItem(key, chosen); } catch { /* Storage is not available. */ }
    apply();
    return chosen;
}

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function startTheme() {
    dark.addEventListener("change", apply);
    byID("theme").addEventListener("click", nextTheme);
    apply();
}
