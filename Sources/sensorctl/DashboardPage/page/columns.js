// SPDX-License-Identifier: Apache-2.0

// The values of a channel that are drawn, which are the minimum and maximum of each axis in each column of pixels. A column
// covers a fixed interval of time, so that a line moves to the left without flickering.

const empty = 0;
const data = 1;
const missing = 2;

export class Columns {
    /** @param history the existing readings @param count the number of columns @param seconds the time that the columns cover */
    constructor(history, count, seconds = history.seconds) {
        this.axes = history.axes;
        this.count = Math.max(16, count);
        this.width = seconds / this.count;
        this.capacity = Math.ceil(history.seconds / this.width) + 4;
        this.state = new Uint8Array(this.capacity * this.axes);
        this.low = new Float32Array(this.capacity * this.axes);
        this.high = new Float32Array(this.capacity * this.axes);
        this.newest = null;
        for (let index = 0; index < history.count; index += 1) {
            const slot = history.at(index);
            this.add(history.times[slot], history.values, slot * history.axes);
        }
    }

    add(time, values, offset) {
        const column = Math.floor(time / this.width);
        if (this.newest === null || column > this.newest) this.advance(column);
        if (column <= this.newest - this.capacity) return;
        const start = this.offsetOf(column);
        for (let axis = 0; axis < this.axes; axis += 1) {
            const value = values[offset + axis];
            const at = start + axis;
            if (!Number.isFinite(value)) {
                if (this.state[at] === empty) this.state[at] = missing;
            } else if (this.state[at] !== data) {
                this.state[at] = data;
                this.low[at] = this.high[at] = value;
            } else {
                if (value < this.low[at]) this.low[at] = value;
                if (value > this.high[at]) this.high[at] = value;
            }
        }
    }

    offsetOf(column) { return (((column % this.capacity) + this.capacity) % this.capacity) * this.axes; }

    advance(column) {
        const from = this.newest === null ? column - this.capacity : Math.max(this.newest, column - this.capacity);
        for (let next = from + 1; next <= column; next += 1) {
            const start = this.offsetOf(next);
            this.state.fill(empty, start, start + this.axes);
        }
        this.newest = column;
    }

    /**
     * Visits the columns of an axis in order, beginning with `first`. Calls `point(column, low, high, joined)` for columns with
     * readings, and `gap(from, to)` for missing readings.
     */
    walk(axis, first, gapAfter, point, gap) {
        if (this.newest === null) return;
        let previous = null;
        let broken = false;
        const begin = Math.max(first, this.newest - this.capacity + 1);
        for (let column = begin; column <= this.newest; column += 1) {
            const at = this.offsetOf(column) + axis;
            if (this.state[at] === missing) broken = true;
            if (this.state[at] !== data) continue;
            if (previous !== null && (column - previous - 1) * this.width > gapAfter) broken = true;
            if (previous !== null && broken) gap?.(previous, column);
            point(column, this.low[at], this.high[at], previous !== null && !broken);
            previous = column;
            broken = false;
        }
    }

    /** Returns the minimum and maximum of the visible values, or null if there are none. */
    range(first, axes) {
        if (this.newest === null) return null;
        let low = Infinity;
        let high = -Infinity;
        for (let column = Math.max(first, this.newest - this.capacity + 1); column <= this.newest; column += 1) {
            const start = this.offsetOf(column);
            for (let axis = 0; axis < axes; axis += 1) {
                if (this.state[start + axis] !== data) continue;
                if (this.low[start + axis] < low) low = this.low[start + axis];
                if (this.high[start + axis] > high) high = this.high[start + axis];
            }
        }
        return low <= high ? { low, high } : null;
    }
}
