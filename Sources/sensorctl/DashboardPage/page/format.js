// SPDX-License-Identifier: Apache-2.0

// Numbers as a person reads them: with a unit, a true minus sign, and a dash for what is not known.

export const unknown = "–";
export const isKnown = (value) => typeof value === "number" && Number.isFinite(value);

const minus = (text) => text.replace("-", "\u2212");

export function fixed(value, digits) {
    if (!isKnown(value)) return unknown;
    const text = value.toFixed(digits);
    // -0.00 is no number that anybody wants to read.
    return minus(Number(text) === 0 ? text.replace("-", "") : text);
}

/** As many digits as the unit deserves. */
export function reading(value, unit) {
    const digits = { g: 3, "rad/s": 3, uT: 1, hPa: 2, deg: 1 };
    return fixed(value, digits[unit] ?? 3);
}

/** What stands beside a number for a unit of the protocol. */
export function unitName(unit) {
    return { uT: "µT", deg: "°" }[unit] ?? unit;
}

const pad = (value, length = 2) => String(value).padStart(length, "0");

/** Seconds of the session as 2:05.3, or 1:02:05. */
export function clockTime(seconds, digits = 1) {
    if (!isKnown(seconds)) return unknown;
    const scale = 10 ** digits;
    const ticks = Math.round(Math.max(0, seconds) * scale);
    const whole = Math.floor(ticks / scale);
    const fraction = digits > 0 ? "." + pad(ticks % scale, digits) : "";
    const hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    const head = hours > 0 ? `${hours}:${pad(minutes)}` : `${minutes}`;
    return `${head}:${pad(whole % 60)}${fraction}`;
}

/** How long ago, in one word or two. */
export function age(seconds) {
    if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    return `${Math.floor(seconds / 3600)} h`;
}

export function byteCount(count) {
    if (!isKnown(count)) return unknown;
    if (count < 1024) return `${count} B`;
    if (count < 1024 ** 2) return `${(count / 1024).toFixed(1)} KiB`;
    return `${(count / 1024 ** 2).toFixed(1)} MiB`;
}

/** The civil time of a moment of the session, in the time zone of the reader. */
export function civilTime(start, seconds) {
    const begun = Date.parse(start ?? "");
    if (Number.isNaN(begun) || !isKnown(seconds)) return "";
    const date = new Date(begun + seconds * 1000);
    return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} `
        + `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const names = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];
export const windName = (degrees) => names[((Math.round(degrees / 22.5) % 16) + 16) % 16];

/** Degrees within one turn. */
export const turned = (degrees) => ((degrees % 360) + 360) % 360;
