// SPDX-License-Identifier: Apache-2.0

// The commands that `doctor` suggests, each as code with a button that copies it.

import { element, setText } from "./dom.js";

const maximumLines = 40;

/** Returns a list of the commands and of the sentences between them, which begin with "# ". */
export function commandList(lines) {
    const remaining = (Array.isArray(lines) ? lines : []).slice(0, maximumLines).map(String);
    const nodes = [];
    while (remaining.length > 0) {
        let text = remaining.shift();
        if (text.startsWith("# ")) {
            nodes.push(note(text.slice(2)));
            continue;
        }
        // A here-document ends at the line with its delimiter.
        const delimiter = /<<'(\w+)'$/.exec(text)?.[1];
        if (delimiter) {
            const end = remaining.indexOf(delimiter) + 1 || remaining.length;
            text = [text, ...remaining.splice(0, end)].join("\n");
        }
        const [command, about] = delimiter ? [text] : text.split(/ {4}# /);
        nodes.push(element("div", { class: "command" }, element("code", {}, ...words(command)), copyButton(command)));
        if (about) nodes.push(note(about));
    }
    return nodes.length > 0 ? element("div", { class: "mend" }, ...nodes) : null;
}

/** Splits a command at its spaces, so that a line does not end at the hyphens of an option. */
const words = (command) => command.split(/(\s+)/).map((word) => (/^\s/.test(word) ? word : element("span", { class: "word" }, word)));

const note = (text) => element("p", { class: "quiet" }, text.charAt(0).toUpperCase() + text.slice(1));

function copyButton(command) {
    const button = element("button", { type: "button", class: "small", "aria-label": `Copy ${command}` }, "Copy");
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(command);
            setText(button, "Copied");
            setTimeout(() => setText(button, "Copy"), 2000);
        } catch {
            // The browser does not permit access to the clipboard. The user can copy the selected text.
            getSelection().selectAllChildren(button.previousElementSibling);
        }
    });
    return button;
}
