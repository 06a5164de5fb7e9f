// SPDX-License-Identifier: Apache-2.0

// The last minute of a channel. Readings are stored in a ring buffer.

const smallest = 1024;
const largest = 65536;

export class History {
    constructor(channel, seconds) {
        this.channel = channel;
        this.seconds = seconds;
        this.axes = channel.axes.length;
        this.clear();
    }

    clear() {
        this.allocate(smallest);
        this.first = 0;
        this.count = 0;
        this.knownAt = -Infinity;
        this.interval = this.channel.rate > 0 ? 1 / this.channel.rate : 0;
        this.intervals = [];
    }

    allocate(capacity) {
        this.capacity = capacity;
        this.times = new Float64Array(capacity);
        this.values = new Float32Array(capacity * this.axes);
    }

    /** Doubles the ring buffer if it is too small for a minute. At 65536 readings, the oldest readings are dropped instead. */
    grow() {
        const { times, values, capacity, first, count, axes } = this;
        this.allocate(capacity * 2);
        for (let index = 0; index < count; index += 1) {
            const from = (first + index) % capacity;
            this.times[index] = times[from];
            for (let axis = 0; axis < axes; axis += 1) this.values[index * axes + axis] = values[from * axes + axis];
        }
        this.first = 0;
    }

    get newest() { return this.count === 0 ? -Infinity : this.times[this.at(this.count - 1)]; }

    at(index) { return (this.first + index) % this.capacity; }

    /** Adds a reading. Ignores a reading that is not newer than the newest reading, because it was received before. */
    add(time, values, offset) {
        const newest = this.newest;
        if (time <= newest) return false;
        if (this.count > 0) this.learn(time - newest);
        while (this.count > 0 && this.times[this.first] < time - this.seconds) this.drop();
        if (this.count === this.capacity) {
            if (this.capacity < largest) this.grow(); else this.drop();
        }
        const place = this.at(this.count);
        this.times[place] = time;
        for (let axis = 0; axis < this.axes; axis += 1) {
            const value = values[offset + axis];
            this.values[place * this.axes + axis] = value;
            if (Number.isFinite(value)) this.knownAt = time;
        }
        this.count += 1;
        return true;
    }

    drop() {
        this.first = (this.first + 1) % this.capacity;
        this.count -= 1;
    }

    /** Updates the usual interval, which is the median of nine intervals. A nominal rate may be inaccurate. */
    learn(interval) {
        this.intervals.push(interval);
        if (this.intervals.length < 9) return;
        this.interval = this.intervals.sort((a, b) => a - b)[4];
        this.intervals = [];
    }

    /** The interval above which there is a gap between two readings, in seconds. */
    get gapAfter() { return Math.max(0.1, 3.5 * (this.interval || 1)); }

    /** The rate during the last two seconds, in readings per second. */
    get rate() {
        if (this.count < 2) return 0;
        const end = this.newest;
        let index = this.count - 1;
        while (index > 0 && this.times[this.at(index - 1)] > end - 2) index -= 1;
        const span = end - this.times[this.at(index)];
        return span > 0 ? (this.count - 1 - index) / span : 0;
    }

    /** The values of the newest reading, or null if there are no readings. */
    get latest() { return this.count === 0 ? null : this.reading(this.count - 1); }

    reading(index) {
        const place = this.at(index) * this.axes;
        return this.values.subarray(place, place + this.axes);
    }

    /** Returns the reading nearest to a time, or null if the time is in a gap. */
    nearest(time) {
        let low = 0;
        let high = this.count - 1;
        if (high < 0) return null;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.times[this.at(middle)] < time) low = middle + 1; else high = middle;
        }
        const before = Math.max(0, low - 1);
        const best = Math.abs(this.times[this.at(before)] - time) < Math.abs(this.times[this.at(low)] - time) ? before : low;
        return Math.abs(this.times[this.at(best)] - time) <= this.gapAfter ? this.reading(best) : null;
    }
}
