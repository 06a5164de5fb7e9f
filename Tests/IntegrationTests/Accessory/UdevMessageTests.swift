// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension IntegrationTests {
    /// Messages are sent in udevd's format, within a separate network namespace.
    @Suite(
        "Simulated udevd messages", .enabled(if: Tools.hasLibUdev, Tools.libUdevMissing),
        .enabled(if: Tools.isolation != nil, Tools.isolationMissing))
    struct UdevMessageTests {
        private static let tty5 = "/sys/devices/virtual/tty/tty5"

        /// Sends marker messages until all earlier messages have been processed.
        private func settle(_ stage: UdevStage) async throws {
            let mark = "/devices/virtual/tty/ttyMark"
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                // A message sent while the kernel drops messages is lost.
                let overflows = try #require(try await stage.statistics().overflows)
                try await stage.perform("add \(mark) tty")
                try await stage.perform("remove \(mark) tty")
                let before = try #require(try await stage.statistics().messages)
                try await Task.sleep(for: .milliseconds(50))
                let after = try await stage.statistics()
                if after.messages == before, after.overflows == overflows { return }
            }
            Issue.record("messages come without end")
        }

        @Test("A device is reported with its properties when it is added, changed and removed")
        func reports() async throws {
            let stage = try UdevStage.isolated(daemon: true, ["tty"])
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            let path = "/devices/virtual/tty/ttyACM77"
            let properties = "DEVNAME=/dev/ttyACM77 MAJOR=166 MINOR=77 ID_SERIAL_SHORT=WS-7731"
            try await stage.perform("add \(path) tty \(properties)")
            try #require(await stage.waits(for: "added", "/sys\(path)"))
            // Uevents without changes are not reported.
            try await stage.perform("add \(path) tty \(properties)")
            try await stage.perform("change \(path) tty \(properties)")
            try await stage.perform("change \(path) tty \(properties) EXTERNAL_ACCESSORY_PROTOCOLS=com.example.scale")
            try #require(await stage.waits(for: "added", "/sys\(path)", count: 2))
            // These devices do not match the filter.
            try await stage.perform("add /devices/virtual/net/dummy0 net INTERFACE=dummy0")
            try await stage.perform("remove \(path) tty")
            try #require(await stage.waits(for: "removed", "/sys\(path)"))
            let events = stage.events
            #expect(events.map(\.event) == ["snapshot", "added", "added", "removed"])
            let first = try #require(events[1].device)
            #expect(first.node == "/dev/ttyACM77")
            #expect(first.subsystem == "tty")
            #expect(first.isInitialized)
            #expect(first.properties["ID_SERIAL_SHORT"] == "WS-7731")
            #expect(first.properties["ACTION"] == nil)
            #expect(first.properties["SEQNUM"] == nil)
            #expect(events[2].device?.properties["EXTERNAL_ACCESSORY_PROTOCOLS"] == "com.example.scale")
            #expect(events[3].device == events[2].device)
            #expect(try await stage.end() == 0)
        }

        @Test("None of 20,000 messages in a burst is lost")
        func survivesStorm() async throws {
            let stage = try UdevStage.isolated(daemon: true, ["--brief", "--maximum", "20000", "tty"])
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            let there = stage.paths
            try await stage.perform("storm 10000 tty")
            try await settle(stage)
            #expect(stage.paths == there)
            let statistics = try await stage.statistics()
            // A process with CAP_NET_ADMIN may exceed the system's buffer limit. Without it, a slow machine can lose
            // messages.
            if statistics.overflows == 0 {
                let events = stage.events.filter { $0.path?.contains("ttyX") == true }
                #expect(events.filter { $0.event == "added" }.count == 10_000)
                #expect(events.filter { $0.event == "removed" }.count == 10_000)
            } else {
                #expect(!Tools.mayExceedBufferLimit)
            }
            #expect(try await stage.end() == 0)
        }

        @Test("After a buffer overflow a scan restores the list of devices, and one log line reports it")
        func survivesOverflow() async throws {
            let stage = try UdevStage.isolated(daemon: true, ["--brief", "--buffer", "8192", "tty"])
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            let there = stage.paths
            try await stage.perform("remove /devices/virtual/tty/tty5 tty")
            try #require(await stage.waits(for: "removed", Self.tty5))
            for _ in 0..<4 {
                try await stage.perform("storm 2500 tty")
                try await stage.perform("pairs 10 /devices/virtual/tty/tty6 tty")
            }
            try await settle(stage)
            let statistics = try await stage.statistics()
            #expect(try #require(statistics.overflows) > 0)
            #expect(try #require(statistics.scans) > 1)
            // The scan finds tty5 again, which only a message had reported as removed.
            #expect(stage.paths == there)
            // After a restart the monitor reports the same devices.
            try await stage.perform("program stop")
            try await stage.perform("program start")
            try #require(await stage.wait { $0.filter { $0.event == "snapshot" }.count == 2 })
            #expect(stage.paths == there)
            let log = try #require(try await stage.ask("log", answer: "log").lines)
            #expect(log.filter { $0.contains("dropped messages about devices") }.count == 1)
            #expect(log.count == 1)
            #expect(try await stage.end() == 0)
        }

        @Test("Malformed and oversized messages are harmless", arguments: [1, 2, 3])
        func survivesNonsense(seed: Int) async throws {
            let stage = try UdevStage.isolated(daemon: true, ["--brief", "tty"])
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            try await stage.perform("malformed 10000 \(seed)")
            for bytes in [4000, 6000, 8000, 8192, 9000, 16_384, 60_000] {
                try await stage.perform("huge /devices/virtual/tty/ttyHuge\(bytes) tty \(bytes)")
            }
            try await stage.perform("add /devices/virtual/tty/ttyACM77 tty")
            try #require(await stage.waits(for: "added", "/sys/devices/virtual/tty/ttyACM77"))
            #expect(await stage.waits(for: "added", "/sys/devices/virtual/tty/ttyHuge6000"))
            let statistics = try await stage.statistics()
            #expect(try #require(statistics.unusable) > 5000)
            #expect(statistics.overflows == 0)
            #expect(stage.paths.allSatisfy { $0.hasPrefix("/sys/") && !$0.split(separator: "/").contains("..") })
            #expect(try await stage.end() == 0)
        }

        @Test("An idle monitor's thread is not woken, and it exits when the monitor stops")
        func sleeps() async throws {
            let stage = try UdevStage.isolated(daemon: true, ["--brief", "tty"])
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            let before = try await stage.statistics()
            // Sleeps, because this test checks behavior without events.
            try await Task.sleep(for: .seconds(2))
            try await stage.perform("add /devices/virtual/net/dummy0 net INTERFACE=dummy0")
            let after = try await stage.statistics()
            #expect(after.wakeUps == before.wakeUps)
            #expect(after.scans == 1)
            try await stage.perform("program stop")
            #expect(try await stage.ask("program threads", answer: "threads").count == 1)
            #expect(try await stage.end() == 0)
        }

        @Test(
            "Without udevd the kernel's uevents are reported, with one log line, until udevd starts",
            .alone("the kernel's messages about devices reach all namespaces"),
            .enabled(if: Tools.isRoot, Tools.rootMissing))
        func followsTheDaemon() async throws {
            let stage = try UdevStage.isolated(daemon: false, ["--brief", "tty"])
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            let there = stage.paths
            #expect(there.contains("/sys/devices/virtual/tty/tty57"))
            #expect(try await stage.statistics().group == "kernel")
            // The problem is reported before the snapshot.
            let problem = try #require(stage.events.first)
            #expect(problem.event == "problem")
            #expect(problem.code == "notFound")
            #expect(problem.message?.contains("/run/udev/control") == true)
            try await stage.perform("kernel remove /devices/virtual/tty/tty57")
            try #require(await stage.waits(for: "removed", "/sys/devices/virtual/tty/tty57"))
            try await stage.perform("kernel add /devices/virtual/tty/tty57")
            try #require(await stage.waits(for: "added", "/sys/devices/virtual/tty/tty57"))
            // Only the kernel may send to its multicast group, and messages of udevd are ignored meanwhile.
            try await stage.perform("add /devices/virtual/tty/ttyACM77 tty")

            for round in 1...2 {
                try await stage.perform("daemon yes")
                try #require(await group(stage, "udev"))
                try await stage.perform("add /devices/virtual/tty/ttyACM78 tty")
                try #require(await stage.waits(for: "added", "/sys/devices/virtual/tty/ttyACM78", count: round))
                // Devices that only udevd has reported, and that do not exist, are removed by the next scan.
                try await stage.perform("daemon no")
                try #require(await stage.waits(for: "removed", "/sys/devices/virtual/tty/ttyACM78", count: round))
                #expect(try await stage.statistics().group == "kernel")
            }
            #expect(!stage.events.contains { $0.path == "/sys/devices/virtual/tty/ttyACM77" })
            #expect(stage.paths == there)
            // The problem is reported each time udevd stops, but logged only once.
            #expect(stage.events.filter { $0.event == "problem" }.count == 3)
            #expect(stage.events.filter { $0.event == "solved" }.count == 2)
            let log = try #require(try await stage.ask("log", answer: "log").lines)
            #expect(log.count == 1)
            #expect(log.first?.contains("udevd does not run") == true)
            #expect(try await stage.end() == 0)
        }

        /// Waits until messages arrive from the given group.
        private func group(_ stage: UdevStage, _ group: String) async -> Bool {
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                if (try? await stage.statistics().group) == group { return true }
                try? await Task.sleep(for: .milliseconds(10))
            }
            return false
        }
    }
}
