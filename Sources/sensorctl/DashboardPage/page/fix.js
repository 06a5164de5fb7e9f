// SPDX-License-Identifier: Apache-2.0

// The values of the last fix. An outdated fix is marked as old.

import { byID, setText, show } from "./dom.js";
import { age, fixed, isKnown, unknown, windName } from "./format.js";
import { converted, unitOf } from "./units.js";

const height = (metres) => fixed(converted(metres, "height"), 1);

export class FixFigures {
    constructor(track, source) {
        this.track = track;
        this.source = source;
        this.lost = null;
    }

    /** Shows the panel in a live session. In a recording, the panel is shown only if there are positions. */
    begin(isLive) { show(byID("panel-position"), isLive || byID("panel-position").checkVisibility()); }

    clear() { this.lost = null; }

    fail(message) { this.lost = message; }

    draw(now) {
        const fix = this.track.latest;
        if (fix || this.lost) show(byID("panel-position"), true);
        show(byID("place"), Boolean(fix));
        show(byID("no-place"), !fix);
        show(byID("map-tools"), Boolean(fix) && byID("map").checkVisibility());
        const behind = fix ? now - fix.t : null;
        const hasPosition = Boolean(fix) && isKnown(fix.latitude);
        const old = Boolean(fix) && behind > Math.max(3, this.track.interval * 3.5);
        const panel = byID("panel-position");
        const { source } = this;
        const lost = this.lost && (!fix || this.lost.t >= fix.t);
        const isWaiting = Boolean(fix) && source.regainedAt > fix.t;
        panel.classList.toggle("old", old || Boolean(lost || source.error || isWaiting));
        const state = byID("fix-state");
        const mode = !fix ? "none" : !hasPosition || fix.mode === "none" ? "lost" : fix.mode === "2D" ? "2D" : "3D";
        state.dataset.mode = source.error ? "gone" : isWaiting ? "none" : lost ? "lost" : mode;
        const words = {
            gone: `${source.name} is unavailable`, none: fix ? "Waiting for a fix" : "No position yet", lost: "No fix", "2D": "2D fix",
            "3D": "3D fix",
        };
        let text = words[state.dataset.mode];
        if (fix?.status && hasPosition && ["2D", "3D"].includes(state.dataset.mode)) text += `, ${fix.status}`;
        if (fix && panel.classList.contains("old")) text += ` · last fix ${age(behind)} ago`;
        setText(byID("fix-text"), text);
        state.title = text;
        const error = source.error ?? (lost && !isWaiting ? this.lost.error : null);
        setText(byID("fix-error"), String(error ?? ""));
        show(byID("fix-error"), Boolean(error));
        if (!fix) return;
        setText(byID("latitude"), isKnown(fix.latitude) ? `${fixed(Math.abs(fix.latitude), 6)}` : unknown);
        setText(byID("latitude-unit"), fix.latitude < 0 ? "° S" : "° N");
        setText(byID("longitude"), isKnown(fix.longitude) ? `${fixed(Math.abs(fix.longitude), 6)}` : unknown);
        setText(byID("longitude-unit"), fix.longitude < 0 ? "° W" : "° E");
        setText(byID("accuracy"), isKnown(fix.horizontalAccuracy) ? `±${height(fix.horizontalAccuracy)}` : unknown);
        setText(byID("accuracy-kind"), isKnown(fix.horizontalAccuracy) ? "horizontal" : "");
        setText(byID("altitude"), height(fix.altitude));
        setText(byID("altitude-accuracy"), isKnown(fix.verticalAccuracy) ? `±${height(fix.verticalAccuracy)} ${unitOf("height")}` : "");
        setText(byID("ellipsoidal"), height(fix.ellipsoidalAltitude));
        setText(byID("speed"), fixed(converted(fix.speed, "speed"), 1));
        setText(byID("speed-si"), isKnown(fix.speed) ? `${fixed(fix.speed, 1)} m/s` : "");
        setText(byID("course"), fixed(fix.course, 0));
        setText(byID("course-wind"), isKnown(fix.course) ? windName(fix.course) : "");
        setText(byID("source"), fix.source ? String(fix.source) : "");
    }
}
