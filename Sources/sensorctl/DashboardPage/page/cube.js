// SPDX-License-Identifier: Apache-2.0

// The attitude as a rotating board, seen from behind and above. If north is known, it is ahead.

import { byID, prepareCanvas, setText, show } from "./dom.js";
import { fixed } from "./format.js";
import { colours, onTheme } from "./theme.js";

const halfExtents = [0.62, 1, 0.17];
const corners = [];
for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) {
    corners.push([x * halfExtents[0], y * halfExtents[1], z * halfExtents[2]]);
}
/** The corners of each face in order around the face, and the normal vector of the face. */
const faces = [
    { corners: [0, 1, 3, 2], normal: [-1, 0, 0] }, { corners: [4, 6, 7, 5], normal: [1, 0, 0] },
    { corners: [0, 4, 5, 1], normal: [0, -1, 0] }, { corners: [2, 3, 7, 6], normal: [0, 1, 0] },
    { corners: [0, 2, 6, 4], normal: [0, 0, -1] }, { corners: [1, 5, 7, 3], normal: [0, 0, 1] },
];
/** An arrow on the face that points to the top edge. */
const arrow = [[0, 0.72], [0.26, 0.3], [0.1, 0.3], [0.1, -0.45], [-0.1, -0.45], [-0.1, 0.3], [-0.26, 0.3]];
const axes = [
    { name: "x", tip: [1.25, 0, 0] }, { name: "y", tip: [0, 1.5, 0] }, { name: "z", tip: [0, 0, 1.05] },
];
const viewAngle = 28 * Math.PI / 180;

/** Rotates a vector from the device's axes to the reference frame. */
export function rotate([w, x, y, z], [a, b, c]) {
    const tx = 2 * (y * c - z * b);
    const ty = 2 * (z * a - x * c);
    const tz = 2 * (x * b - y * a);
    return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

/** Returns roll, pitch and yaw in degrees. The attitude is Rz(yaw)·Rx(pitch)·Ry(roll). */
export function angles([w, x, y, z]) {
    const degrees = 180 / Math.PI;
    const sine = Math.max(-1, Math.min(1, 2 * (y * z + w * x)));
    const pitch = Math.asin(sine) * degrees;
    if (Math.abs(sine) > 0.99999) return { roll: 0, pitch, yaw: 2 * Math.atan2(z, w) * degrees };
    return {
        roll: Math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)) * degrees,
        pitch,
        yaw: Math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)) * degrees,
    };
}

export class Cube {
    constructor() {
        this.canvas = byID("cube");
        this.frame = "arbitrary";
        this.drawnTime = null;
        onTheme(() => { this.drawnTime = null; });
        new ResizeObserver(() => { this.drawnTime = null; }).observe(this.canvas);
    }

    begin(frame) {
        this.frame = frame ?? "arbitrary";
        this.drawnTime = null;
        setText(byID("attitude-frame"), {
            magnetic: "magnetic north", true: "true north", corrected: "its start, corrected by the magnetometer",
        }[this.frame] ?? "its start");
    }

    /** Draws the latest reading of the attitude strip. */
    draw(strip, now) {
        const quaternion = strip?.history.latest;
        show(byID("panel-attitude"), Boolean(quaternion));
        if (!quaternion || !quaternion.every(Number.isFinite)) return;
        byID("panel-attitude").classList.toggle("old", now - strip.history.newest > 2);
        if (this.drawnTime === strip.history.newest) return;
        this.drawnTime = strip.history.newest;
        const { roll, pitch, yaw } = angles(quaternion);
        setText(byID("roll"), fixed(roll, 1));
        setText(byID("pitch"), fixed(pitch, 1));
        setText(byID("yaw"), fixed(yaw, 1));
        const drawing = prepareCanvas(this.canvas);
        if (drawing) this.paint(drawing, Array.from(quaternion));
    }

    paint({ context, width, height }, quaternion) {
        const size = Math.min(width / 3.5, height / 3);
        const northAhead = this.frame === "magnetic" || this.frame === "true";
        // Converts the vector to the viewer's directions right, ahead and up. If north is ahead, x is ahead and y is left.
        // Otherwise, x is right and y is ahead.
        const toView = ([x, y, z]) => (northAhead ? [-y, x, z] : [x, y, z]);
        const project = (vector) => {
            const [right, ahead, up] = toView(vector);
            const depth = ahead * Math.cos(viewAngle) - up * Math.sin(viewAngle);
            const scale = size * 7 / (7 + depth);
            return [width / 2 + right * scale, height * 0.46 - (up * Math.cos(viewAngle) + ahead * Math.sin(viewAngle)) * scale, depth];
        };
        this.ground(context, project, northAhead);
        const inFrame = (vector) => project(rotate(quaternion, vector));
        const points = corners.map(inFrame);
        const sortedFaces = faces.map((face) => {
            const depth = face.corners.reduce((sum, corner) => sum + points[corner][2], 0) / 4;
            const [, ahead, up] = toView(rotate(quaternion, face.normal));
            return { ...face, depth, light: Math.max(0, up * 0.75 - ahead * 0.4 + 0.35) };
        }).sort((a, b) => b.depth - a.depth);
        const tips = axes.map((axis) => ({ ...axis, end: inFrame(axis.tip) }));
        const origin = project([0, 0, 0]);
        const behind = tips.filter((axis) => axis.end[2] > origin[2]);
        for (const axis of behind) this.axis(context, axis, origin);
        for (const face of sortedFaces) {
            polygon(context, face.corners.map((corner) => points[corner]));
            context.fillStyle = colours.well;
            context.fill();
            context.globalAlpha = 0.10 + 0.16 * (1 - face.light);
            context.fillStyle = colours.ink;
            context.fill();
            context.globalAlpha = 1;
            context.strokeStyle = colours.ink;
            context.lineWidth = 1;
            context.lineJoin = "round";
            context.stroke();
            if (face.normal[2] === 1 && facing(face.corners.map((corner) => points[corner]))) {
                polygon(context, arrow.map(([x, y]) => inFrame([x, y, halfExtents[2]])));
                context.fillStyle = colours.accent;
                context.fill();
            }
        }
        for (const axis of tips.filter((axis) => axis.end[2] <= origin[2])) this.axis(context, axis, origin);
    }

    ground(context, project, northAhead) {
        context.strokeStyle = colours.line;
        context.lineWidth = 1;
        for (const radius of [0.75, 1.2]) {
            polygon(context, Array.from({ length: 48 }, (_, index) => {
                const angle = index * Math.PI / 24;
                return project([radius * Math.cos(angle), radius * Math.sin(angle), -0.7]);
            }));
            context.stroke();
        }
        const [x, y] = project([1.42, 0, -0.7]);
        context.fillStyle = colours.quiet;
        context.font = "600 11px " + getComputedStyle(document.body).fontFamily;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(northAhead ? "N" : "0°", x, y);
    }

    axis(context, { name, end }, origin) {
        context.strokeStyle = colours[`axis-${name}`];
        context.lineWidth = 1.75;
        context.beginPath();
        context.moveTo(origin[0], origin[1]);
        context.lineTo(end[0], end[1]);
        context.stroke();
        context.font = "600 11px " + getComputedStyle(document.body).fontFamily;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillStyle = colours[`axis-${name}`];
        const length = Math.hypot(end[0] - origin[0], end[1] - origin[1]) || 1;
        context.fillText(name, end[0] + (end[0] - origin[0]) / length * 8, end[1] + (end[1] - origin[1]) / length * 8);
    }
}

function polygon(context, points) {
    context.beginPath();
    points.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
}

/** Returns true if a face is visible. The corners of a hidden face are in the opposite order. */
function facing(points) {
    let area = 0;
    points.forEach(([x, y], index) => {
        const [nextX, nextY] = points[(index + 1) % points.length];
        area += x * nextY - nextX * y;
    });
    return area < 0;
}
