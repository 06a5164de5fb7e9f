// SPDX-License-Identifier: Apache-2.0

// Forwards the server's messages to the panels and draws the panels.

import { byID, setAttribute, setText, show } from "./dom.js";
import { civilTime, clockTime } from "./format.js";
import { Connection } from "./connection.js";
import { SessionClock } from "./clock.js";
import { Track } from "./track.js";
import { TrackMap } from "./map.js";
import { FixFigures } from "./fix.js";
import { Profile } from "./profile.js";
import { Sky } from "./sky.js";
import { Strips } from "./strips.js";
import { Cube } from "./cube.js";
import { Compass } from "./compass.js";
import { Cards } from "./cards.js";
import { Overview } from "./overview.js";
import { Playback } from "./playback.js";
import { Timeline } from "./timeline.js";
import { Accessories } from "./accessories.js";
import { Regions } from "./regions.js";
import { Events, Walk, showFindings, showUsers } from "./lists.js";
import { loadLibraries } from "./libraries.js";
import { startKeyboard } from "./keyboard.js";
import { startTheme } from "./theme.js";
import { PositionSource } from "./source.js";
import { startUnits } from "./units.js";
import { savePicture } from "./picture.js";

startTheme();
const clock = new SessionClock();
const track = new Track();
const overview = new Overview();
const map = new TrackMap(track, overview);
const source = new PositionSource(clock);
const fix = new FixFigures(track, source);
const profile = new Profile(track, source, overview, (time) => { if (playback.isControllable) playback.seek(time); });
const sky = new Sky();
const strips = new Strips(clock);
const cube = new Cube();
const compass = new Compass();
const accessories = new Accessories();
const walk = new Walk();
const events = new Events(clock);
let connection = null;
let hello = null;
let session = null;
let lostAt = null;
/** True while the server repeats messages of a known session that this page has already received. */
let isRepeating = false;
let counted = { frames: 0, readings: 0 };
/** The messages after a seek until all of its data has arrived, or null. They are shown at once, so that nothing flickers. */
let held = null;
let heldAt = 0;
/** The maximum duration for which messages are held, in milliseconds. */
const longestHold = 3000;

const send = (command, answer) => {
    if (connection.send(command, answer)) return;
    say(connection.isOpen ? "This page has no token. Open the address that the terminal shows." : "There is no connection to sensorctl.");
};
const playback = new Playback(clock, send);
playback.timeline = new Timeline(playback, overview);
const regions = new Regions(track, send);

/** Announces a message to screen readers and adds it to the list of events. */
function say(text, time, level) {
    setText(byID("announcement"), text);
    events.add(text, time, level);
}

/** Removes the folders from filenames, because paths may be long. */
const fileNames = (title) => title.split(", ").map((name) => name.replace(/^.*\/(?=[^/])/, "")).join(", ");

function clear() {
    showPlace({});
    for (const part of [source, track, map, fix, profile, sky, strips, compass, accessories, regions, walk]) part.clear();
    map.setRegions([]);
}

/** Shows the name of the place at the position. */
function showPlace({ name }) {
    setText(byID("place-name"), String(name ?? ""));
    show(byID("place-name"), Boolean(name));
}

/** Replaces the data of the former playback position with the held data. The visible panels remain visible. */
function finishSeek() {
    const messages = held ?? [];
    held = null;
    const shown = [...document.querySelectorAll(".panel, #traffic-box, #place, #profile")].filter((node) => !node.hidden);
    clear();
    messages.forEach(receive);
    shown.forEach((node) => show(node, true));
    slowAt = 0;
}

/** Receives a message or a batch of readings. */
function receive(message) {
    if (message instanceof ArrayBuffer) {
        counted.readings += 1;
        strips.receive(message);
    } else if (Object.hasOwn(handlers, message.type)) handlers[message.type](message);
}

async function begin(message) {
    // The session continues if its time has not decreased. Otherwise, the trace was rewound.
    const isSameSession = session !== null && session === message.session && (message.now ?? 0) >= clock.now - 0.5;
    hello = message;
    session = message.session ?? null;
    if (!isSameSession) {
        overview.clear();
        playback.timeline.clear();
        clear();
        map.reset();
        events.clear();
    }
    held = null;
    isRepeating = isSameSession;
    accessories.resume();
    clock.reset(message.now ?? 0, message.mode === "live");
    strips.begin(message.channels ?? [], message.history ?? 60, isSameSession);
    cube.begin(message.attitudeFrame);
    const isControllable = !message.readOnly && Boolean(connection.token);
    playback.begin(message, isControllable);
    regions.begin(isControllable);
    fix.begin(message.mode === "live");
    startUnits(message.units);
    const title = fileNames(message.title ?? "");
    document.title = `${title || "dashboard"} – sensorctl`;
    setText(byID("title"), title);
    byID("title").title = message.title ?? "";
    setText(byID("mode"), message.mode === "live" ? "Live" : "Trace");
    byID("mode").title = `sensorctl ${message.version ?? ""}`;
    show(byID("read-only"), !isControllable);
    setText(byID("read-only"), message.readOnly ? "read-only" : "read-only: no token");
    byID("doctor-again").disabled = !isControllable;
    if (!map.map || !profile.library) {
        const { leaflet, dygraphs } = await loadLibraries(message.libraries ?? {});
        if (leaflet && !map.map) map.start(leaflet, message.tiles);
        if (dygraphs && !profile.library) profile.start(dygraphs);
        map.setRegions(regions.list);
    }
}

const handlers = {
    hello: (message) => { begin(message); },
    playback: (message) => playback.receive(message),
    overview: (message) => {
        overview.receive(message);
        map.showOverview();
    },
    ready: () => {
        isRepeating = false;
        setAttribute(document.body, "data-ready", "true");
    },
    location: (message) => {
        clock.advanceTo(message.t);
        track.add(message);
        fix.lost = null;
    },
    locationFailed: (message) => {
        if (message.t === fix.lost?.t) return;
        track.lose();
        fix.fail(message);
        say(`No position: ${message.error ?? "unknown reason"}`, message.t, "warning");
    },
    locationEnded: (message) => track.lose(message),
    gap: (message) => {
        if (isRepeating) return;
        if (message.channel === "location") track.lose();
        const channel = hello?.channels?.find(({ id }) => id === message.channel);
        const name = message.channel === "location" ? "Positions" : channel?.label ?? message.channel;
        events.add(`${name}: no data for ${Number(message.seconds ?? 0).toFixed(1)} s`, message.t);
    },
    positionSource: (message) => {
        if (message.error == null && source.error !== null) {
            fix.lost = null;
            say(`${source.name} is available again.`, message.t);
        }
        source.receive(message);
    },
    place: showPlace,
    satellites: (message) => sky.receive(message),
    regions: (message) => {
        regions.receive(message);
        map.setRegions(regions.list);
    },
    walk: (message) => walk.receive(message),
    accessories: (message) => accessories.receive(message),
    traffic: (message) => accessories.traffic(message),
    users: showUsers,
    doctor: showFindings,
    dropped: ({ count }) => events.add(`This page was too slow: ${count} readings were dropped`, clock.now, "warning"),
    refused: ({ why }) => say(`Refused: ${why ?? ""}`, clock.now, "warning"),
    log: ({ t, level, text }) => events.add(String(text ?? ""), t, level),
};

function connectionChanged(state, retryAt) {
    const words = { connecting: "page connecting", open: "page connected", lost: "page not connected" };
    setText(byID("link-text"), words[state]);
    setAttribute(document.body, "data-link", state);
    playback.enable(state === "open");
    if (state === "lost") {
        if (lostAt === null) {
            clock.stop();
            say("The connection to sensorctl is lost. The page shows the last readings.", clock.now, "error");
        }
        lostAt ??= performance.now();
        connectionChanged.retryAt = retryAt;
    } else if (state === "open" && lostAt !== null) {
        lostAt = null;
        say("Connected again.");
    }
    show(byID("banner"), lostAt !== null);
}

function drawBanner() {
    if (lostAt === null) return;
    const seconds = Math.max(0, Math.ceil((connectionChanged.retryAt - performance.now()) / 1000));
    setText(byID("banner-text"), `No connection to sensorctl for ${Math.floor((performance.now() - lostAt) / 1000)} s. `
        + `The page shows the state at ${clockTime(clock.now, 0)}. ` + (seconds > 0 ? `Retrying in ${seconds} s.` : "Retrying …"));
}

let slowAt = 0;
function frame(time) {
    requestAnimationFrame(frame);
    counted.frames += 1;
    if (held && time - heldAt > longestHold) finishSeek();
    const now = clock.now;
    strips.draw();
    cube.draw(strips.named("attitude"), now);
    map.draw();
    if (time - slowAt < 100) return;
    slowAt = time;
    playback.draw();
    profile.draw();
    fix.draw(now);
    sky.draw(now, source);
    compass.draw(strips.named("heading"), now);
    regions.draw(now);
    walk.draw(now);
    drawBanner();
}

byID("retry").addEventListener("click", () => connection.retry());
byID("save-picture").addEventListener("click", () => {
    strips.drawAll();
    const civil = civilTime(hello?.start, clock.now);
    const about = `${byID("mode").textContent} · ${clockTime(clock.now)}${civil && ` · ${civil}`}`;
    savePicture(`${byID("title").textContent} ${clockTime(clock.now, 0)}`, byID("title").textContent, about)
        .catch((error) => say(`The picture cannot be saved: ${error.message}`, clock.now, "warning"));
});
byID("doctor-again").addEventListener("click", () => send({ do: "doctor" }));
connection = new Connection({
    text: (message) => {
        if (message.type === "clear") {
            held = [];
            heldAt = performance.now();
        } else if (!held) receive(message);
        else {
            held.push(message);
            if (message.type === "ready") finishSeek();
        }
    },
    binary: (buffer) => (held ? held.push(buffer) : receive(buffer)),
    state: connectionChanged,
});
startKeyboard(playback, map);
new Cards();
requestAnimationFrame(frame);

// Used in the browser console and in the tests of this page.
window.dashboard = {
    accessories, clock, compass, connection, counted, cube, events, map, overview, playback, profile, sky, source, strips, track,
    get hello() { return hello; },
};
