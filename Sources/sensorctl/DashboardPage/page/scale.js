// SPDX-License-Identifier: Apache-2.0

// The scale of a strip, with round numbers at the lines and a range that does not jump with each reading.

/** The minimum range for each unit. A smaller range would show only noise. */
const narrowest = { g: 0.1, "rad/s": 0.1, uT: 4, hPa: 0.2, deg: 1, "": 0.1 };

/** Returns a step of 1, 2 or 5 times a power of ten, so that about `count` steps cover the span. */
export function roundStep(span, count) {
    const raw = span / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const head = raw / power;
    return (head <= 1 ? 1 : head <= 2 ? 2 : head <= 5 ? 5 : 10) * power;
}

export class Scale {
    constructor(unit, fixedRange = null) {
        this.unit = unit;
        this.fixedRange = fixedRange;
        this.clear();
    }

    clear() {
        this.low = this.fixedRange?.[0] ?? 0;
        this.high = this.fixedRange?.[1] ?? 0;
        this.step = this.fixedRange?.[2] ?? 0;
    }

    /** Fits the range to the visible values. The range grows immediately, and shrinks only when half of it is unused. */
    fit(range) {
        if (this.fixedRange || !range) return;
        const least = narrowest[this.unit] ?? 0.1;
        let { low, high } = range;
        if (high - low < least) {
            const middle = (low + high) / 2;
            low = middle - least / 2;
            high = middle + least / 2;
        }
        const inside = low >= this.low && high <= this.high;
        if (inside && high - low > (this.high - this.low) * 0.45) return;
        this.step = roundStep((high - low) * 1.1, 3);
        this.low = Math.floor((low - (high - low) * 0.05) / this.step) * this.step;
        this.high = Math.ceil((high + (high - low) * 0.05) / this.step) * this.step;
    }

    get isKnown() { return this.high > this.low; }

    ticks() {
        const ticks = [];
        if (!this.isKnown || !(this.step > 0)) return ticks;
        for (let value = Math.ceil(this.low / this.step) * this.step; value <= this.high + this.step * 1e-6; value += this.step) {
            ticks.push(Math.abs(value) < this.step * 1e-6 ? 0 : value);
            if (ticks.length > 12) break;
        }
        return ticks;
    }

    label(value) {
        const digits = Math.max(0, -Math.floor(Math.log10(this.step) + 1e-9));
        return value.toFixed(Math.min(digits, 6)).replace("-", "\u2212");
    }
}
