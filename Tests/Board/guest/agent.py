#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs shell scripts for the host, which sends them as lines of JSON through a virtio serial port.

    {"id": 1, "run": "uname -r", "timeout": 60}    answered with {"id": 1, "status": 0, "output": "...", "errors": "..."}
    {"id": 2, "signal": 15, "of": 1}               sends a signal to the processes of that script; no answer
"""

import json
import os
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
    del jobs[request["id"]]
    answer(
        port, id=request["id"], status=124 if timed_out else job.returncode,
        output=output[:LIMIT].decode(errors="replace"), errors=errors[:LIMIT].decode(errors="replace"))


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
            if "run" in request:
                threading.Thread(target=run, args=(port, request), daemon=True).start()
            elif request["of"] in jobs:
                os.killpg(jobs[request["of"]].pid, request["signal"])


main()
