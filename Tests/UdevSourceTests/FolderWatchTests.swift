// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing
import UdevMonitor

@testable import UdevSource

@Suite("Watching folders for real", .timeLimit(.minutes(5)))
struct FolderWatchTests {
    /// What the source told, to be waited for.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        /// Waits a minute at most; the source tells on a thread of its own.
        func wait(for expected: [String]) async -> [String] {
            let deadline = ContinuousClock.now + .seconds(60)
            while lines.withLock({ $0 }) != expected, ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(2))
            }
            return lines.withLock { $0 }
        }
    }

    private static func source(_ folder: String, _ log: Log) -> (UdevSource, Subscription) {
        var configuration = Configuration()
        configuration.accessoryFolders.value = [folder]
        configuration.accessorySettleTime.value = 0.05
        let clock = LiveClock()
        let source = UdevSource(
            configuration: configuration, clock: clock,
            parts: SourceParts(
                watch: { receive in
                    receive(.snapshot([]))
                    return {}
                },
                open: { node throws(DeviceError) in try OpenedChannel.open(node, clock: clock) },
                reach: { NodeReach(path: $0) }))
        let subscription = source.subscribe { event in
            switch event {
            case .snapshot(let all): log.add("snapshot \(all.map(\.name))")
            case .attached(let one): log.add("+\(one.name)")
            case .changed(let one): log.add("~\(one.name)")
            case .detached(let one): log.add("-\(one.name)")
            }
        }
        return (source, subscription)
    }

    @Test("Files that come, are replaced and go")
    func files() async throws {
        let folder = try Folder()
        try folder.put("a.json", Folder.accessory("A"))
        let log = Log()
        let (source, subscription) = Self.source(folder.path, log)
        var expected = [#"snapshot ["A"]"#]
        #expect(await log.wait(for: expected) == expected)
        try folder.put("b.json", Folder.accessory("B"))
        expected.append("+B")
        #expect(await log.wait(for: expected) == expected)
        try folder.put("a.json", Folder.accessory("A2"))
        expected += ["-A", "+A2"]
        #expect(await log.wait(for: expected) == expected)
        try folder.remove("b.json")
        expected.append("-B")
        #expect(await log.wait(for: expected) == expected)
        try folder.rename("a.json", "a.off")
        expected.append("-A2")
        #expect(await log.wait(for: expected) == expected)
        #expect(source.problems.isEmpty)
        subscription.cancel()
    }

    @Test("A folder that comes later, with folders above it, goes, and comes again")
    func folders() async throws {
        let parent = try Folder()
        let log = Log()
        let (source, subscription) = Self.source(parent.path + "/run/x/in", log)
        var expected = ["snapshot []"]
        #expect(await log.wait(for: expected) == expected)
        #expect(source.problems.count == 1)
        for round in 0..<3 {
            try FileManager.default.createDirectory(
                atPath: parent.path + "/run/x/in", withIntermediateDirectories: true)
            try parent.put("run/x/in/a.json", Folder.accessory("A\(round)"))
            expected.append("+A\(round)")
            #expect(await log.wait(for: expected) == expected)
            if round == 1 {
                try parent.rename("run/x/in", "elsewhere")
            } else {
                try parent.remove("run")
            }
            expected.append("-A\(round)")
            #expect(await log.wait(for: expected) == expected)
        }
        subscription.cancel()
    }

    @Test("A file that stays broken is a problem after the settle time, though nothing more happens")
    func broken() async throws {
        let folder = try Folder()
        try folder.write("a.json", "{")
        let log = Log()
        let (source, subscription) = Self.source(folder.path, log)
        let deadline = ContinuousClock.now + .seconds(60)
        while source.problems.isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
        #expect(source.problems.first?.message.contains("a.json is not valid JSON") == true)
        subscription.cancel()
    }
}
