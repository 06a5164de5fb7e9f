// SPDX-License-Identifier: Apache-2.0

// The one connection to the server: it comes back by itself after a loss, and carries commands with the token.

const tokenKey = "dashboard-token";

/** The token of the address bar, kept for this tab only and out of the history. */
function takeToken() {
    const found = /^#token=([A-Za-z0-9_-]+)$/.exec(location.hash);
    try {
        if (found) sessionStorage.setItem(tokenKey, found[1]);
        if (found) history.replaceState(null, "", location.pathname + location.search);
        return sessionStorage.getItem(tokenKey);
    } catch {
        return found ? found[1] : null;
    }
}

export class Connection {
    /** Delays in seconds before each further attempt; the last one is kept. */
    static delays = [0.5, 1, 2, 4, 8, 15];

    constructor({ text, binary, state }) {
        this.token = takeToken();
        this.handlers = { text, binary, state };
        this.attempt = 0;
        this.number = 0;
        this.waiting = new Map();
        this.open();
    }

    open() {
        clearTimeout(this.timer);
        const scheme = location.protocol === "https:" ? "wss" : "ws";
        // With the token it gets a place even when others hold all.
        const query = this.token ? `?token=${this.token}` : "";
        const socket = new WebSocket(`${scheme}://${location.host}/live${query}`);
        socket.binaryType = "arraybuffer";
        this.socket = socket;
        this.handlers.state("connecting", null);
        socket.onopen = () => this.handlers.state("open", null);
        socket.onmessage = ({ data }) => {
            if (socket !== this.socket) return;
            this.attempt = 0;
            if (typeof data !== "string") return this.handlers.binary(data);
            let message;
            try { message = JSON.parse(data); } catch { return; }
            if (message && typeof message.type === "string") this.receive(message);
        };
        socket.onclose = () => {
            if (socket === this.socket) this.wait();
        };
    }

    receive(message) {
        if (message.type === "done" || message.type === "refused") {
            const answer = this.waiting.get(message.id);
            this.waiting.delete(message.id);
            if (answer) answer(message);
        }
        this.handlers.text(message);
    }

    wait() {
        this.waiting.clear();
        const delay = Connection.delays[Math.min(this.attempt, Connection.delays.length - 1)];
        this.attempt += 1;
        // Several pages of one server do not all come back in the same moment.
        const seconds = delay * (0.8 + 0.4 * Math.random());
        this.handlers.state("lost", performance.now() + seconds * 1000);
        this.timer = setTimeout(() => this.open(), seconds * 1000);
    }

    /** Tries at once, as when somebody asks for it. */
    retry() {
        if (this.socket.readyState === WebSocket.OPEN) return;
        this.attempt = 0;
        const old = this.socket;
        this.socket = null;
        old?.close();
        this.open();
    }

    get isOpen() { return this.socket?.readyState === WebSocket.OPEN; }

    /** Sends a command. The answer is told to `answer`; nothing is kept for a connection that is gone. */
    send(command, answer) {
        if (!this.isOpen || !this.token) return false;
        const id = ++this.number;
        if (answer && this.waiting.size < 64) this.waiting.set(id, answer);
        this.socket.send(JSON.stringify({ id, token: this.token, ...command }));
        return true;
    }
}
