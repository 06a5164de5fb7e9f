# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Runs the tool with a time limit, and returns its end, its output and its peak memory."""
import os
import pty
import shlex
import signal
import stat
import threading
import time

# The maximum size of a run's output in bytes. Further output is discarded.
OUTPUT = 8 << 20
# The time limit of a run on an idle machine, in seconds.
LIMIT = 20.0

_alive = set()
_lock = threading.Lock()


class Result:
    """The end of a run. `status` is None after a signal; `late` is true if the time limit sent the signal."""

    def __init__(self, arguments, stdin, settings, status, signal_number, late, out, err, seconds, peak):
        self.arguments, self.stdin, self.settings = arguments, stdin, settings
        self.status, self.signal, self.late = status, signal_number, late
        self.out, self.err, self.seconds, self.peak = out, err, seconds, peak

    @property
    def end(self):
        """The end as one word, for the table."""
        if self.late:
            return "late"
        return str(self.status) if self.signal is None else signal.Signals(self.signal).name

    @property
    def command(self):
        """The command that repeats the run, with all bytes of names."""
        words = [f"{name}={_quoted(value)}" for name, value in sorted(self.settings.items())]
        words += [_quoted(word) for word in self.arguments]
        if self.stdin != os.devnull:
            words += ["<", "(a pipe)" if isinstance(self.stdin, int) else _quoted(self.stdin)]
        return " ".join(words)


def _quoted(word):
    word = os.fsdecode(word)
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(word)) + "'"


def kill_all():
    """Ends all remaining runs when the attack is ended."""
    with _lock:
        for process in list(_alive):
            _kill(process)


def _kill(process):
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Tool:
    """The tool under attack, isolated from the settings of this machine and this user."""

    def __init__(self, path, folder):
        self.path = os.path.abspath(path)
        self.folder = folder
        self.home = os.path.join(folder, "home")
        os.makedirs(self.home, exist_ok=True)
        self.limit = LIMIT
        self._count = 0
        keep = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TZ") if name in os.environ}
        self.environment = {
            **keep, "HOME": self.home, "TMPDIR": folder, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
            # No server outside of the attack is used. A crash does not wait for a debugger.
            "DEVICE_SERVICES_GPSD": "gpsd://127.0.0.1:1", "DEVICE_SERVICES_IIO": "xml:" + os.path.join(self.home, "none.xml"),
            "DEVICE_SERVICES_UDEV": "off", "DEVICE_SERVICES_STATE": os.path.join(self.home, "state"),
            "DEVICE_SERVICES_CONFIG": os.path.join(self.home, "none.json"), "SWIFT_BACKTRACE": "enable=no",
        }
        with open(self.environment["DEVICE_SERVICES_CONFIG"], "w") as file:
            file.write("{}\n")
        with open(os.path.join(self.home, "none.xml"), "w") as file:
            file.write('<?xml version="1.0"?><context name="none" description="no sensor"></context>\n')

    def measure(self):
        """Extends the time limit on a slow or busy machine."""
        best = min(self.run(["--version"]).seconds for _ in range(3))
        busy = os.getloadavg()[0] / (os.cpu_count() or 1)
        self.limit = LIMIT * max(1.0, best / 0.1, min(busy, 3.0))

    def name(self, word):
        """Returns an unused name in the directory."""
        with _lock:
            self._count += 1
            return os.path.join(self.folder, f"{word}-{self._count}")

    def run(self, arguments, **options):
        """Runs the tool to its end. The options are those of `start`."""
        return self.start(arguments, **options).wait()

    def start(self, arguments, **options):
        """Starts a run."""
        return Run(self, [self.path, *arguments], **options)


class Run:
    """A started run of the tool, in a separate process group."""

    def __init__(self, tool, arguments, stdin=os.devnull, settings=None, terminal=False, limit=None, stdout=None,
                 before=()):
        """`before` is a command that runs the tool, such as `setpriv`. `stdout` is a path for its output or a descriptor, which
        `stdin` can be, too.
        """
        self.arguments, self.stdin, self.settings = [*before, *arguments], stdin, dict(settings or {})
        environment = {**tool.environment, **self.settings}
        self._tool, self._late, self._is_gone = tool, False, False
        self._ended, self._news = threading.Lock(), threading.Condition()
        self._said = {"out": bytearray(), "err": bytearray()}
        self._readers = []
        self._begin = time.monotonic()
        # The peak memory of a child that Python forks includes Python's own memory; posix_spawn reduces this.
        words = [os.fsencode(word) for word in self.arguments]
        if not isinstance(stdin, int) and stat.S_ISFIFO(os.stat(stdin).st_mode):
            # Opening it waits for the other side, which must not block this program.
            words = [b"sh", b"-c", b'exec "$@" <"$0"', os.fsencode(stdin), *words]
            stdin = os.devnull
        self._opened = stdin
        if terminal:
            self._spawn_in_terminal(words, environment)
        else:
            self._spawn(words, environment, stdout)
        with _lock:
            _alive.add(self.process)
        self._timer = threading.Timer(limit or tool.limit, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _spawn(self, words, environment, stdout):
        ours, theirs = zip(os.pipe(), os.pipe())
        actions = [(os.POSIX_SPAWN_OPEN, 0, self._opened, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, theirs[0], 1),
                   (os.POSIX_SPAWN_DUP2, theirs[1], 2)]
        if isinstance(self.stdin, int):
            actions[0] = (os.POSIX_SPAWN_DUP2, self.stdin, 0)
        if isinstance(stdout, int):
            actions[1] = (os.POSIX_SPAWN_DUP2, stdout, 1)
        elif stdout is not None:
            actions[1] = (os.POSIX_SPAWN_OPEN, 1, stdout, os.O_WRONLY | os.O_CREAT, 0o600)
        self._spawn_with(words, environment, ours, theirs, file_actions=actions, setpgroup=0)

    def _spawn_in_terminal(self, words, environment):
        master, slave = pty.openpty()
        name = os.ttyname(slave)
        actions = [(os.POSIX_SPAWN_OPEN, number, name, os.O_RDWR, 0) for number in (0, 1, 2)]
        if self.stdin != os.devnull:
            actions[0] = (os.POSIX_SPAWN_OPEN, 0, self._opened, os.O_RDONLY, 0)
        self._spawn_with(words, environment, [master], [slave], file_actions=actions, setsid=True)

    def _spawn_with(self, words, environment, ours, theirs, **options):
        try:
            # Python ignores SIGPIPE, a shell ignores keyboard signals for `&` jobs, and nohup ignores SIGHUP. The tool
            # would inherit this.
            usual = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP]
            self.process = os.posix_spawnp(words[0], words, environment, setsigdef=usual, **options)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        for name, descriptor in zip(("out", "err"), ours):
            reader = threading.Thread(target=self._read, args=(name, descriptor), daemon=True)
            reader.start()
            self._readers.append(reader)

    def _read(self, name, descriptor):
        data = b" "
        while data:
            try:
                data = os.read(descriptor, 65536)
            except OSError:  # EIO: the last process has closed the terminal.
                data = b""
            with self._news:
                if len(self._said[name]) < OUTPUT:
                    self._said[name] += data
                self._news.notify_all()
        os.close(descriptor)

    def _expire(self):
        with self._ended:
            if not self._is_gone:
                self._late = True
                _kill(self.process)

    def kill(self, number=signal.SIGTERM):
        """Sends a signal to the tool."""
        with self._ended:
            if not self._is_gone:
                os.kill(self.process, number)

    def wait(self):
        """Waits for the end, at most for the time limit."""
        # The process id is not reused before wait4, so the timer cannot kill another process.
        os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOWAIT)
        with self._ended:
            self._is_gone = True
            # Remaining child processes are also killed.
            _kill(self.process)
            _, state, usage = os.wait4(self.process, 0)
        self._timer.cancel()
        with _lock:
            _alive.discard(self.process)
        seconds = time.monotonic() - self._begin
        for reader in self._readers:
            reader.join(self._tool.limit)
        number = os.WTERMSIG(state) if os.WIFSIGNALED(state) else None
        status = None if number is not None else os.WEXITSTATUS(state)
        return Result(self.arguments, self.stdin, self.settings, status, number, self._late, bytes(self._said["out"]),
                      bytes(self._said["err"]), seconds, usage.ru_maxrss)

    @property
    def out(self):
        """The standard output so far; in a terminal, also standard error."""
        return bytes(self._said["out"])

    @property
    def err(self):
        return bytes(self._said["err"])

    @property
    def is_heard(self):
        """Returns whether a process still has its output open."""
        return any(reader.is_alive() for reader in self._readers)

    def wait_until(self, condition, limit=None):
        """Waits until the condition is true for the output. Returns False at the end of the run or of the time
        limit."""
        end = time.monotonic() + (limit or self._tool.limit)
        with self._news:
            while not condition(self):
                left = end - time.monotonic()
                if left < 0 or not self.is_heard:
                    return False
                self._news.wait(min(left, 1))
        return True
