// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization
import TestSupport
import Testing

@testable import IIOSource

@Suite("IIO source with a scripted library")
struct SourceTests {
    private static func source(
        _ library: ScriptedLibrary, clock: any DeviceClock = LiveClock(), settings: [SensorSetting] = [],
        options: IIOSourceOptions = Devices.quick
    ) -> IIOSource {
        IIOSource(
            addresses: [.local],
            dependencies: Devices.dependencies(library, clock: clock, settings: settings, options: options))
    }

    private static func now() -> Int64 { LiveClock().now.nanoseconds }

    private static func request(interval: Double = 0) -> MotionRequest {
        MotionRequest(kind: .accelerometer, interval: interval, axes: .sensor)
    }

    /// Returns true once all buffers, locks and contexts have been closed.
    private static func isIdle(_ library: ScriptedLibrary) -> Bool {
        library.journal.waits { lines in
            func count(_ prefix: String) -> Int { lines.filter { $0.hasPrefix(prefix) }.count }
            return count("buffer") - count("buffer failed") == count("close") && count("lock") == count("release lock")
                && library.connections == 0
        }
    }

    @Test("A new source opens nothing")
    func lazy() {
        let library = Devices.library()
        let source = Self.source(library)
        #expect(library.journal.all == [])
        withExtendedLifetime(source) {}
    }

    @Test("The first access to the sensors finds them, and no context remains open")
    func sensors() {
        let library = Devices.library()
        let source = Self.source(library)
        #expect(source.sensors.map(\.id) == ["local:/iio:device0/accel", "local:/iio:device0/anglvel"])
        #expect(source.sensors.map(\.kind) == [.accelerometer, .gyroscope])
        #expect(source.contextDescriptions.count == 1)
        #expect(source.contextDescriptions.first?.contains("value=\"50\"") == true)
        #expect(library.journal.count("open") == 1)
        #expect(Self.isIdle(library))
    }

    @Test("Samples are scaled and have the driver's timestamps, and the device stops with the last subscriber")
    func stream() throws {
        let library = Devices.library()
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        let time = Self.now()
        library.lastBuffer?.push(Devices.scan(1, -2, 981, time: time))
        // Raw 1, -2, 981 times the scale 0.01.
        #expect(log.waits(for: "sample 0.01 -0.02 9.81 @\(time)"))
        subscription.cancel()
        #expect(Self.isIdle(library))
        let lines = library.journal.all
        let cancelled = try #require(lines.firstIndex(of: "cancel"))
        let closed = try #require(lines.firstIndex(of: "close"))
        #expect(cancelled < closed)
        // The settings are restored before another program can lock the device.
        let rate = try #require(lines.firstIndex(of: "write sampling_frequency 50"))
        let clock = try #require(lines.firstIndex(of: "write current_timestamp_clock realtime"))
        let released = try #require(lines.firstIndex { $0.hasPrefix("release lock") })
        #expect(closed < rate && rate < clock && clock < released)
    }

    @Test("A sensor at rest delivers an initial value before its first sample")
    func initialValue() {
        let library = Devices.library()
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        // Raw 100, 200, 300 times the scale 0.01.
        #expect(log.waits(for: "sample 1.0 2.0 3.0"))
        #expect(library.journal.waits(for: "buffer"))
        let lines = library.journal.all
        let first = lines.firstIndex { $0.hasPrefix("poll") } ?? .max
        #expect(first < lines.firstIndex { $0.hasPrefix("buffer") } ?? 0)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("Two sensors of one device share one buffer")
    func twoSensors() {
        let library = Devices.library()
        let source = Self.source(library)
        let (accelerations, rotations) = (EventLog(), EventLog())
        let first = source.subscribe(Self.request()) { accelerations.record($0) }
        let second = source.subscribe(MotionRequest(kind: .gyroscope, axes: .sensor)) {
            rotations.record($0)
        }
        #expect(library.journal.waits(for: "buffer accel_x,accel_y,accel_z,anglvel_x,anglvel_y,anglvel_z,timestamp"))
        let time = Self.now()
        // 6 x s16, 4 bytes of padding, and the timestamp.
        let bytes: [UInt8] = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0, 0, 0]
        library.lastBuffer?.push(bytes + Devices.scan(0, 0, 0, time: time).suffix(8))
        #expect(accelerations.waits(for: "sample 0.01 0.02 0.03 @\(time)"))
        #expect(rotations.waits(for: "sample 0.004 0.005 0.006 @\(time)"))
        first.cancel()
        second.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A faster subscriber sets the device up again, and so does its cancellation")
    func setupAgain() {
        let library = Devices.library()
        let source = Self.source(library)
        let slow = source.subscribe(Self.request(interval: 0.05)) { _ in }
        #expect(library.journal.waits(for: "buffer"))
        let fast = source.subscribe(Self.request(interval: 0.005)) { _ in }
        #expect(library.journal.waits(for: "write sampling_frequency 200"))
        #expect(library.journal.waits(for: "buffer", count: 2))
        fast.cancel()
        #expect(library.journal.waits(for: "write sampling_frequency 20"))
        #expect(library.journal.waits(for: "buffer", count: 3))
        slow.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("Settings that were refused are reported, and written as soon as the user has the permission")
    func refusedSettings() {
        let library = Devices.library()
        library.script.withLock { script in
            script.writeFailures[Devices.rate] = 13
            script.writeFailures[Devices.clock] = 13
        }
        let source = Self.source(library)
        let subscription = source.subscribe(Self.request(interval: 0.005)) { _ in }
        #expect(library.journal.waits(for: "buffer"))
        for text in ["rate could not be set to 200 Hz", "timestamp clock cannot be set to boottime"] {
            #expect(
                library.journal.waits { _ in source.sensors.first?.remarks.contains { $0.contains(text) } == true })
        }
        library.script.withLock { $0.writeFailures = [:] }
        #expect(library.journal.waits(for: "buffer", count: 2) { source.devicesChanged() })
        #expect(library.journal.all.contains("write sampling_frequency 200"))
        #expect(
            library.journal.all.last { $0.hasPrefix("write current_timestamp_clock") }?.hasSuffix("boottime") == true)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A loss is reported once, and readings resume after a restart", arguments: [19, 32, 110, 5])
    func loss(number: Int) {
        let library = Devices.library()
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now()))
        #expect(log.waits(for: "sample 0.01"))
        library.script.withLock { $0.openFailure = 111 }
        library.lastBuffer?.fail(number)
        #expect(log.waits(for: "lost"))
        #expect(library.journal.waits(for: "open failed", count: 3))
        library.script.withLock { $0.openFailure = nil }
        #expect(library.journal.waits(for: "buffer", count: 2))
        library.lastBuffer?.push(Devices.scan(2, 2, 2, time: Self.now()))
        #expect(log.waits(for: "sample 0.02"))
        #expect(log.count("lost") == 1)
        #expect(log.count("regained") == 1)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("Fifty disconnections of a device leave no resources open")
    func unplug() {
        let library = Devices.library()
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        let rounds = Thoroughness.rounds(50, quick: 10)
        for round in 1...rounds {
            #expect(library.journal.waits(for: "buffer", count: round) { source.devicesChanged() })
            library.lastBuffer?.push(Devices.scan(Int16(round), 0, 0, time: Self.now()))
            #expect(log.waits(for: "sample \(Double(round) * 0.01)"))
            library.script.withLock { script in
                script.context = IIOContext()
                script.presence = []
                script.isPresent = false
            }
            #expect(log.waits(for: "lost", count: round) { source.devicesChanged() })
            #expect(library.journal.waits(for: "close", count: round))
            library.script.withLock { script in
                script.context = Devices.context
                script.presence = Devices.context.devices.map(\.id)
                script.isPresent = true
            }
        }
        #expect(log.waits(for: "regained", count: rounds - 1))
        #expect(log.count("lost") == rounds)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A device that appears later is found and captured")
    func lateDevice() {
        let library = Devices.library()
        library.script.withLock { script in
            script.context = IIOContext()
            script.presence = []
        }
        let source = Self.source(library)
        #expect(source.sensors.isEmpty)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        library.script.withLock { script in
            script.context = Devices.context
            script.presence = ["iio:device0", "trigger0"]
        }
        #expect(library.journal.waits(for: "buffer") { source.devicesChanged() })
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A device announced by the kernel is found immediately, regardless of the search interval")
    func announcedDevice() {
        let library = Devices.library()
        library.script.withLock { script in
            script.context = IIOContext()
            script.presence = []
        }
        var options = Devices.quick
        options.searchInterval = 3600
        let source = Self.source(library, options: options)
        source.setReportsDeviceChanges(true)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        // The first search has found nothing.
        #expect(library.journal.waits(for: "open"))
        library.script.withLock { script in
            script.context = Devices.context
            script.presence = ["iio:device0", "trigger0"]
        }
        source.devicesChanged()
        #expect(library.journal.waits(for: "buffer"))
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("The search interval is longer while device events are received")
    func watchedDevices() {
        let library = Devices.library()
        var options = Devices.quick
        options.searchInterval = 3600 / ContextSupervisor.monitoredFactor
        let supervisor = ContextSupervisor(
            session: ContextSession(
                address: .local, index: 0,
                dependencies: Devices.dependencies(library, clock: LiveClock(), options: options)),
            hub: MotionHub {}, catalog: SensorCatalog(contexts: 1))
        #expect(supervisor.searchInterval == 240)
        supervisor.dependencies.watch.set(true)
        #expect(supervisor.searchInterval == 3600)
        supervisor.dependencies.watch.set(false)
        #expect(supervisor.searchInterval == 240)
    }

    @Test("A device in use is not opened, is reported as busy, and is captured when it is free")
    func busy() {
        let library = Devices.library()
        library.script.withLock { $0.lockFailure = 16 }
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        #expect(log.waits(for: "lost busy"))
        #expect(library.journal.count("buffer") == 0)
        library.script.withLock { $0.lockFailure = nil }
        #expect(library.journal.waits(for: "buffer"))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("Without the permission to capture, the axes are polled until it is granted")
    func forbidden() {
        let library = Devices.library()
        library.script.withLock { script in
            script.bufferFailures = [13]
            script.isNodeAccessible = false
        }
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request(interval: 0.001)) { log.record($0) }
        #expect(log.waits(for: "sample 1.0 2.0 3.0", count: 3))
        #expect(log.count("lost") == 0)
        #expect(source.sensors.first?.mode == .polled)
        #expect(source.sensors.first?.remarks.filter { $0.contains("udev") }.count == 1)
        #expect(library.completesPass(by: source))
        #expect(library.journal.count("buffer accel") == 0)
        library.script.withLock { $0.isNodeAccessible = true }
        Self.expectBuffer(library, source)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A permission that is granted between the failure and its check is used")
    func grantedMeanwhile() {
        let library = Devices.library()
        library.script.withLock { $0.bufferFailures = [13] }
        let source = Self.source(library)
        let subscription = source.subscribe(Self.request(interval: 0.001)) { _ in }
        Self.expectBuffer(library, source)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    /// Expects that the buffer is opened and that the sensor's description is updated.
    private static func expectBuffer(_ library: ScriptedLibrary, _ source: IIOSource) {
        #expect(library.journal.waits(for: "buffer accel") { source.devicesChanged() })
        #expect(
            library.journal.waits { _ in
                source.sensors.first.map { $0.mode != .polled && $0.remarks.allSatisfy { !$0.contains("udev") } }
                    == true
            })
    }

    @Test("A sensor without a buffer is polled axis by axis, at most at its sampling rate")
    func rawOnly() {
        let library = Devices.library(IIOContext(devices: [Devices.imu(rate: "500", isBuffered: false)]))
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request(interval: 0.01)) { log.record($0) }
        #expect(log.waits(for: "sample 1.0 2.0 3.0", count: 5))
        #expect(library.journal.count("buffer") == 0)
        #expect(library.journal.all.contains("write sampling_frequency 100"))
        library.script.withLock { script in
            for axis in 0..<3 { script.readFailures[.channel(0, axis, "raw")] = 19 }
        }
        #expect(log.waits(for: "lost connectionLost"))
        library.script.withLock { $0.readFailures = [:] }
        #expect(log.waits(for: "regained"))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A buffer without samples is restarted once, and then the axes are polled")
    func emptyBuffer() {
        let library = Devices.library()
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let source = Self.source(library, clock: clock)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        let pass = {
            clock.move(to: clock.now.advanced(bySeconds: 0.05))
            source.devicesChanged()
        }
        #expect(library.journal.waits(for: "buffer"))
        #expect(library.journal.waits(for: "buffer", count: 2, nudge: pass))
        // The first sample is the initial value. Further ones are polled.
        #expect(log.waits(for: "sample 1.0 2.0 3.0", count: 4, nudge: pass))
        #expect(library.journal.count("buffer") == 2)
        #expect(log.count("lost") == 0)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A stalled capture is reported as silent once and restarted")
    func stall() {
        let library = Devices.library()
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let source = Self.source(library, clock: clock)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds + 1))
        #expect(log.waits(for: "sample 0.01"))
        let pass = {
            clock.move(to: clock.now.advanced(bySeconds: 0.05))
            source.devicesChanged()
        }
        #expect(log.waits(for: "lost silent", nudge: pass))
        #expect(library.journal.waits(for: "buffer", count: 2))
        library.lastBuffer?.push(Devices.scan(2, 2, 2, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.02"))
        #expect(log.count("lost") == 1)
        #expect(log.count("regained") == 1)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("After a system suspend, the device is set up again")
    func sleep() {
        let library = Devices.library()
        let clock = VirtualClock(now: BootTime(nanoseconds: 10_000_000_000))
        library.script.withLock { $0.clocks["monotonic"] = 10_000_000_000 }
        let source = Self.source(library, clock: clock)
        let subscription = source.subscribe(Self.request()) { _ in }
        #expect(library.journal.waits(for: "buffer"))
        // An hour of suspend advances only the boot clock.
        clock.move(to: clock.now.advanced(bySeconds: 3600))
        #expect(library.journal.waits(for: "buffer", count: 2) { source.devicesChanged() })
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("An unreachable server is retried without a loss event and listed among the problems")
    func unreachable() {
        let library = Devices.library()
        library.script.withLock { script in
            script.openFailure = 111
            script.presence = nil
        }
        let source = Self.source(library)
        #expect(source.sensors.isEmpty)
        #expect(source.problems.map(\.code) == [.unreachable])
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        #expect(library.journal.waits(for: "open failed", count: 4))
        #expect(log.all.isEmpty)
        library.script.withLock { $0.openFailure = nil }
        #expect(library.journal.waits(for: "buffer"))
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("Batches that a subscriber keeps do not change")
    func retainedBatches() {
        let library = Devices.library()
        let source = Self.source(library)
        let batches = Mutex<[MotionBatch]>([])
        let log = EventLog()
        let subscription = source.subscribe(MotionRequest(kind: .accelerometer, axes: .sensor)) { event in
            if case .samples(let batch) = event { batches.withLock { $0.append(batch) } }
            log.record(event)
        }
        #expect(library.journal.waits(for: "buffer"))
        let start = Self.now()
        for index in 1...5 {
            library.lastBuffer?.push(Devices.scan(Int16(index), 0, 0, time: start + Int64(index)))
        }
        #expect(log.waits(for: "sample 0.05"))
        // The first batch contains the initial value.
        #expect(batches.withLock { $0.dropFirst().map { $0.values[0].x } } == [0.01, 0.02, 0.03, 0.04, 0.05])
        subscription.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("Readings continue after the source is released")
    func released() {
        let library = Devices.library()
        let log = EventLog()
        var source: IIOSource? = Self.source(library)
        let subscription = source?.subscribe(Self.request()) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        source = nil
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now()))
        #expect(log.waits(for: "sample 0.01"))
        subscription?.cancel()
        #expect(Self.isIdle(library))
    }

    @Test("A sensor whose scale is zero is reported with the attribute and delivers no samples")
    func brokenScale() {
        var device = Devices.imu()
        for index in 0..<3 { device.channels[index].attributes[1].value = "0" }
        let library = Devices.library(IIOContext(devices: [device, Devices.trigger]))
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request()) { log.record($0) }
        #expect(log.waits(for: "lost"))
        #expect(log.all.first?.contains("scale") == true)
        #expect(library.journal.count("buffer") == 0)
        subscription.cancel()
        #expect(Self.isIdle(library))
    }
}
