// SPDX-License-Identifier: Apache-2.0

// Formats numbers for users, with a unit, a typographic minus sign, and a dash for unknown values.

export const unknown = "–";
export const isKnown = (value) => typeof value === "number" && Number.isFinite(value);

const minus = (text) => text.replace("-", "\u2212");

export function fixed(value, digits) {
    if (!isKnown(value)) return unknown;
    const text = value.toFixed(digits);
    // Avoids -0.00.
    return minus(Number(text) === 0 ? text.replace("-", "") : text);
}

/** Formats a value with the number of digits that suits its unit. */
export function reading(value, unit) {
    const digits = { g: 3, "rad/s": 3, uT: 1, hPa: 2, deg: 1 };
    return fixed(value, digits[unit] ?? 3);
}

/** Returns the displayed name of a unit of the protocol. */
export function unitName(unit) {
    return { uT: "µT", deg: "°" }[unit] ?? unit;
}

const pad = (value, length = 2) => String(value).padStart(length, "0");

/** Formats the time of the session, such as 2:05.3 or 1:02:05. */
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

/** Formats an age, such as 5 min. */
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

/** Formats a time of the session as civil time, in the time zone of the user. */
export function civilTime(start, seconds) {
    const startTime = Date.parse(start ?? "");
    if (Number.isNaN(startTime) || !isKnown(seconds)) return "";
    const date = new Date(startTime + seconds * 1000);
    return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} `
        + `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const names = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];
export const windName = (degrees) => names[((Math.round(degrees / 22.5) % 16) + 16) % 16];

/** Normalizes an angle to 0...360 degrees. */
export const normalizedDegrees = (degrees) => ((degrees % 360) + 360) % 360;
