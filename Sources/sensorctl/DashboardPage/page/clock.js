// SPDX-License-Identifier: Apache-2.0

// The time of the session, which goes on smoothly between what the server says.

export class SessionClock {
    /** Seconds that it goes on by itself while a trace is played: the server tells the time once a second. */
    static ahead = 1.5;

    constructor() {
        this.reset(0, false);
    }

    /** Begins at a time. A live clock goes on by itself, that of a trace does while it is played. */
    reset(time, live) {
        this.base = time;
        this.at = performance.now();
        this.live = live;
        this.speed = live ? 1 : 0;
        this.running = true;
    }

    get now() {
        if (!this.running) return this.base;
        const passed = (performance.now() - this.at) / 1000;
        return this.base + (this.live ? passed : Math.min(passed, SessionClock.ahead) * this.speed);
    }

    /** What the player says: a time and how fast it goes on, 0 for not at all. */
    set(time, speed) {
        this.base = time;
        this.at = performance.now();
        this.speed = speed;
    }

    /** A reading of that time has come, so it is not earlier. */
    reached(time) {
        if (!(time > this.now)) return;
        this.base = time;
        this.at = performance.now();
    }

    /** Without a connection nothing new is known, and the picture stays. */
    hold() {
        this.base = this.now;
        this.running = false;
    }
}
