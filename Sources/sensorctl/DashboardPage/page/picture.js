// SPDX-License-Identifier: Apache-2.0

// Saves the view as a picture. A copy of the page is drawn as an SVG image with its styles and canvases, without requests.

import { element } from "./dom.js";

/** The maximum width and height of a canvas that all browsers support, in pixels. */
const maximumSize = 16000;
/** The height of the heading (.picture-head), in pixels. */
const headHeight = 36;
const controls = "button, select, summary, input, .tools, .leaflet-control-zoom, .check, .leaflet-tile-pane, script";

/** Returns a canvas with all visible panels. `title` and `about` are drawn above them. */
async function picture(title, about) {
    const body = copy(document.body);
    const head = element("header", { class: "picture-head" }, element("h1", {}, title), element("span", { class: "quiet" }, about));
    const main = body.querySelector("main");
    body.replaceChildren(head, main);
    for (const control of body.querySelectorAll(controls)) control.remove();
    const width = document.documentElement.clientWidth;
    const height = document.querySelector("main").offsetHeight + headHeight;
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("\n");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.dataset.theme = document.documentElement.dataset.theme;
    const frame = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
    frame.setAttribute("width", "100%");
    frame.setAttribute("height", "100%");
    frame.append(element("style", {}, rules), body);
    svg.append(frame);
    // XML does not allow control characters and unpaired surrogates.
    const text = new XMLSerializer().serializeToString(svg).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, "");
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const scale = Math.min(2, maximumSize / Math.max(width, height));
    const canvas = element("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
}

/** Copies an element. Canvases become images, and lists show the same lines as on the page. */
function copy(node) {
    const twin = node.cloneNode(true);
    const originals = node.querySelectorAll("*");
    const copies = twin.querySelectorAll("*");
    originals.forEach((original, index) => {
        const own = copies[index];
        own.removeAttribute("title");
        own.removeAttribute("aria-label");
        // The size of the map depends on the height of the window, which the image does not know.
        if (original.id === "map" || original.tagName === "CANVAS") {
            own.style.width = `${original.offsetWidth}px`;
            own.style.height = `${original.offsetHeight}px`;
        }
        if (original.tagName === "CANVAS") {
            const still = element("img", { src: original.toDataURL(), style: own.getAttribute("style"), id: original.id, class: original.className });
            still.style.display = "block";
            own.replaceWith(still);
        } else if (original.scrollTop > 0 && own.firstElementChild) {
            own.firstElementChild.style.marginTop = `-${original.scrollTop}px`;
            own.style.overflow = "hidden";
        }
    });
    return twin;
}

/** Saves a picture of the view as a PNG file. */
export async function savePicture(name, title, about) {
    const canvas = await picture(title, about);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    const link = element("a", { href: URL.createObjectURL(blob), download: `${name.replace(/[^\p{L}\p{N}.-]+/gu, "-")}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
