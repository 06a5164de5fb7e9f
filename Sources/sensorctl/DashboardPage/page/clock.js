// SPDX-License-Identifier: Apache-2.0

// The time of the session, which advances smoothly between the server's messages.

export class SessionClock {
    /**
     * The maximum time for which the clock of a trace advances without a message, in seconds. The server sends a message once
     * a second.
     */
    static ahead = 1.5;

    constructor() {
        this.reset(0, false);
    }

    /** Sets and starts the clock. A live clock always advances. The clock of a trace advances only while the trace is played. */
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

    /** Sets the playback position and speed. A speed of 0 means that playback is paused. */
    set(time, speed) {
        this.base = time;
        this.at = performance.now();
        this.speed = speed;
    }

    /** Advances the clock to the time of a reading. */
    reached(time) {
        if (!(time > this.now)) return;
        this.base = time;
        this.at = performance.now();
    }

    /** Stops the clock while there is no connection, because no new data arrives. */
    hold() {
        this.base = this.now;
        this.running = false;
    }
}
