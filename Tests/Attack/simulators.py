# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Clients that keep a simulator's connections open without requests or send invalid data, and a killed simulator."""
import json
import os
import random
import signal
import socket

IDLE = {"gpsd": 64, "iio": 256}
WATCH = {"gpsd": (["watch", "location", "--count", "1", "--duration", "10"], "DEVICE_SERVICES_GPSD"),
         "iio": (["watch", "accelerometer", "--count", "1", "--duration", "10"], "DEVICE_SERVICES_IIO")}
REQUESTS = {"gpsd": [b"?WATCH={", b"?POLL;", b"?DEVICE=", b'?WATCH={"enable":true,"device":"', b"?VERSION;", b"\xff" * 50, b"?" * 5000, b"\n"],
            "iio": [b"PRINT\r\n", b"OPEN ", b"READBUF ", b"VERSION\r\n", b"READ iio:device0 ", b"WRITE ", b"-1 99999999999\r\n",
                    b"accelerometer 4 ffffffff\r\n", b"\0" * 50, b"TIMEOUT 1\r\n", b"SETTRIG ", b"A" * 70_000, b"\r\n"]}


def prepare(attack, part):
    return {seed.name: seed.path for seed in attack.seeds}


def cases(attack):
    return ["idle gpsd", "idle iio", "garbage gpsd", "garbage iio", *(f"killed {verb or 'all'}" for verb in ("gpsd", "iio", "accessory", ""))]


def run_case(attack, part, case, seeds):
    kind, _, name = case.partition(" ")
    if kind == "killed":
        _killed(attack, part, case, "" if name == "all" else name, seeds)
        return
    run = attack.tool.start(["simulate", name, seeds["whole.trace"], "--loop", "--json"], limit=4 * attack.tool.limit)
    clients = []
    try:
        if not run.wait_until(lambda run: b"\n" in run.out):
            part.find(case, "did not listen")
            return
        started = json.loads(run.out.splitlines()[0])
        if kind == "idle":
            clients += [socket.create_connection(("127.0.0.1", started["port"]), timeout=5) for _ in range(IDLE[name])]
        else:
            _send_garbage(attack, name, started["port"])
        words, variable = WATCH[name]
        result = attack.tool.run(words, settings={variable: started["uri"]})
        part.judge(case, result)
        if result.status != 0:
            part.find(case, f"did not accept a new client ({result.end})", result)
    finally:
        for client in clients:
            client.close()
        run.kill(signal.SIGTERM)
        part.judge(case, run.wait())


def _send_garbage(attack, name, port):
    chance = random.Random(f"{attack.seed} simulators {name}")
    for _ in range(60):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            try:
                for _ in range(chance.randrange(1, 8)):
                    client.sendall(chance.choice(REQUESTS[name]) + chance.choice((b"", b"\r\n", b";\n", b"iio:device0\r\n")))
            except OSError:
                pass


def _killed(attack, part, case, verb, seeds):
    """The child program ends with the simulator, even if the simulator is killed."""
    source = seeds["scale.trace"] if verb == "accessory" else seeds["whole.trace"]
    ours, theirs = os.pipe()
    # cat reports that it runs, and continues while its input is open.
    os.write(theirs, b"running\n")
    run = attack.tool.start(["simulate", *([verb] if verb else []), source, "--", "cat"], stdin=ours)
    os.close(ours)
    try:
        if not run.wait_until(lambda run: b"running" in run.out):
            part.find(case, "did not start its program")
        run.kill(signal.SIGKILL)
        # The program keeps the pipe of its output open.
        run.wait_until(lambda _: not run.is_heard, limit=5)
        if run.is_heard:
            part.find(case, "the child program continued after sensorctl was killed")
    finally:
        os.close(theirs)
        run.wait()
