// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AccessoryProgram {
    /// What the kernel counts of a program.
    struct Use {
        var descriptors = 0
        /// How often each thread has gone to sleep.
        var switches: [String: Int] = [:]
        /// Memory in use and at most, in KiB.
        var memory = 0
        var peak = 0
        /// Time on a processor, in ticks of ten milliseconds.
        var ticks = 0

        init() {}

        init(of process: pid_t) {
            let folder = "/proc/\(process)"
            descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count) ?? 0
            memory = Self.number("VmRSS", in: "\(folder)/status")
            peak = Self.number("VmHWM", in: "\(folder)/status")
            for thread in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? [] {
                switches[thread] = Self.number("voluntary_ctxt_switches", in: "\(folder)/task/\(thread)/status")
            }
            // The name may contain blanks; fields 14 and 15 are the twelfth and thirteenth after it.
            let stat = (try? String(contentsOfFile: "\(folder)/stat", encoding: .utf8)) ?? ""
            ticks =
                stat.split(separator: ")").last?.split(separator: " ").dropFirst(11).prefix(2)
                .reduce(0) { $0 + (Int($1) ?? 0) } ?? 0
        }

        var threads: Int { switches.count }

        /// How often threads have woken up since then. Those that have ended since do not count.
        func wakeUps(since early: Use) -> Int {
            switches.reduce(0) { $0 + $1.value - (early.switches[$1.key] ?? 0) }
        }

        /// The threads by how often they have woken up since then, the most often first.
        func wakers(since early: Use) -> [(thread: String, count: Int)] {
            switches.map { ($0.key, $0.value - (early.switches[$0.key] ?? 0)) }.sorted { $0.1 > $1.1 }
        }

        /// The first of them by name.
        static func names(_ wakers: [(thread: String, count: Int)], of process: pid_t) -> String {
            wakers.prefix(3).map { thread, count in
                let name = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/comm", encoding: .utf8)
                return "\(count) of \(name?.dropLast() ?? "one that has ended")"
            }.joined(separator: ", ")
        }

        private static func number(_ name: String, in file: String) -> Int {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }

    /// What a program does though there is nothing to do.
    struct Idleness: CustomStringConvertible {
        /// One that waits is not woken at all; these are for what comes from elsewhere, as threads that Dispatch takes back.
        private static let mostWakeUps = 10
        /// However busy the machine is, a program that waits uses no time. One that goes round does, whether it sleeps or not.
        private static let mostTicks = 2

        var wakeUps: Int
        var ticks: Int
        var wakers = ""
        /// Those of the thread that woke most.
        var most = 0
        var seconds = 0.0
        /// What other programs and tests did in the folders above, which wakes the one thread that watches a folder below.
        var foreign = 0

        var isIdle: Bool { wakeUps - min(most, foreign) <= Self.mostWakeUps && ticks <= Self.mostTicks }

        var description: String {
            "\(wakeUps) wake-ups (\(wakers)) and \(ticks) ticks in \(seconds) s with nothing to do, and \(foreign) files in the folders above"
        }
    }

    /// Looks for two seconds what a program does that has nothing to do, and again while it is not idle: on a busy machine
    /// what came before may take a while to end, but whatever goes round does not end at all.
    static func idleness(of process: pid_t, looks: Int = 15) async throws -> Idleness {
        let folders = FolderCount()
        var idleness = Idleness(wakeUps: .max, ticks: .max)
        for _ in 0..<looks where !idleness.isIdle {
            let start = ContinuousClock.now
            _ = folders.events()
            let early = Use(of: process)
            try await Task.sleep(for: .seconds(2))
            let late = Use(of: process)
            let wakers = late.wakers(since: early)
            idleness = Idleness(
                wakeUps: late.wakeUps(since: early), ticks: late.ticks - early.ticks,
                wakers: Use.names(wakers, of: process), most: wakers.first?.count ?? 0,
                seconds: (ContinuousClock.now - start) / .seconds(1),
                foreign: folders.events())
        }
        return idleness
    }

    func idleness() async throws -> Idleness { try await Self.idleness(of: process.identifier) }
}

/// Counts what comes and goes in the folder for temporary files and in those above it, as inotify tells of it.
private final class FolderCount {
    private let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

    init() {
        let events =
            UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB)
        var folder = FileManager.default.temporaryDirectory.standardizedFileURL
        while inotify_add_watch(descriptor, folder.path, events) >= 0, folder.path != "/" {
            folder.deleteLastPathComponent()
        }
    }

    deinit { close(descriptor) }

    /// How many since the last call; none where inotify cannot be had.
    func events() -> Int {
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let length = read(descriptor, &buffer, buffer.count), length > 0 {
            var offset = 0
            while offset + 16 <= length {
                offset += 16 + Int(buffer[offset + 12]) + Int(buffer[offset + 13]) << 8
                count += 1
            }
        }
        return count
    }
}
