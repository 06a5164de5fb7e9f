# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, controlled through chromedriver."""
import base64
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

KEYS = {"Tab": "\ue004", "Space": " ", "Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Left": "\ue012", "Right": "\ue014",
        "Home": "\ue011", "Shift": "\ue008"}


class Browser:
    """A browser with its driver. `with` ends both."""

    def __init__(self, folder):
        # In a separate session, so that all processes can be ended.
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True)
        port = None
        for line in self.driver.stdout:
            if "successfully on port " in line:
                port = line.rsplit("on port ", 1)[1].strip(" .\n")
                break
        if not port or not port.isdigit():
            self.end()
            raise RuntimeError("chromedriver has not started")
        self.root = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--enable-precise-memory-info",
                     "--js-flags=--expose-gc", f"--user-data-dir={folder}", "--no-first-run", "--disable-background-networking",
                     "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        try:
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {"args": arguments}}}})
        except (OSError, RuntimeError):
            self.end()
            raise
        self.root += "/session/" + made["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        self.end()

    def end(self):
        try:
            os.killpg(self.driver.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.root + path, method=method, data=data, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read() or b"{}").get("value", {})
            raise RuntimeError(f"{value.get('error')}: {value.get('message', '').splitlines()[0:1]}") from None

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def go(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Returns the value of a script. Waits for a promise."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=30.0, what=None):
        """Waits until a script returns a true value, and returns that value."""
        limit = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > limit:
                raise AssertionError(f"timed out after {seconds:.0f} s: {what or script}")
            time.sleep(0.05)

    def resize(self, width, height, dark=None, calm=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if dark is not None:
            self.cdp("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}])

    def press(self, *keys):
        """Presses keys in sequence; "Shift+Tab" is Tab with Shift held."""
        actions = []
        for key in keys:
            parts = key.split("+") if len(key) > 1 else [key]
            codes = [KEYS.get(part, part) for part in parts]
            actions += [{"type": "keyDown", "value": code} for code in codes]
            actions += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def save_screenshot(self, path):
        data = self.cdp("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def console_messages(self):
        """Returns the browser's console messages since the last call: script errors and blocked requests."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def tab(self):
        """Opens another page, and switches to it. Returns the argument of `show`."""
        handle = self.call("POST", "/window/new", {"type": "tab"})["handle"]
        self.show(handle)
        return handle

    def show(self, handle):
        self.call("POST", "/window", {"handle": handle})

    @property
    def shown(self):
        return self.call("GET", "/window")
