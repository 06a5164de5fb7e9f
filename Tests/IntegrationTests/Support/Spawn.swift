// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Starts a program in its own process group.
enum Spawn {
    enum Stream {
        case input, output, errors
    }

    struct Failure: Error, CustomStringConvertible {
        let call: String
        let number: Int32
        var description: String { "\(call): \(String(cString: strerror(number)))" }
    }

    struct Result {
        let process: pid_t
        /// Connected to the program's standard input, -1 unless requested.
        var input: Int32 = -1
        /// Connected to the program's standard output, -1 unless requested.
        var output: Int32 = -1
    }

    static func start(
        _ path: String, _ arguments: [String], environment: [String: String], keeps streams: Set<Stream>
    ) throws -> Result {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var inside: [Int32] = []
        defer { for descriptor in inside { close(descriptor) } }
        var input: Int32 = -1
        var output: Int32 = -1
        if streams.contains(.input) {
            let ends = try pipe()
            input = ends.write
            inside.append(ends.read)
            posix_spawn_file_actions_adddup2(&actions, ends.read, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        if streams.contains(.output) {
            let ends = try pipe()
            output = ends.read
            inside.append(ends.write)
            posix_spawn_file_actions_adddup2(&actions, ends.write, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        if !streams.contains(.errors) { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        // Closes descriptors that the test runner leaves open to child processes. Closing an unused number is not an
        // error.
        for descriptor in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = 0
        let number = withStrings([path] + arguments) { argv in
            withStrings(environmentStrings(with: environment)) { envp in
                posix_spawn(&process, path, &actions, &attributes, argv, envp)
            }
        }
        guard number == 0 else {
            for descriptor in [input, output] where descriptor >= 0 { close(descriptor) }
            throw Failure(call: "posix_spawn \(path)", number: number)
        }
        return Result(process: process, input: input, output: output)
    }

    /// A socket pair, because it can be created without being inherited by other child processes.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(call: "socketpair", number: errno)
        }
        return (ends[0], ends[1])
    }

    private static func environmentStrings(with changes: [String: String]) -> [String] {
        // Some programs format numbers and messages according to the locale.
        let changes = ["LC_ALL": "C"].merging(changes) { $1 }
        var strings: [String] = []
        var entry = environ
        while let current = entry.pointee {
            let text = String(cString: current)
            if changes[String(text.prefix { $0 != "=" })] == nil { strings.append(text) }
            entry += 1
        }
        return strings + changes.map { "\($0)=\($1)" }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }
}
