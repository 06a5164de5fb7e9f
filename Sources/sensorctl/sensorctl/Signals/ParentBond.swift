// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// Has a program that this one runs end with it, also when it is killed and can tell nobody, and be no more urgent.
///
/// The system does that for a process that asks for it itself. So the program is begun as this one, which asks and then
/// becomes the other.
enum ParentBond {
    private static let flag = "--end-with"

    /// What to start so that it becomes that program with its arguments, first the file.
    static func words(for program: [String]) -> [String] {
        // A loader that was named before this program knows nothing of it.
        guard let own = realpath("/proc/self/exe", nil) else { return program }
        defer { free(own) }
        guard !(String(cString: own).split(separator: "/").last ?? "").hasPrefix("ld") else { return program }
        return ["/proc/self/exe", flag, String(getpid())] + program
    }

    /// Becomes the program where this process was started for that; returns where it was not.
    static func becomeProgramIfAsked() {
        let words = CommandLine.arguments
        guard words.count > 3, words[1] == flag, let parent = pid_t(words[2]) else { return }
        // A function of any number of arguments, which Swift does not import. 1 is PR_SET_PDEATHSIG.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        if let control = dlsym(nil, "prctl") {
            _ = unsafeBitCast(control, to: Control.self)(1, UInt(SIGTERM), 0, 0, 0)
        }
        // It may have gone before that.
        guard getppid() == parent else { exit(128 + SIGTERM) }
        // The thread that has begun it may be more urgent than the process is, which the first thread stands for. 0 says that
        // the number is a thread's.
        let niceness = getpriority(0, id_t(parent))
        if niceness > getpriority(0, 0) { setpriority(0, 0, niceness) }
        let program = words[3...].map { strdup($0) }
        execvp(words[3], program + [nil])
        let number = errno
        let error = DeviceError(
            .notFound, "\(words[3]) cannot be started. Is it in PATH, and executable?",
            cause: .system(call: "execvp", errno: number))
        Notes.bootstrap()
        Notes.fail(error.description)
        exit(127)
    }
}
