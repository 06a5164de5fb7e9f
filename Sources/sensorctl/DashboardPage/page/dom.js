// SPDX-License-Identifier: Apache-2.0

// DOM elements. Data from the server is set as text and never as markup, because an accessory may have any name.

export const byID = (id) => document.getElementById(id);

/** Escapes invisible characters, such as control characters and bidirectional controls. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
export const visible = (text) => String(text).replace(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

function apply(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === true) node.setAttribute(name, "");
        else if (value !== false && value != null) node.setAttribute(name, String(value));
    }
    node.append(...children.filter((child) => child != null).map((child) => (child instanceof Node ? child : visible(child))));
    return node;
}

/** Creates an HTML element. Children are nodes or strings. */
export function element(name, attributes = {}, ...children) {
    return apply(document.createElement(name), attributes, children);
}

/** Creates an SVG element. */
export function shape(name, attributes = {}, ...children) {
    return apply(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/** Sets the text only if it differs, to avoid an unnecessary layout. */
export function setText(node, text) {
    const shown = visible(text);
    if (node.textContent !== shown) node.textContent = shown;
}

export function setAttribute(node, name, value) {
    const text = String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

export function show(node, shown) {
    if (node.hidden === shown) node.hidden = !shown;
}

/** Loads a script. The promise resolves after the script has run. */
export function loadScript(address) {
    return new Promise((resolve, reject) => {
        const script = element("script", { src: address });
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${address} could not be loaded`));
        document.head.append(script);
    });
}

export function loadStyle(address) {
    document.head.prepend(element("link", { rel: "stylesheet", href: address }));
}

/** Adapts a canvas to the screen resolution and clears it. Returns its context in CSS pixels, or null while it has no size. */
export function prepareCanvas(canvas) {
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return null;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
}
