// SPDX-License-Identifier: Apache-2.0

// Decodes batches of readings from the server. All numbers are little-endian. The header contains the version, the channel, the
// count, zero and the time of the first reading. Each reading consists of the time since the first reading and its axes.

const head = 16;

/**
 * Calls `each(time, values, offset)` for each reading of a frame, in order. The array `values` is not reused for other frames.
 * Returns the number of the channel, or null if the frame is invalid.
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

/** Decodes Base64. Returns an empty array if the text is invalid. */
export function decodeBase64(text) {
    try {
        return Uint8Array.from(atob(text ?? ""), (character) => character.charCodeAt(0));
    } catch {
        return new Uint8Array(0);
    }
}

/** Returns the bytes as text. Bytes other than printable ASCII are escaped. */
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
