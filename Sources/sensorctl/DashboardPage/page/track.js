// SPDX-License-Identifier: Apache-2.0

// The way that was gone, with its gaps, in bounded memory: when it is long, every second point of its older half goes.

import { isKnown } from "./format.js";

const most = 4000;
/** Seconds without a position after which the way has a gap, at least; a slow receiver has its own interval. */
const shortestGap = 5;

export class Track {
    constructor() { this.clear(); }

    clear() {
        this.points = [];
        this.latest = null;
        this.interval = 1;
        this.broken = false;
        this.version = 0;
    }

    /** Adds a fix. False where it is no position, or not newer than the newest. */
    add(fix) {
        if (!isKnown(fix.t) || (this.latest && fix.t <= this.latest.t)) return false;
        const newest = this.points[this.points.length - 1];
        this.latest = fix;
        if (!isKnown(fix.latitude) || !isKnown(fix.longitude)) {
            this.broken = true;
            this.points.push(this.point(fix, true));
        } else {
            const passed = newest ? fix.t - newest.t : 0;
            const broken = this.broken || passed > Math.max(shortestGap, this.interval * 3.5);
            if (newest && !broken) this.interval += (passed - this.interval) * 0.1;
            this.points.push(this.point(fix, broken));
            this.broken = false;
        }
        if (this.points.length > most) this.thin();
        this.version += 1;
        return true;
    }

    /** The fix was lost: what comes next is not joined to what was. */
    lose() {
        this.broken = true;
        this.version += 1;
    }

    point(fix, broken) {
        return {
            t: fix.t, latitude: fix.latitude, longitude: fix.longitude, speed: fix.speed, altitude: fix.altitude,
            speedAccuracy: fix.speedAccuracy, verticalAccuracy: fix.verticalAccuracy, broken,
        };
    }

    thin() {
        const middle = this.points.length >> 1;
        const kept = [];
        let broken = false;
        this.points.forEach((point, index) => {
            if (index < middle && index % 2 === 1) {
                broken ||= point.broken;
                return;
            }
            kept.push(broken ? { ...point, broken: true } : point);
            broken = false;
        });
        this.points = kept;
    }

    /**
     * Lines of latitude and longitude, one for each piece between gaps. A way over the meridian of 180 degrees goes on beyond
     * it, and not once around the map.
     */
    lines() {
        const lines = [];
        let turns = 0;
        let last = null;
        for (const { latitude, longitude, broken } of this.points) {
            if (!isKnown(latitude) || !isKnown(longitude)) continue;
            if (last !== null && Math.abs(longitude - last) > 180) turns += longitude < last ? 1 : -1;
            last = longitude;
            if (broken || lines.length === 0) lines.push([]);
            lines[lines.length - 1].push([latitude, longitude + 360 * turns]);
        }
        return lines;
    }
}
