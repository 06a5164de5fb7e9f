// SPDX-License-Identifier: Apache-2.0

// Keyboard shortcuts. A control that uses a key itself takes precedence.

import { byID } from "./dom.js";
import { nextTheme } from "./theme.js";

/** Returns true if the element uses the key itself. For example, the space bar presses a button, and arrow keys move a map. */
function takes(target, key) {
    if (key === "Home" && target.closest("#traffic, .events")) return true;
    if (target.closest("#map, #traffic, .events, dialog")) return key.startsWith("Arrow") || key === " " || key === "+" || key === "-";
    if (target.matches("select, textarea, input[type=text], input[type=number]")) return true;
    if (target.matches("button, summary, input[type=checkbox], a")) return key === " " || key === "Enter";
    return false;
}

export function startKeyboard(playback, map) {
    const help = byID("help");
    const commands = {
        " ": () => playback.toggle(), k: () => playback.toggle(),
        ArrowRight: (event) => playback.move(event.shiftKey ? 30 : 5),
        ArrowLeft: (event) => playback.move(event.shiftKey ? -30 : -5),
        Home: () => playback.seek(0), ".": () => playback.step(),
        "+": () => playback.change(1), "=": () => playback.change(1), "-": () => playback.change(-1),
        l: () => byID("loop").click(), f: () => map.follow(!map.follows), a: () => map.fit(), t: () => nextTheme(),
        "?": () => (help.open ? help.close() : help.showModal()),
    };
    const ofTrace = new Set([" ", "k", "ArrowRight", "ArrowLeft", "Home", ".", "+", "=", "-", "l"]);
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (takes(event.target, event.key) || (help.open && event.key !== "?")) return;
        const command = commands[event.key];
        if (!command || (ofTrace.has(event.key) && (byID("transport").hidden || !playback.may))) return;
        event.preventDefault();
        command(event);
    });
    byID("help-open").addEventListener("click", () => help.showModal());
    byID("help-close").addEventListener("click", () => help.close());
    // Escape, or a click elsewhere, closes the menu of faults.
    const faults = byID("faults");
    addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !faults.open) return;
        faults.open = false;
        faults.querySelector("summary").focus();
    });
    addEventListener("pointerdown", (event) => { if (!faults.contains(event.target)) faults.open = false; });
}
