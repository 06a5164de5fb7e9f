// SPDX-License-Identifier: Apache-2.0

// The track with its gaps, in bounded memory. If the track is too long, every other point of its older half is removed.

import { isKnown } from "./format.js";

const most = 4000;
/** The minimum duration of a gap, in seconds. For a slow receiver, the minimum is longer. */
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

    /** Adds a fix. Returns false if the fix is invalid or not newer than the latest fix. */
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

    /** Interrupts the track after the loss of the fix. */
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
     * Returns lines of latitude and longitude, one for each part between gaps. A track across the 180th meridian continues
     * beyond the meridian instead of going around the map.
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
