// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension Tools {
    /// The command that runs a program without root permissions. Empty if none is needed, nil if unavailable.
    static let asAnybody: [String]? = {
        guard isRoot else { return [] }
        guard let setpriv = find("setpriv"), let program = try? TestProgram.apps.path else {
            return nil
        }
        let command = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
        return succeeds(command + ["test", "-x", program]) ? command : nil
    }()

    /// The command that runs a program in a user namespace without inotify watches, with its log in the output. nil if
    /// unavailable.
    static let withoutInotify: [String]? = {
        guard let unshare else { return nil }
        let script = #"echo 0 > /proc/sys/user/max_inotify_watches && exec "$0" "$@" 2>&1"#
        let command = [unshare, "-U", "-r", "sh", "-c", script]
        return succeeds(command + ["true"]) ? command : nil
    }()

    static let prlimit = find("prlimit")

    /// Sets the limit of descriptors for a running program.
    static func setDescriptorLimit(_ program: AccessoryProgram, _ number: String) -> Bool {
        guard let prlimit else { return false }
        return succeeds([prlimit, "--pid", "\(program.process.identifier)", "--nofile=\(number):"])
    }

    /// Leaves a program without free descriptors. A descriptor that is in use for a moment, such as that of a folder
    /// being read, hides a free number, so this polls until none has been free for a while.
    static func exhaustDescriptors(from program: AccessoryProgram) async throws -> Bool {
        var limit = Int.max
        var samples = 0
        for _ in 0..<3_000 where samples < 50 {
            let free = program.firstFreeDescriptor
            samples += 1
            if free < limit {
                guard setDescriptorLimit(program, "\(free)") else { return false }
                limit = free
                samples = 0
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return samples == 50
    }

    /// The reasons for skipping tests.
    static let setprivMissing: Comment =
        "root cannot run programs as another user here: apt-get install util-linux, and let others read the build folder"
    static let inotifyLimitMissing: Comment =
        "no user namespace with limits of its own can be made here: sysctl kernel.unprivileged_userns_clone=1"

    static let prlimitMissing: Comment = "prlimit is not installed: apt-get install util-linux"

    private static func succeeds(_ command: [String]) -> Bool {
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: command[0])
        trial.arguments = Array(command[1...])
        trial.standardOutput = FileHandle.nullDevice
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }
}
