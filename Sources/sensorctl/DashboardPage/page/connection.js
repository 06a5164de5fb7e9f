// SPDX-License-Identifier: Apache-2.0

// The connection to the server. It reconnects after a loss, and sends commands with the token.

const tokenKey = "dashboard-token";

/** Returns the token from the address bar. It is stored only for this tab and removed from the browser history. */
function readToken() {
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
    /** The delays before reconnection attempts, in seconds. The last delay is repeated. */
    static delays = [0.5, 1, 2, 4, 8, 15];

    constructor({ text, binary, state }) {
        this.token = readToken();
        this.handlers = { text, binary, state };
        this.attempt = 0;
        this.number = 0;
        this.pendingCommands = new Map();
        this.open();
    }

    open() {
        clearTimeout(this.timer);
        const scheme = location.protocol === "https:" ? "wss" : "ws";
        // The token guarantees a connection even if the maximum number of pages is open.
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
            if (socket === this.socket) this.scheduleRetry();
        };
    }

    receive(message) {
        if (message.type === "done" || message.type === "refused") {
            const answer = this.pendingCommands.get(message.id);
            this.pendingCommands.delete(message.id);
            if (answer) answer(message);
        }
        this.handlers.text(message);
    }

    scheduleRetry() {
        this.pendingCommands.clear();
        const delay = Connection.delays[Math.min(this.attempt, Connection.delays.length - 1)];
        this.attempt += 1;
        // The random delay prevents all pages of a server from reconnecting at the same moment.
        const seconds = delay * (0.8 + 0.4 * Math.random());
        this.handlers.state("lost", performance.now() + seconds * 1000);
        this.timer = setTimeout(() => this.open(), seconds * 1000);
    }

    /** Reconnects immediately, at the user's request. */
    retry() {
        if (this.socket.readyState === WebSocket.OPEN) return;
        this.attempt = 0;
        const old = this.socket;
        this.socket = null;
        old?.close();
        this.open();
    }

    get isOpen() { return this.socket?.readyState === WebSocket.OPEN; }

    /** Sends a command. `answer` receives the response, unless the connection is lost. */
    send(command, answer) {
        if (!this.isOpen || !this.token) return false;
        const id = ++this.number;
        if (answer && this.pendingCommands.size < 64) this.pendingCommands.set(id, answer);
        this.socket.send(JSON.stringify({ id, token: this.token, ...command }));
        return true;
    }
}
