// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import Synchronization
import TestSupport
import Testing
import UdevMonitor

@testable import UdevSource

@Suite("Watching directories", .timeLimit(.minutes(5)))
struct FolderWatchTests {
    private static func source(
        _ folder: String, _ log: Log<String>, onProblems: @escaping @Sendable () -> Void = {}
    ) -> (UdevSource, Subscription) {
        var configuration = Configuration()
        configuration.accessoryDirectories.value = [folder]
        configuration.accessorySettleTime.value = .seconds(0.05)
        let clock = LiveClock()
        let source = UdevSource(
            configuration: configuration, clock: clock,
            dependencies: UdevSourceDependencies(
                watch: { receive in
                    receive(.snapshot([]))
                    return {}
                },
                open: { node throws(DeviceError) in try OpenedChannel.open(node, clock: clock) },
                checkAccess: { NodeAccess(path: $0) }, onProblems: onProblems))
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

    @Test("Added, replaced and removed files are reported")
    func files() throws {
        let folder = try Folder()
        try folder.put("a.json", Folder.accessory("A"))
        let log = Log<String>()
        let (source, subscription) = Self.source(folder.path, log)
        var expected = [#"snapshot ["A"]"#]
        #expect(log.wait(for: expected) == expected)
        try folder.put("b.json", Folder.accessory("B"))
        expected.append("+B")
        #expect(log.wait(for: expected) == expected)
        try folder.put("a.json", Folder.accessory("A2"))
        expected += ["-A", "+A2"]
        #expect(log.wait(for: expected) == expected)
        try folder.remove("b.json")
        expected.append("-B")
        #expect(log.wait(for: expected) == expected)
        try folder.rename("a.json", "a.off")
        expected.append("-A2")
        #expect(log.wait(for: expected) == expected)
        #expect(source.problems.isEmpty)
        subscription.cancel()
    }

    @Test("A directory that is created later with its parents, removed and created again is followed")
    func folders() throws {
        let parent = try Folder()
        let log = Log<String>()
        let (source, subscription) = Self.source(parent.path + "/run/x/in", log)
        var expected = ["snapshot []"]
        #expect(log.wait(for: expected) == expected)
        #expect(source.problems.count == 1)
        for round in 0..<3 {
            try FileManager.default.createDirectory(
                atPath: parent.path + "/run/x/in", withIntermediateDirectories: true)
            try parent.put("run/x/in/a.json", Folder.accessory("A\(round)"))
            expected.append("+A\(round)")
            #expect(log.wait(for: expected) == expected)
            if round == 1 {
                try parent.rename("run/x/in", "elsewhere")
            } else {
                try parent.remove("run")
            }
            expected.append("-A\(round)")
            #expect(log.wait(for: expected) == expected)
        }
        subscription.cancel()
    }

    @Test("A file that stays invalid is a problem after the settle time, even without further events")
    func broken() throws {
        let folder = try Folder()
        try folder.write("a.json", "{")
        let log = Log<String>()
        let event = BinarySemaphore()
        let (source, subscription) = Self.source(folder.path, log, onProblems: { event.signal() })
        while source.problems.isEmpty, event.wait(seconds: 60) {}
        #expect(source.problems.first?.message.contains("a.json is not valid JSON") == true)
        subscription.cancel()
    }

    @Test("A directory that is removed while it is open and then created again is followed")
    func heldOpen() throws {
        let parent = try Folder()
        let path = parent.path + "/in"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let log = Log<String>()
        let (source, subscription) = Self.source(path, log)
        let holder = opendir(path)
        defer { if let holder { closedir(holder) } }
        try parent.put("in/a.json", Folder.accessory("A"))
        var expected = ["snapshot []", "+A"]
        #expect(log.wait(for: expected) == expected)
        try parent.remove("in")
        expected.append("-A")
        #expect(log.wait(for: expected) == expected)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try parent.put("in/b.json", Folder.accessory("B"))
        expected.append("+B")
        #expect(log.wait(for: expected) == expected)
        #expect(source.problems.isEmpty)
        subscription.cancel()
    }

    @Test("A directory is followed after an ancestor is renamed and created again")
    func renamedAncestor() throws {
        let parent = try Folder()
        let path = parent.path + "/p/q/in"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try parent.put("p/q/in/a.json", Folder.accessory("A"))
        let log = Log<String>()
        let (source, subscription) = Self.source(path, log)
        var expected = [#"snapshot ["A"]"#]
        #expect(log.wait(for: expected) == expected)
        try parent.rename("p", "p2")
        expected.append("-A")
        #expect(log.wait(for: expected) == expected)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try parent.put("p/q/in/b.json", Folder.accessory("B"))
        expected.append("+B")
        #expect(log.wait(for: expected) == expected)
        #expect(source.problems.isEmpty)
        subscription.cancel()
    }

    @Test("A symbolic link is followed to its new target, even if the target is created later")
    func links() throws {
        let parent = try Folder()
        let manager = FileManager.default
        for name in ["v1/in", "v2/in"] {
            try manager.createDirectory(atPath: parent.path + "/" + name, withIntermediateDirectories: true)
        }
        try parent.put("v1/in/a.json", Folder.accessory("A"))
        try parent.put("v2/in/b.json", Folder.accessory("B"))
        try manager.createSymbolicLink(atPath: parent.path + "/now", withDestinationPath: "./v1")
        let log = Log<String>()
        let (source, subscription) = Self.source(parent.path + "/now/in", log)
        var expected = [#"snapshot ["A"]"#]
        #expect(log.wait(for: expected) == expected)
        try manager.createSymbolicLink(atPath: parent.path + "/next", withDestinationPath: parent.path + "/v2")
        try parent.rename("next", "now")
        expected += ["+B", "-A"]
        #expect(log.wait(for: expected).sorted() == expected.sorted())
        let received = log.wait(for: expected)
        try manager.createSymbolicLink(atPath: parent.path + "/next", withDestinationPath: "v1/../v3")
        try parent.rename("next", "now")
        expected = received + ["-B"]
        #expect(log.wait(for: expected) == expected)
        try manager.createDirectory(atPath: parent.path + "/v3/in", withIntermediateDirectories: true)
        try parent.put("v3/in/c.json", Folder.accessory("C"))
        expected.append("+C")
        #expect(log.wait(for: expected) == expected)
        #expect(source.problems.isEmpty)
        subscription.cancel()
    }

    @Test("Events outside the directory, in a busy parent, do not wake the watcher")
    func busyParent() throws {
        let parent = try Folder()
        let path = parent.path + "/in"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let watcher = try FolderWatcher([path])
        let scans = Atomic<Int>(0)
        let hasScanned = BinarySemaphore()
        try watcher.start {
            scans.add(1, ordering: .relaxed)
            hasScanned.signal()
        }
        for number in 0..<1000 { try parent.write("other \(number)", "") }
        try parent.write("in/a.json", "")
        #expect(hasScanned.wait(seconds: 60))
        watcher.stop()
        // Creating the file causes up to three events: created, modified and closed.
        #expect((1...3).contains(scans.load(ordering: .relaxed)))
    }
}
