// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Kills the tests' child processes if the test process dies. A shell reads process groups from a pipe and kills them
/// once the other end of the pipe is closed.
final class ChildGuard: Sendable {
    static let shared = ChildGuard()

    private static let script = """
        trap '' INT TERM HUP
        groups=
        while read -r verb group key; do
            case $verb in
                add) groups="$groups $group:$key" ;;
                drop)
                    rest=
                    for entry in $groups; do [ "${entry%%:*}" = "$group" ] || rest="$rest $entry"; done
                    groups=$rest ;;
            esac
        done
        for entry in $groups; do
            kill -KILL -- "-${entry%%:*}"
            key=${entry#*:}
            [ -z "$key" ] || ipcrm -M "$key"
        done
        """

    private let pipe: Int32

    private init() {
        pipe = (try? Spawn.start("/bin/sh", ["-c", ChildGuard.script], environment: [:], keeps: [.input]))?.input ?? -1
    }

    /// Registers a process group and the shared-memory key that it uses.
    func add(_ group: pid_t, key: String) {
        sendLine("add \(group) \(key)\n")
    }

    /// Unregisters a process group that has ended.
    func drop(_ group: pid_t) {
        sendLine("drop \(group)\n")
    }

    private func sendLine(_ line: String) {
        let bytes = Array(line.utf8)
        _ = send(pipe, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
