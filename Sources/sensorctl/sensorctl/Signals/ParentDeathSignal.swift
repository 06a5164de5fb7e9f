// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// Starts child programs that end when this program ends, even if this program is killed. The child process first
/// executes a second instance of this program, which requests a parent death signal and then executes the actual
/// program.
enum ParentDeathSignal {
    private static let flag = "--end-with"

    static func arguments(for program: [String]) -> [String] {
        // If the user started this program through the dynamic loader, /proc/self/exe refers to the loader. In that
        // case, the child program is executed directly, without a death signal.
        guard let own = realpath("/proc/self/exe", nil) else { return program }
        defer { free(own) }
        guard !(String(cString: own).split(separator: "/").last ?? "").hasPrefix("ld") else { return program }
        return ["/proc/self/exe", flag, String(getpid())] + program
    }

    /// If this process was started to execute a child program, executes it and does not return.
    static func execProgramIfRequested() {
        let words = CommandLine.arguments
        guard words.count > 3, words[1] == flag, let parent = pid_t(words[2]) else { return }
        // prctl(2) is variadic, so Swift cannot import it, and it is looked up at run time. 1 is PR_SET_PDEATHSIG.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        if let control = dlsym(nil, "prctl") { _ = unsafeBitCast(control, to: Control.self)(1, UInt(SIGTERM), 0, 0, 0) }
        // If the parent ended before the death signal was requested, the signal would never arrive, so this process
        // exits.
        guard getppid() == parent else { exit(128 + SIGTERM) }
        // The child inherited its priority from the thread that started it, which may have a higher priority than the
        // parent's main thread. The child therefore lowers its priority to that of the main thread. 0 is PRIO_PROCESS,
        // which on Linux refers to a single thread.
        let niceness = getpriority(0, id_t(parent))
        if niceness > getpriority(0, 0) { setpriority(0, 0, niceness) }
        let program = words[3...].map { strdup($0) }
        execvp(words[3], program + [nil])
        let number = errno
        let error = DeviceError(
            .notFound, "\(words[3]) cannot be started. Check that it is in PATH and executable.",
            cause: .system(call: "execvp", errno: number))
        Log.bootstrap()
        Log.error(error.description)
        exit(127)
    }
}
