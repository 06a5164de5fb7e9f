// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import Synchronization
import Testing

@testable import UdevMonitor

@Suite("udev monitor", .timeLimit(.minutes(5)))
struct MonitorTests {
    private let log = EventLog()

    /// Options that exclude the machine's own udevd.
    private var options: UdevMonitorOptions {
        var options = UdevMonitorOptions()
        options.controlSocketPath = "/nowhere/udev/control"
        options.expectsRules = false
        options.reachableGroups = .all
        return options
    }

    @Test("A snapshot precedes the events of messages, and messages without changes cause no events")
    func reportsEvents() {
        let script = ScriptedUdev(MonitorRecords.plain(2), MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1 /dev/tty2"]))
        script.send(
            .updated(MonitorRecords.plain(1), isAdd: true, exists: true), .unusable, .foreign,
            .updated(MonitorRecords.plain(3), isAdd: true, exists: true), .removed(path: MonitorRecords.plain(2).path))
        #expect(log.waits(for: ["snapshot /dev/tty1 /dev/tty2", "added /dev/tty3", "removed /dev/tty2"]))
        var moved = MonitorRecords.plain(4)
        moved.node = "/dev/moved"
        script.send(.moved(from: MonitorRecords.plain(3).path, moved))
        #expect(log.waits { $0.suffix(2) == ["removed /dev/tty3", "added /dev/moved"] })
        #expect(monitor.statistics?.messages == 4)
        #expect(monitor.statistics?.unusable == 1)
        #expect(script.state.opened == [.kernel])
    }

    @Test("After lost messages, the received messages are reported, and then the changes found by a scan")
    func resynchronises() {
        let script = ScriptedUdev(MonitorRecords.plain(1), MonitorRecords.plain(2))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1 /dev/tty2"]))
        script.set { $0.devices = [MonitorRecords.plain(2), MonitorRecords.plain(4)] }
        script.send(.overflow, .updated(MonitorRecords.plain(3), isAdd: true, exists: true), .overflow)
        #expect(
            log.waits(for: [
                "snapshot /dev/tty1 /dev/tty2", "added /dev/tty3", "removed /dev/tty3", "removed /dev/tty1",
                "added /dev/tty4",
            ]))
        #expect(monitor.statistics?.overflows == 2)
        #expect(monitor.statistics?.scans == 2)
    }

    @Test("A descriptor that fails repeatedly is closed and reopened later, without a busy loop")
    func survivesFailure() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.defaultMessage = .failed(errno: 5) }
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        // The descriptor stays readable, because no read drains it.
        script.send()
        script.set { $0.devices = [MonitorRecords.plain(2)] }
        #expect(log.waits(for: ["snapshot /dev/tty1", "removed /dev/tty1", "added /dev/tty2"]))
        script.set { $0.devices = [MonitorRecords.plain(3)] }
        #expect(log.waits { $0.last == "added /dev/tty3" })
        let state = script.state
        #expect(state.opened.count >= 3)
        #expect(state.receptions <= state.opened.count * MonitorLoop.maximumFailures)
        #expect(log.all.allSatisfy { !$0.hasPrefix("problem") })
        script.set { $0.defaultMessage = .none }
        script.send(.updated(MonitorRecords.plain(4), isAdd: true, exists: true))
        #expect(log.waits { $0.contains("added /dev/tty4") })
    }

    @Test("A monitor that is stopped, even in its own callback, delivers no more events and frees its resources")
    func stops() throws {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        let log = log
        monitor.start { [weak monitor] event in
            log.record(event)
            if case .added = event { monitor?.stop() }
        }
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        monitor.start(receive: log.record)
        script.send(
            .updated(MonitorRecords.plain(2), isAdd: true, exists: true),
            .updated(MonitorRecords.plain(3), isAdd: true, exists: true)
        )
        #expect(log.waits { $0.contains("added /dev/tty2") })
        #expect(script.waits { $0.open == 0 })
        #expect(log.all == ["snapshot /dev/tty1", "added /dev/tty2"])
        #expect(monitor.statistics == nil)

        // A restarted monitor begins with a snapshot.
        script.set { $0.messages = [] }
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1", "added /dev/tty2", "snapshot /dev/tty1"]))
        monitor.stop()
        monitor.stop()
        #expect(script.waits { $0.open == 0 })
    }

    @Test("A monitor that is released stops")
    func stopsWhenReleased() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        var monitor: UdevMonitor? = UdevMonitor(script.dependencies(options))
        monitor?.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        monitor = nil
        #expect(script.waits { $0.open == 0 })
    }

    @Test("The monitor follows udevd as it starts and stops, and reports the problem before device changes")
    func followsTheDaemon() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("udev-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = options
        options.expectsRules = true
        // The socket's directory does not exist either.
        let daemon = folder.appendingPathComponent("udev")
        options.controlSocketPath = daemon.appendingPathComponent("control").path
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        var received = ["problem notFound", "snapshot /dev/tty1"]
        #expect(log.waits(for: received))

        for round in 1...3 {
            script.set { $0.devices = [MonitorRecords.plain(10 * round)] }
            try FileManager.default.createDirectory(at: daemon, withIntermediateDirectories: true)
            try Data().write(to: daemon.appendingPathComponent("control"))
            received += [
                "solved notFound",
                round == 1 ? "removed /dev/tty1" : "removed /dev/tty\(10 * round - 9)", "added /dev/tty\(10 * round)",
            ]
            #expect(log.waits(for: received))
            script.set { $0.devices = [MonitorRecords.plain(10 * round + 1)] }
            try FileManager.default.removeItem(at: round == 2 ? daemon : daemon.appendingPathComponent("control"))
            received += ["problem notFound", "removed /dev/tty\(10 * round)", "added /dev/tty\(10 * round + 1)"]
            #expect(log.waits(for: received))
        }
        let opened = script.state.opened
        #expect(opened == [.kernel, .udev, .kernel, .udev, .kernel, .udev, .kernel])
    }

    @Test("Without a message descriptor, one problem is reported, and all devices are scanned periodically")
    func scans() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.hasDescriptor = false }
        var options = options
        options.scanInterval = 0.1
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["problem notSupported", "snapshot /dev/tty1"]))
        script.set { $0.devices = [MonitorRecords.plain(2)] }
        var received = ["problem notSupported", "snapshot /dev/tty1", "removed /dev/tty1", "added /dev/tty2"]
        #expect(log.waits(for: received))
        // Messages are available from now on.
        script.set {
            $0.hasDescriptor = true
            $0.devices = [MonitorRecords.plain(3)]
        }
        received += ["solved notSupported", "removed /dev/tty2", "added /dev/tty3"]
        #expect(log.waits(for: received))
        script.send(.removed(path: MonitorRecords.plain(3).path))
        #expect(log.waits(for: received + ["removed /dev/tty3"]))
    }

    @Test("If libudev cannot be opened, an empty snapshot and the reason are delivered, and later the devices")
    func survivesRefusal() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.connectError = DeviceError(.busy, "No memory is left.") }
        var options = options
        options.scanInterval = 0.1
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["problem busy", "snapshot"]))
        #expect(script.waits { $0.opened.count > 2 })
        script.set { $0.connectError = nil }
        #expect(log.waits(for: ["problem busy", "snapshot", "solved busy", "added /dev/tty1"]))
        // The attempts fail for the same reason, which is logged once.
        #expect(script.state.warnings == ["No memory is left."])
        monitor.stop()
    }

    @Test("If the devices cannot be listed, the known devices are kept")
    func survivesListing() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        script.set { $0.listError = DeviceError(.notSupported, "There is no /sys.") }
        script.send(.overflow)
        #expect(log.waits(for: ["snapshot /dev/tty1", "problem notSupported"]))
        script.send(.removed(path: MonitorRecords.plain(1).path))
        #expect(log.waits(for: ["snapshot /dev/tty1", "problem notSupported", "removed /dev/tty1"]))
    }

    @Test("If the devices cannot be listed after lost messages, the listing is retried until it succeeds")
    func retriesListing() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        script.set {
            $0.listError = DeviceError(.busy, "Too many files are open.")
            $0.devices = [MonitorRecords.plain(2)]
        }
        script.send(.overflow)
        #expect(script.waits { $0.listings >= 4 })
        #expect(log.all == ["snapshot /dev/tty1", "problem busy"])
        script.set { $0.listError = nil }
        #expect(
            log.waits(for: [
                "snapshot /dev/tty1", "problem busy", "solved busy", "removed /dev/tty1", "added /dev/tty2",
            ]))
        // No other connection has been opened.
        #expect(script.state.opened == [.kernel])
        monitor.stop()
    }

    @Test("If the devices cannot be listed at first, they are reported later")
    func retriesFirstListing() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.listError = DeviceError(.busy, "Too many files are open.") }
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["problem busy", "snapshot"]))
        script.set { $0.listError = nil }
        #expect(log.waits(for: ["problem busy", "snapshot", "solved busy", "added /dev/tty1"]))
        monitor.stop()
    }

    @Test("A message that is too long may concern any device, so all devices are scanned")
    func scansAfterLongMessage() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        script.set { $0.devices = [MonitorRecords.plain(1), MonitorRecords.plain(2)] }
        script.send(.tooLong)
        #expect(log.waits(for: ["snapshot /dev/tty1", "added /dev/tty2"]))
        #expect(monitor.statistics?.unusable == 1)
        #expect(monitor.statistics?.overflows == 0)
        monitor.stop()
    }

    @Test("If messages cannot arrive, a problem is reported and devices are scanned until a message arrives")
    func scansWithoutMessages() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        var options = options
        options.scanInterval = 0.1
        options.reachableGroups = ReachableGroups(isInitialUserNamespace: false, isInitialNetworkNamespace: false)
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        var received = ["problem notSupported", "snapshot /dev/tty1"]
        #expect(log.waits(for: received))
        for number in 2...3 {
            script.set { $0.devices = [MonitorRecords.plain(number)] }
            received += ["removed /dev/tty\(number - 1)", "added /dev/tty\(number)"]
            #expect(log.waits(for: received))
        }
        // A message about a device that was not requested does not show that other messages arrive.
        script.send(.foreign)
        script.set { $0.devices = [MonitorRecords.plain(4)] }
        received += ["removed /dev/tty3", "added /dev/tty4"]
        #expect(log.waits(for: received))
        #expect(script.state.opened == [.kernel])

        script.send(.updated(MonitorRecords.plain(5), isAdd: true, exists: true))
        received += ["solved notSupported", "added /dev/tty5"]
        #expect(log.waits(for: received))
        let listings = script.state.listings
        // Meanwhile, another monitor, which receives no messages, scans repeatedly.
        let silent = ScriptedUdev(MonitorRecords.plain(1))
        let other = UdevMonitor(silent.dependencies(options))
        other.start { _ in }
        #expect(silent.waits { $0.listings >= 4 })
        #expect(script.state.listings == listings)
        other.stop()
        monitor.stop()
    }

    @Test("A stale control socket of udevd counts as missing until a process listens on it")
    func detectsStaleSocket() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("udev-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = options
        options.scanInterval = 0.1
        options.expectsRules = true
        options.controlSocketPath = folder.appendingPathComponent("control").path
        let daemon = try #require(ListeningSocket(options.controlSocketPath))
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        #expect(log.waits(for: ["problem notFound", "snapshot /dev/tty1"]))
        #expect(script.state.opened == [.kernel])
        // The statistics report udevd as the sender only after the connection is open.
        let groups = Mutex<[UdevGroup]>([])
        script.set { $0.whenConnecting = { groups.withLock { $0 += [monitor.statistics?.group].compactMap(\.self) } } }
        // The socket is bound before it listens, as when udevd starts.
        script.set { $0.devices = [MonitorRecords.plain(2)] }
        #expect(daemon.listen())
        #expect(
            log.waits(for: [
                "problem notFound", "snapshot /dev/tty1", "solved notFound", "removed /dev/tty1", "added /dev/tty2",
            ]))
        #expect(script.state.opened == [.kernel, .udev])
        #expect(groups.withLock { $0 } == [.kernel])
        monitor.stop()
    }

    @Test("More devices than the limit are reported as one problem, which is solved when there are fewer")
    func reportsDeviceLimit() {
        let script = ScriptedUdev(MonitorRecords.plain(1), MonitorRecords.plain(2))
        var options = options
        options.maximumDevices = 2
        let monitor = UdevMonitor(script.dependencies(options))
        monitor.start(receive: log.record)
        script.send(
            .updated(MonitorRecords.plain(3), isAdd: true, exists: true),
            .updated(MonitorRecords.plain(4), isAdd: true, exists: true),
            .removed(path: MonitorRecords.plain(1).path))
        var received = ["snapshot /dev/tty1 /dev/tty2", "problem busy", "removed /dev/tty1"]
        #expect(log.waits(for: received))
        // A scan finds no more devices than the limit.
        script.set { $0.devices = [MonitorRecords.plain(2), MonitorRecords.plain(3)] }
        script.send(.overflow)
        received += ["added /dev/tty3", "solved busy"]
        #expect(log.waits(for: received))
        monitor.stop()
    }

    @Test("Concurrent starts and stops leave no connection open")
    func survivesRaces() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.dependencies(options))
        let log = log
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            if number.isMultiple(of: 3) { monitor.stop() } else { monitor.start(receive: log.record) }
        }
        monitor.stop()
        #expect(script.waits { $0.open == 0 })
        #expect(log.all.allSatisfy { $0 == "snapshot /dev/tty1" })
    }
}
