// SPDX-License-Identifier: Apache-2.0

// Batches of readings as the server packs them, little-endian: version, channel, count, zero, time of the batch; then for
// each reading its time after that, and its axes.

const head = 16;

/**
 * Calls `each(time, values, offset)` for the readings of a frame, in their order. `values` is reused by nobody, but belongs to
 * the frame. Returns the number of the channel, or null for what is no such frame.
 */
export function decodeBatch(buffer, axesOf, each) {
    if (buffer.byteLength < head) return null;
    const view = new DataView(buffer);
    if (view.getUint8(0) !== 1) return null;
    const channel = view.getUint8(1);
    const count = view.getUint16(2, true);
    const begun = view.getFloat64(8, true);
    const axes = axesOf(channel);
    if (axes === null || !Number.isFinite(begun)) return null;
    const stride = 1 + axes;
    if (buffer.byteLength < head + 4 * stride * count) return null;
    const values = new Float32Array(buffer, head, stride * count);
    for (let index = 0; index < count; index += 1) {
        const offset = index * stride;
        const time = begun + values[offset];
        if (Number.isFinite(time)) each(time, values, offset + 1);
    }
    return channel;
}

/** The bytes of a text in base64; none where it is no such text. */
export function decodeBase64(text) {
    try {
        return Uint8Array.from(atob(text ?? ""), (character) => character.charCodeAt(0));
    } catch {
        return new Uint8Array(0);
    }
}

/** Bytes as a person reads them: ASCII as it is, the rest as escapes. */
export function printable(bytes) {
    let text = "";
    for (const byte of bytes) {
        const escape = { 9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\" }[byte];
        if (escape) text += escape;
        else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
        else text += "\\x" + byte.toString(16).padStart(2, "0");
    }
    return text;
}

export function hexadecimal(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
