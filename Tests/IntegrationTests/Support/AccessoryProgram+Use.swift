// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AccessoryProgram {
    /// The resources used by a program, as counted by the kernel.
    struct Use {
        var descriptors = 0
        /// The number of voluntary context switches of each thread.
        var switches: [String: Int] = [:]
        /// Current and peak memory use, in KiB.
        var memory = 0
        var peak = 0
        /// Processor time, in ticks of 10 ms.
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
            // The name may contain spaces. Fields 14 and 15 are the twelfth and thirteenth after it.
            let stat = (try? String(contentsOfFile: "\(folder)/stat", encoding: .utf8)) ?? ""
            ticks =
                stat.split(separator: ")").last?.split(separator: " ").dropFirst(11).prefix(2)
                .reduce(0) { $0 + (Int($1) ?? 0) } ?? 0
        }

        var threads: Int { switches.count }

        /// The number of wake-ups since `early`. Threads that have ended do not count.
        func wakeUps(since early: Use) -> Int {
            switches.reduce(0) { $0 + $1.value - (early.switches[$1.key] ?? 0) }
        }

        /// The threads with their wake-ups since `early`, most wake-ups first.
        func wakers(since early: Use) -> [(thread: String, count: Int)] {
            switches.map { ($0.key, $0.value - (early.switches[$0.key] ?? 0)) }.sorted { $0.1 > $1.1 }
        }

        /// Returns the names of the first threads.
        static func names(_ wakers: [(thread: String, count: Int)], of process: pid_t) -> String {
            wakers.prefix(3).map { thread, count in
                let name = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/comm", encoding: .utf8)
                return "\(count) of \(name?.dropLast() ?? "an ended thread")"
            }.joined(separator: ", ")
        }

        private static func number(_ name: String, in file: String) -> Int {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }

    /// The activity of a program without work to do.
    struct Idleness: CustomStringConvertible {
        /// The limit for a waiting program, which has no wake-ups of its own. Allows for external ones, such as threads
        /// ended by Dispatch.
        private static let maximumWakeUps = 10
        /// The limit for a waiting program, which uses no processor time even on a busy machine. A loop exceeds the
        /// limit even if it sleeps.
        private static let maximumTicks = 2

        var wakeUps: Int
        var ticks: Int
        var wakers = ""
        /// The wake-ups of the thread with the most wake-ups.
        var maximum = 0
        var seconds = 0.0
        /// The number of changes by other programs and tests in parent directories, which wake the thread that watches
        /// a subdirectory.
        var foreign = 0

        var isIdle: Bool { wakeUps - min(maximum, foreign) <= Self.maximumWakeUps && ticks <= Self.maximumTicks }

        var description: String {
            "\(wakeUps) wake-ups (\(wakers)) and \(ticks) ticks in \(seconds) s without work, and \(foreign) changes in parent directories"
        }
    }

    /// Measures the activity of a program without work for two seconds, and repeats this until the program is idle. On
    /// a busy machine, earlier work may take a while to end, but a loop never ends.
    static func idleness(of process: pid_t, measurements: Int = 15) async throws -> Idleness {
        let folders = FolderCount()
        var idleness = Idleness(wakeUps: .max, ticks: .max)
        for _ in 0..<measurements where !idleness.isIdle {
            let start = ContinuousClock.now
            _ = folders.events()
            let early = Use(of: process)
            try await Task.sleep(for: .seconds(2))
            let late = Use(of: process)
            let wakers = late.wakers(since: early)
            idleness = Idleness(
                wakeUps: late.wakeUps(since: early), ticks: late.ticks - early.ticks,
                wakers: Use.names(wakers, of: process), maximum: wakers.first?.count ?? 0,
                seconds: (ContinuousClock.now - start) / .seconds(1),
                foreign: folders.events())
        }
        return idleness
    }

    func idleness() async throws -> Idleness { try await Self.idleness(of: process.identifier) }
}

/// Counts inotify events in the temporary folder and in its parents.
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

    /// Returns the number of events since the last call, 0 if inotify is unavailable.
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
