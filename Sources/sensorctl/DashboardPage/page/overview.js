// SPDX-License-Identifier: Apache-2.0

// The overview of a recording: the whole track, and the marks of the timeline. The server sends it once, when it is ready.

import { isKnown } from "./format.js";
import { Track } from "./track.js";

export class Overview {
    constructor() { this.clear(); }

    clear() {
        this.track = new Track();
        /** Objects with `kind`, `t`, `text` and, for a span of time, `end`. */
        this.marks = [];
        /** Increases with each overview. 0 means that there is none. */
        this.version = 0;
    }

    receive({ points, marks }) {
        const track = new Track();
        for (const [t, latitude, longitude, speed, altitude, speedAccuracy, verticalAccuracy, broken] of points ?? []) {
            track.points.push({ t, latitude, longitude, speed, altitude, speedAccuracy, verticalAccuracy, broken: broken === 1 });
        }
        this.track = track;
        this.marks = (marks ?? []).filter(({ t }) => isKnown(t));
        this.version += 1;
    }

    get hasTrack() { return this.track.points.length > 1; }

    /** Returns the track until a time: the points of the overview, then those of `recent`, which are more accurate. */
    until(time, recent) {
        const first = recent.points[0]?.t ?? Infinity;
        const past = new Track();
        past.points = this.track.points.filter(({ t }) => t < first && t <= time).concat(recent.points);
        return past.lines();
    }

    /** The spans without positions, as pairs of start and end. */
    get gaps() { return this.marks.filter(({ kind, end }) => kind === "gap" && isKnown(end)).map(({ t, end }) => [t, end]); }
}
