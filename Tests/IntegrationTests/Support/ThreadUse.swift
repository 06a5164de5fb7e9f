// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The resources used by a thread of this process, as counted by the kernel.
struct ThreadUse {
    struct Unreadable: Error {}

    /// Processor time, in ticks of 10 ms.
    let ticks: Int
    /// The number of voluntary context switches.
    let switches: Int

    /// The kernel's ID of the calling thread.
    static var current: pid_t? {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        return link?.split(separator: "/").last.flatMap { pid_t($0) }
    }

    init(of thread: pid_t) throws {
        let folder = "/proc/self/task/\(thread)"
        let stat = try String(contentsOfFile: "\(folder)/stat", encoding: .utf8)
        // The name may contain spaces. Fields 14 and 15 are the twelfth and thirteenth after it.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]),
            let switches = line?.split(whereSeparator: \.isWhitespace).last.flatMap({ Int($0) })
        else { throw Unreadable() }
        ticks = user + system
        self.switches = switches
    }
}
