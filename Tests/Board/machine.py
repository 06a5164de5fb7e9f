# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""A virtual machine under qemu: booting, running scripts, plugging in USB serial adapters, shutdown."""

import json
import signal
import socket
import subprocess
import threading
import time

from state import SavedState

# The qemu options for the guest's clock. The first advances by two nanoseconds per instruction, and jumps to the next
# timer when the processor is idle.
CLOCKS = {
    "guest": ("-accel", "tcg,thread=single,tb-size=512", "-icount", "shift=1,sleep=off", "-rtc", "clock=vm", "-smp", "1"),
    "host": ("-accel", "tcg,thread=multi,tb-size=512", "-smp", "2"),
}


class MachineError(Exception):
    """The machine does not boot or does not respond."""


class Result:
    """The result of a script: exit status, standard output, standard error, and the uptime at its end."""

    def __init__(self, status, output, errors, uptime=None):
        self.status = status
        self.output = output
        self.errors = errors
        self.uptime = uptime

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
        """Returns the result after the script has ended."""
        if not self.finished.wait(max(0, self.deadline - time.monotonic())) or self.result is None:
            raise MachineError("the machine does not answer:" + self.machine.console())
        return self.result

    def stop(self, number=signal.SIGTERM):
        self.send_signal(number)
        return self.wait()


class Machine:
    """A running virtual machine. Use it in a `with` statement.

    The disks are not changed: the machine's writes are kept in memory and discarded at its end.
    """

    def __init__(self, architecture, image, payload, folder, init="/opt/board/init", adapters=(), clock="guest"):
        """init: the first program of the guest after its disks are mounted.
        adapters: the names of USB serial adapters that can be plugged in.
        clock: "guest" for a clock that advances with the instructions of the guest, independent of the load of the host;
        "host" for the host's clock, which guests need that communicate with devices of the host.
        """
        self.folder = folder
        self.jobs = {}
        self.count = 0
        self.lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        # norandmaps: the emulator translates the code of a program once instead of once per address, which doubles its
        # speed.
        kernel_options = (
            f"console={architecture.console} loglevel=5 panic=5 net.ifnames=0 mitigations=off audit=0 norandmaps "
            f"board.init={init}")
        self.command = [
            architecture.emulator, *architecture.machine, *CLOCKS[clock],
            "-m", "1536", "-nodefaults", "-nographic", "-no-reboot",
            "-kernel", image.kernel, "-initrd", image.initramfs, "-append", kernel_options,
            "-drive", f"file={image.disk},format=raw,if=virtio,readonly=on",
            "-drive", f"file={payload},format=raw,if=virtio,readonly=on",
            "-serial", f"file:{folder}/console", "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={folder}/agent,server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent",
            "-qmp", f"unix:{folder}/monitor,server=on,wait=off", "-device", "qemu-xhci,id=xhci",
        ]
        # The directory differs between runs, and the remote ends of adapters are not part of the state.
        fixed = [str(part).replace(str(folder), "").replace(str(payload), "") for part in self.command]
        self.state = SavedState(image, fixed, payload)
        for name in adapters:
            self.command += ["-chardev", f"socket,id={name},path={folder}/{name},server=on,wait=off"]

    def __enter__(self):
        """Restores a saved machine if possible, or boots this one."""
        with self.state.lock:
            if self.state.path.exists():
                try:
                    self.begin(self.state.options)
                    self.state.restore(self)
                    return self.finish()
                except (MachineError, OSError) as error:
                    print(f"{self.state.path.name} is removed, because it cannot be restored: {error}", flush=True)
                    self.__exit__()
                    self.state.remove()
            try:
                self.begin([])
                self.started.wait()
                self.read_ahead("/usr /etc")
                self.require("umount /opt/board")
                self.state.save(self)
                return self.finish()
            except BaseException:
                self.__exit__()
                raise

    def begin(self, options):
        """Starts qemu, and connects to the agent."""
        with open(self.folder / "qemu", "wb") as log:
            self.process = subprocess.Popen(
                ["nice", "-n", "5", *map(str, self.command), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.agent = self.connect("agent")
        # The agent of a booting machine responds when it starts.
        self.started = self.jobs[0] = Job(self, 0, 180)
        threading.Thread(target=self.receive, args=(self.agent,), daemon=True).start()

    def finish(self):
        """Mounts the disk with the tool, which may differ from that of the saved machine."""
        self.require("blockdev --flushbufs /dev/vdb && mount -t ext4 -o ro /dev/vdb /opt/board")
        self.read_ahead("/opt/board")
        self.require(f"date --set @{time.time()}")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self, name):
        """Connects to the agent, to the monitor, or to the remote end of an adapter's serial line."""
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

    def receive(self, agent):
        """Finishes jobs with the responses of the agent, until the machine ends."""
        pending = b""
        try:
            while data := agent.recv(1 << 16):
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    answer = json.loads(line)
                    job = self.jobs.pop(answer["id"], None)
                    if job:
                        job.result = Result(answer["status"], answer["output"], answer["errors"], answer.get("uptime"))
                        job.finished.set()
        except OSError:
            pass
        if agent is self.agent:
            for job in list(self.jobs.values()):
                job.finished.set()

    def send(self, **members):
        with self.lock:
            self.agent.sendall(json.dumps(members).encode() + b"\n")

    def add_job(self, timeout):
        with self.lock:
            self.count += 1
            job = self.jobs[self.count] = Job(self, self.count, timeout)
        return job

    def start(self, script, timeout=120):
        """Starts a bash script as root. It is killed after the timeout, in seconds."""
        job = self.add_job(timeout)
        self.send(id=job.number, run=script, timeout=timeout)
        return job

    def run(self, script, timeout=120):
        """Runs a bash script as root, and returns its result."""
        return self.start(script, timeout).wait()

    def require(self, script):
        """Runs a script that has to succeed for the machine to be usable."""
        result = self.run(script)
        if result.status != 0:
            raise MachineError(f"{script}: {result}")

    def read_ahead(self, folders):
        """Reads files into the page cache of the guest, so that later reads do not access the disks.

        While the processor waits for a disk, the guest's clock jumps to the next timer, possibly by minutes. A busy loop
        prevents this here.
        """
        self.require(
            f"""nice -n 19 sh -c 'while :; do :; done' & busy=$!
            find {folders} -xdev -type f -exec cat {{}} + >/dev/null; status=$?; kill $busy; exit $status""")

    def find(self, pattern, path, count, seconds, after):
        """Waits until lines of a file match, see `Board.find`."""
        job = self.add_job(seconds)
        self.send(id=job.number, find=pattern, count=count, after=after, timeout=seconds, **{"in": path})
        return job.wait()

    def plug(self, adapter, serial):
        """Plugs in a USB serial adapter with this serial number, which the kernel detects as an FTDI."""
        deadline = time.monotonic() + 10
        while True:
            try:
                return self.monitor(
                    "device_add", driver="usb-serial", chardev=adapter, id=f"usb-{adapter}", serial=serial,
                    **{"always-plugged": True})
            except MachineError:
                # qemu releases an unplugged adapter asynchronously.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def unplug(self, adapter):
        self.monitor("device_del", id=f"usb-{adapter}")

    def pause(self):
        """Stops the machine, including its clocks, until `resume`."""
        self.monitor("stop")

    def resume(self):
        self.monitor("cont")

    def monitor(self, command, **arguments):
        """Runs a QMP command, and returns the response."""
        try:
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
        except (OSError, ValueError) as error:
            raise MachineError(f"qemu has ended: {(self.folder / 'qemu').read_text(errors='replace')[-400:]}") from error

    def console(self):
        """Returns the end of the kernel log, or the messages around a panic."""
        try:
            text = (self.folder / "console").read_text(errors="replace").splitlines()
        except OSError:
            text = []
        panic = next((number for number, line in enumerate(text) if "panic" in line), len(text))
        text = text[max(0, panic - 20):panic + 1]
        return "".join(f"\n    {line}" for line in text)
