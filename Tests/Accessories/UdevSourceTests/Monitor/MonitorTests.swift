// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing
import UdevRecords

@testable import UdevMonitor

@Suite("The monitor's thread", .timeLimit(.minutes(5)))
struct MonitorTests {
    private let log = EventLog()

    /// Nothing of the machine's own udevd plays a part.
    private var options: UdevMonitorOptions {
        var options = UdevMonitorOptions()
        options.control = "/nowhere/udev/control"
        options.expectsRules = false
        options.reach = .everywhere
        return options
    }

    @Test("First comes a snapshot, then what messages tell, and messages that tell nothing new are silent")
    func tells() {
        let script = ScriptedUdev(MonitorRecords.plain(2), MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
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

    @Test("When messages were lost, those that were not are told, and then what a new look finds")
    func resynchronises() {
        let script = ScriptedUdev(MonitorRecords.plain(1), MonitorRecords.plain(2))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
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

    @Test("A descriptor that fails again and again is closed, and opened anew after a while, without a busy loop")
    func survivesFailure() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.otherwise = .failed(errno: 5) }
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        // It stays readable, and nothing takes that away.
        script.send()
        script.set { $0.devices = [MonitorRecords.plain(2)] }
        #expect(log.waits(for: ["snapshot /dev/tty1", "removed /dev/tty1", "added /dev/tty2"]))
        script.set { $0.devices = [MonitorRecords.plain(3)] }
        #expect(log.waits { $0.last == "added /dev/tty3" })
        let state = script.state
        #expect(state.opened.count >= 3)
        #expect(state.receptions <= state.opened.count * MonitorRun.mostFailures)
        #expect(log.all.allSatisfy { !$0.hasPrefix("problem") })
        script.set { $0.otherwise = .none }
        script.send(.updated(MonitorRecords.plain(4), isAdd: true, exists: true))
        #expect(log.waits { $0.contains("added /dev/tty4") })
    }

    @Test("When it is stopped, even from within its closure, it tells nothing more and frees what it had")
    func stops() throws {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        let log = log
        monitor.start { [weak monitor] event in
            log.note(event)
            if case .added = event { monitor?.stop() }
        }
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        monitor.start(receive: log.note)
        script.send(
            .updated(MonitorRecords.plain(2), isAdd: true, exists: true),
            .updated(MonitorRecords.plain(3), isAdd: true, exists: true)
        )
        #expect(log.waits { $0.contains("added /dev/tty2") })
        #expect(script.waits { $0.open == 0 })
        #expect(log.all == ["snapshot /dev/tty1", "added /dev/tty2"])
        #expect(monitor.statistics == nil)

        // Started again, it begins anew.
        script.set { $0.messages = [] }
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["snapshot /dev/tty1", "added /dev/tty2", "snapshot /dev/tty1"]))
        monitor.stop()
        monitor.stop()
        #expect(script.waits { $0.open == 0 })
    }

    @Test("A monitor that is released stops")
    func stopsWhenReleased() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        var monitor: UdevMonitor? = UdevMonitor(script.parts(options))
        monitor?.start(receive: log.note)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        monitor = nil
        #expect(script.waits { $0.open == 0 })
    }

    @Test("It changes over to udevd when that comes, and back when it goes, and tells each time what is wrong first")
    func followsTheDaemon() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("udev-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = options
        options.expectsRules = true
        // Not even its folder is there.
        let daemon = folder.appendingPathComponent("udev")
        options.control = daemon.appendingPathComponent("control").path
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        var told = ["problem notFound", "snapshot /dev/tty1"]
        #expect(log.waits(for: told))

        for round in 1...3 {
            script.set { $0.devices = [MonitorRecords.plain(10 * round)] }
            try FileManager.default.createDirectory(at: daemon, withIntermediateDirectories: true)
            try Data().write(to: daemon.appendingPathComponent("control"))
            told += [
                "solved notFound",
                round == 1 ? "removed /dev/tty1" : "removed /dev/tty\(10 * round - 9)", "added /dev/tty\(10 * round)",
            ]
            #expect(log.waits(for: told))
            script.set { $0.devices = [MonitorRecords.plain(10 * round + 1)] }
            try FileManager.default.removeItem(at: round == 2 ? daemon : daemon.appendingPathComponent("control"))
            told += ["problem notFound", "removed /dev/tty\(10 * round)", "added /dev/tty\(10 * round + 1)"]
            #expect(log.waits(for: told))
        }
        let opened = script.state.opened
        #expect(opened == [.kernel, .udev, .kernel, .udev, .kernel, .udev, .kernel])
    }

    @Test("Where the system allows no messages, that is told once, and all devices are looked through now and then")
    func scans() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.hasDescriptor = false }
        var options = options
        options.scanInterval = 0.1
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["problem notSupported", "snapshot /dev/tty1"]))
        script.set { $0.devices = [MonitorRecords.plain(2)] }
        var told = ["problem notSupported", "snapshot /dev/tty1", "removed /dev/tty1", "added /dev/tty2"]
        #expect(log.waits(for: told))
        // They are allowed from now on.
        script.set {
            $0.hasDescriptor = true
            $0.devices = [MonitorRecords.plain(3)]
        }
        told += ["solved notSupported", "removed /dev/tty2", "added /dev/tty3"]
        #expect(log.waits(for: told))
        script.send(.removed(path: MonitorRecords.plain(3).path))
        #expect(log.waits(for: told + ["removed /dev/tty3"]))
    }

    @Test("When libudev cannot be opened, an empty snapshot and the reason come, and later the devices")
    func survivesRefusal() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.connectError = DeviceError(.busy, "No memory is left.") }
        var options = options
        options.scanInterval = 0.1
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["problem busy", "snapshot"]))
        #expect(script.waits { $0.opened.count > 2 })
        script.set { $0.connectError = nil }
        #expect(log.waits(for: ["problem busy", "snapshot", "solved busy", "added /dev/tty1"]))
        monitor.stop()
    }

    @Test("When the devices cannot be listed, those that are known stay")
    func survivesListing() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        script.set { $0.listError = DeviceError(.notSupported, "There is no /sys.") }
        script.send(.overflow)
        #expect(log.waits(for: ["snapshot /dev/tty1", "problem notSupported"]))
        script.send(.removed(path: MonitorRecords.plain(1).path))
        #expect(log.waits(for: ["snapshot /dev/tty1", "problem notSupported", "removed /dev/tty1"]))
    }

    @Test("When the devices cannot be listed after messages were lost, they are looked through again until they can")
    func retriesListing() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
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
        // Without another connection, and no longer than needed.
        #expect(script.state.opened == [.kernel])
        monitor.stop()
    }

    @Test("When the devices cannot be listed at first, they come later")
    func retriesFirstListing() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        script.set { $0.listError = DeviceError(.busy, "Too many files are open.") }
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["problem busy", "snapshot"]))
        script.set { $0.listError = nil }
        #expect(log.waits(for: ["problem busy", "snapshot", "solved busy", "added /dev/tty1"]))
        monitor.stop()
    }

    @Test("A message that is too long to be looked at may be of any device, so all are looked through")
    func looksAfterLongMessage() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["snapshot /dev/tty1"]))
        script.set { $0.devices = [MonitorRecords.plain(1), MonitorRecords.plain(2)] }
        script.send(.tooLong)
        #expect(log.waits(for: ["snapshot /dev/tty1", "added /dev/tty2"]))
        #expect(monitor.statistics?.unusable == 1)
        #expect(monitor.statistics?.overflows == 0)
        monitor.stop()
    }

    @Test("Where messages may not come, that is told once, and devices are looked for until the first message comes")
    func looksWhereMessagesMayNotCome() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        var options = options
        options.scanInterval = 0.1
        options.reach = MessageReach(isFirstUser: false, isFirstNetwork: false)
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        var told = ["problem notSupported", "snapshot /dev/tty1"]
        #expect(log.waits(for: told))
        for number in 2...3 {
            script.set { $0.devices = [MonitorRecords.plain(number)] }
            told += ["removed /dev/tty\(number - 1)", "added /dev/tty\(number)"]
            #expect(log.waits(for: told))
        }
        // What nobody asked for says nothing about the others.
        script.send(.foreign)
        script.set { $0.devices = [MonitorRecords.plain(4)] }
        told += ["removed /dev/tty3", "added /dev/tty4"]
        #expect(log.waits(for: told))
        #expect(script.state.opened == [.kernel])

        script.send(.updated(MonitorRecords.plain(5), isAdd: true, exists: true))
        told += ["solved notSupported", "added /dev/tty5"]
        #expect(log.waits(for: told))
        let listings = script.state.listings
        // While another one, that hears nothing, looks again and again.
        let silent = ScriptedUdev(MonitorRecords.plain(1))
        let other = UdevMonitor(silent.parts(options))
        other.start { _ in }
        #expect(silent.waits { $0.listings >= 4 })
        #expect(script.state.listings == listings)
        other.stop()
        monitor.stop()
    }

    @Test("A control socket that udevd has left behind counts as none, until somebody listens there")
    func noticesStaleSocket() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("udev-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = options
        options.scanInterval = 0.1
        options.expectsRules = true
        options.control = folder.appendingPathComponent("control").path
        let daemon = try #require(ListeningSocket(options.control))
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        #expect(log.waits(for: ["problem notFound", "snapshot /dev/tty1"]))
        #expect(script.state.opened == [.kernel])
        // The statistics name udevd as the sender only after the connection is open.
        let groups = Mutex<[UdevGroup]>([])
        script.set { $0.whenConnecting = { groups.withLock { $0 += [monitor.statistics?.group].compactMap(\.self) } } }
        // It has its name already, as when udevd begins.
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

    @Test("More devices than are kept are told as a problem, once, until there are fewer")
    func tellsOverfullness() {
        let script = ScriptedUdev(MonitorRecords.plain(1), MonitorRecords.plain(2))
        var options = options
        options.mostDevices = 2
        let monitor = UdevMonitor(script.parts(options))
        monitor.start(receive: log.note)
        script.send(
            .updated(MonitorRecords.plain(3), isAdd: true, exists: true),
            .updated(MonitorRecords.plain(4), isAdd: true, exists: true),
            .removed(path: MonitorRecords.plain(1).path))
        var told = ["snapshot /dev/tty1 /dev/tty2", "problem busy", "removed /dev/tty1"]
        #expect(log.waits(for: told))
        // A look at all of them finds that there are no more.
        script.set { $0.devices = [MonitorRecords.plain(2), MonitorRecords.plain(3)] }
        script.send(.overflow)
        told += ["added /dev/tty3", "solved busy"]
        #expect(log.waits(for: told))
        monitor.stop()
    }

    @Test("Starting and stopping from many threads at once leaves nothing behind")
    func survivesRaces() {
        let script = ScriptedUdev(MonitorRecords.plain(1))
        let monitor = UdevMonitor(script.parts(options))
        let log = log
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            if number.isMultiple(of: 3) { monitor.stop() } else { monitor.start(receive: log.note) }
        }
        monitor.stop()
        #expect(script.waits { $0.open == 0 })
        #expect(log.all.allSatisfy { $0 == "snapshot /dev/tty1" })
    }
}
