# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The parts of the test, and their common functions."""
import os

from served import Served

PARTS = {}


def part(name):
    def add(function):
        PARTS[name] = function
        return function
    return add


class Trial:
    """The environment of a part."""

    def __init__(self, browser, tool, drive, expected, folder, shots):
        self.browser, self.tool, self.drive, self.expected = browser, tool, drive, expected
        self.folder, self.shots = folder, shots
        self.failures = []
        self.checks = 0
        # Messages from the page of the previous part do not count.
        browser.go("about:blank")
        browser.console_messages()

    def check(self, holds, what, found=None):
        self.checks += 1
        if holds:
            print(f"ok  {what}", flush=True)
            return True
        text = what if found is None else f"{what}: {found}"
        self.failures.append(text)
        print(f"FAILED  {text}", flush=True)
        return False

    def measured(self, text):
        print(f"--  {text}", flush=True)

    def skipped(self, text):
        print(f"skipped: {text}", flush=True)

    def serve(self, *arguments, **options):
        return Served(*(arguments or (self.drive,)), **options)

    def open(self, address, width=1280, height=900, dark=False, calm=False):
        """Opens the page, and waits until it has received its initial data."""
        browser = self.browser
        browser.resize(width, height, dark, calm)
        # A change of the fragment alone would not reload the page.
        browser.go("about:blank")
        browser.go(address)
        browser.wait("return document.body.dataset.ready === 'true' && document.body.dataset.link === 'open'",
                     what="the page is ready")
        browser.wait("""const wanted = dashboard.hello.libraries;
            return Boolean((!wanted.leaflet || dashboard.map.map) && (!wanted.dygraphs || dashboard.profile.library))""",
                     what="the libraries are loaded")

    def command(self, command):
        """Sends a command from the page, and returns the server's response."""
        return self.browser.run("""const command = arguments[0];
            return new Promise((resolve) => dashboard.connection.send(command, resolve))""", command)

    def pause_at(self, place):
        """Seeks to a time of the trace and pauses there, with everything drawn."""
        self.command({"do": "pause"})
        self.command({"do": "seek", "t": place})
        self.browser.wait("return Math.abs(dashboard.clock.now - arguments[0]) < 0.05 && !dashboard.playback.state.playing",
                          place, what=f"paused at {place} s")
        self.settle()

    def settle(self):
        """Waits until the received data is drawn. Figures are updated a few times per second."""
        self.browser.run("""return new Promise((resolve) => {
            let frames = 0;
            const begun = performance.now();
            const next = () => (++frames > 10 && performance.now() - begun > 700 ? resolve(true) : requestAnimationFrame(next));
            next();
        })""")

    def shot(self, name):
        path = os.path.join(self.shots, f"{name}.png")
        self.browser.save_screenshot(path)
        return path

    def text(self, element):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", element)

    def number(self, element):
        """Returns the number in an element, or None for a dash."""
        text = self.text(element).replace("\u2212", "-").replace("±", "").replace("°", "")
        return None if text in ("–", "") else float(text)

    def check_console(self):
        # The warning about reading back pixels is caused by the test, not by the page.
        console_messages = [text for text in self.browser.console_messages() if "willReadFrequently" not in text]
        self.check(not console_messages, "the console shows no errors", console_messages[:3])

    def is_shown(self, element):
        return self.browser.run("return document.getElementById(arguments[0]).checkVisibility()", element)


def frames(browser, seconds):
    """Returns the frames per second."""
    return browser.run("""const begun = performance.now(), frames = dashboard.counted.frames;
        return new Promise((resolve) => setTimeout(() => resolve((dashboard.counted.frames - frames) / (performance.now() - begun) * 1000), arguments[0] * 1000))""", seconds)
