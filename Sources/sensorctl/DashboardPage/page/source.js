// SPDX-License-Identifier: Apache-2.0

// The availability of the position source, such as gpsd, and the time spans during which it was unavailable.

const maximumSpans = 100;

export class PositionSource {
    constructor(clock) {
        this.clock = clock;
        this.clear();
    }

    clear() {
        this.name = "gpsd";
        /** The reason why the source is unavailable, or null. */
        this.error = null;
        this.regainedAt = -Infinity;
        /** The start and the end of each loss, in seconds of the session. The end of the current loss is Infinity. */
        this.spans = [];
    }

    receive({ t, name, error }) {
        this.name = String(name ?? "gpsd");
        const last = this.spans.at(-1);
        if (error == null) {
            if (last?.[1] === Infinity) last[1] = this.regainedAt = t;
        } else if (this.error === null) {
            // After a seek, the loss may have been reported at a later time of the recording.
            this.spans.push([t > this.clock.now + 1 ? 0 : t, Infinity]);
            if (this.spans.length > maximumSpans) this.spans.shift();
        }
        this.error = error == null ? null : String(error);
    }
}
