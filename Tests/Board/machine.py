# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A virtual machine under qemu: booting, running scripts in it, plugging USB serial adapters, stopping it."""

import json
import signal
import socket
import subprocess
import threading
import time


class MachineError(Exception):
    """The machine does not boot or does not answer."""


class Result:
    """The outcome of a script: its exit status, standard output and standard error."""

    def __init__(self, status, output, errors):
        self.status = status
        self.output = output
        self.errors = errors

    @property
    def timed_out(self):
        return self.status == 124

    def __repr__(self):
        return f"status {self.status}: {(self.output + self.errors).strip()[-400:]}"


class Job:
    """A script that runs in the machine."""

    def __init__(self, machine, number, timeout):
        self.machine = machine
        self.number = number
        self.deadline = time.monotonic() + timeout + 60
        self.result = None
        self.finished = threading.Event()

    def send_signal(self, number=signal.SIGTERM):
        """Sends a signal to all processes of the script."""
        self.machine.send(signal=int(number), of=self.number)

    def wait(self):
        """Returns the result when the script has ended."""
        if not self.finished.wait(max(0, self.deadline - time.monotonic())) or self.result is None:
            raise MachineError("the machine does not answer:" + self.machine.console())
        return self.result

    def stop(self, number=signal.SIGTERM):
        self.send_signal(number)
        return self.wait()


class Machine:
    """A running virtual machine. Use it in a `with` statement.

    The disks are not changed: what a machine writes is gone when it ends.
    """

    def __init__(self, architecture, image, payload, folder, init="/opt/board/init", adapters=()):
        """init: the first program of the guest, after its disks are mounted.
        adapters: the names of USB serial adapters that can be plugged in.
        """
        self.folder = folder
        self.jobs = {}
        self.count = 0
        self.lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        kernel_options = (
            f"console={architecture.console} loglevel=5 panic=5 net.ifnames=0 mitigations=off audit=0 board.init={init}")
        self.command = [
            architecture.emulator, *architecture.machine,
            "-accel", "tcg,thread=multi,tb-size=512", "-smp", "2", "-m", "1536", "-nodefaults", "-nographic", "-no-reboot",
            "-kernel", image.kernel, "-initrd", image.initramfs, "-append", kernel_options,
            "-drive", f"file={image.disk},format=raw,if=virtio,snapshot=on",
            "-drive", f"file={payload},format=raw,if=virtio,readonly=on",
            "-serial", f"file:{folder}/console", "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={folder}/agent,server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent",
            "-qmp", f"unix:{folder}/monitor,server=on,wait=off", "-device", "qemu-xhci,id=xhci",
        ]
        for name in adapters:
            self.command += ["-chardev", f"socket,id={name},path={folder}/{name},server=on,wait=off"]

    def __enter__(self):
        with open(self.folder / "qemu", "wb") as log:
            self.process = subprocess.Popen(
                ["nice", "-n", "5", *map(str, self.command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.agent = self.connect("agent")
            self.started = Job(self, 0, 180)
            self.jobs[0] = self.started
            threading.Thread(target=self.receive, daemon=True).start()
            self.started.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self, name):
        """Connects to the agent, the monitor, or the far end of an adapter's serial line."""
        path = str(self.folder / name)
        for _ in range(200):
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(path)
                return connection
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise MachineError("qemu does not start: " + (self.folder / "qemu").read_text(errors="replace")[-400:])

    def receive(self):
        pending = b""
        # Ends when the machine does.
        while data := self.agent.recv(1 << 16):
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                answer = json.loads(line)
                job = self.jobs.pop(answer["id"], None)
                if job:
                    job.result = Result(answer["status"], answer["output"], answer["errors"])
                    job.finished.set()
        for job in list(self.jobs.values()):
            job.finished.set()

    def send(self, **members):
        with self.lock:
            self.agent.sendall(json.dumps(members).encode() + b"\n")

    def start(self, script, timeout=120):
        """Starts a script of bash, as root; it is killed after the timeout, in seconds."""
        with self.lock:
            self.count += 1
            job = self.jobs[self.count] = Job(self, self.count, timeout)
        self.send(id=job.number, run=script, timeout=timeout)
        return job

    def run(self, script, timeout=120):
        """Runs a script of bash, as root, and returns its result."""
        return self.start(script, timeout).wait()

    def plug(self, adapter, serial):
        """Plugs in a USB serial adapter, an FTDI to the kernel, with that serial number."""
        self.monitor(
            "device_add", driver="usb-serial", chardev=adapter, id=f"usb-{adapter}", serial=serial,
            **{"always-plugged": True})

    def unplug(self, adapter):
        self.monitor("device_del", id=f"usb-{adapter}")

    def pause(self):
        """Stops the whole machine, with its clocks, until `resume`."""
        self.monitor("stop")

    def resume(self):
        self.monitor("cont")

    def monitor(self, command, **arguments):
        """Runs a command of qemu's machine protocol, and returns its answer."""
        with self.connect("monitor") as connection, connection.makefile("rw") as stream:
            stream.readline()
            for name, members in [("qmp_capabilities", {}), (command, arguments)]:
                stream.write(json.dumps({"execute": name, "arguments": members}) + "\n")
                stream.flush()
                while "event" in (reply := json.loads(stream.readline())):
                    pass
                if "error" in reply:
                    raise MachineError(f"{name}: {reply['error'].get('desc')}")
        return reply["return"]

    def console(self):
        """The end of the kernel's messages, or those around its panic."""
        try:
            text = (self.folder / "console").read_text(errors="replace").splitlines()
        except OSError:
            text = []
        panic = next((number for number, line in enumerate(text) if "panic" in line), len(text))
        text = text[max(0, panic - 20):panic + 1]
        return "".join(f"\n    {line}" for line in text)
