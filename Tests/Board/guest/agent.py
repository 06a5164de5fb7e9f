#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs shell scripts for the host, which sends them as lines of JSON through a virtio serial port.

    {"id": 1, "run": "uname -r", "timeout": 60}    responds with {"id": 1, "status": 0, "output": "...", "errors": "...",
                                                   "uptime": 61.2}; "uptime" is the time at the end of the script
    {"id": 2, "signal": 15, "of": 1}               sends a signal to the processes of that script; no response
    {"id": 3, "find": "ok", "in": "/run/log", "count": 2, "after": 0, "timeout": 60}
                                                   waits until two lines of the file match, and responds with the second;
                                                   with "after", only lines that begin with a greater number count
"""

import json
import os
import re
import signal
import subprocess
import threading
import time

PORT = "/dev/virtio-ports/agent"
LIMIT = 8 << 20

lock = threading.Lock()
jobs = {}


def answer(port, **members):
    with lock:
        data = json.dumps(members).encode() + b"\n"
        while data:
            data = data[os.write(port, data):]


def run(port, request):
    job = subprocess.Popen(
        ["bash", "-c", request["run"]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, cwd="/tmp")
    jobs[request["id"]] = job
    timed_out = False
    try:
        output, errors = job.communicate(timeout=request.get("timeout", 60))
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(job.pid, signal.SIGKILL)
        output, errors = job.communicate()
    uptime = time.clock_gettime(time.CLOCK_BOOTTIME)
    del jobs[request["id"]]
    answer(
        port, id=request["id"], status=124 if timed_out else job.returncode,
        output=output[:LIMIT].decode(errors="replace"), errors=errors[:LIMIT].decode(errors="replace"), uptime=uptime)


def matching(request):
    """Returns the lines of a file that match a request."""
    try:
        with open(request["in"], errors="replace") as file:
            # The last line may be incomplete.
            lines = file.read().split("\n")[:-1]
    except OSError:
        return []
    after = request.get("after")
    found = [line for line in lines if re.search(request["find"], line)]
    return found if after is None else [line for line in found if float(line.split()[0]) > after]


def find(port, request):
    end = time.monotonic() + request["timeout"]
    status, output, errors = 1, "", ""
    try:
        while len(found := matching(request)) < request["count"] and time.monotonic() < end:
            time.sleep(0.05)
        if len(found) >= request["count"]:
            status, output = 0, found[request["count"] - 1]
        else:
            errors = f"{len(found)} of {request['count']} lines match {request['find']}"
    except (re.error, ValueError, IndexError) as error:
        errors = f"{request['find']}: {error}"
    answer(port, id=request["id"], status=status, output=output, errors=errors)


def main():
    while not os.path.exists(PORT):
        time.sleep(0.1)
    port = os.open(PORT, os.O_RDWR)
    answer(port, id=0, status=0, output=open("/proc/uptime").read().split()[0], errors="")
    pending = b""
    while True:
        data = os.read(port, 65536)
        if not data:
            time.sleep(0.2)
            continue
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if "run" in request or "find" in request:
                work = run if "run" in request else find
                threading.Thread(target=work, args=(port, request), daemon=True).start()
            elif request["of"] in jobs:
                os.killpg(jobs[request["of"]].pid, request["signal"])


main()
