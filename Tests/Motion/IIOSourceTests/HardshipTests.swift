// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import IIOFormat
import Synchronization
import TestSupport
import Testing

@testable import IIOSource

@Suite("IIO source under adverse conditions", .timeLimit(.minutes(30)))
struct HardshipTests {
    private static func source(
        _ library: ScriptedLibrary, clock: any DeviceClock = LiveClock(), options: IIOSourceOptions = Devices.quick
    ) -> IIOSource {
        IIOSource(addresses: [.local], dependencies: Devices.dependencies(library, clock: clock, options: options))
    }

    private static func now() -> Int64 { LiveClock().now.nanoseconds }

    private static let request = MotionRequest(kind: .accelerometer, axes: .sensor)

    @Test("A pending start of a capture is cancelled when the subscriptions change or end")
    func stopWhileStarting() {
        let library = Devices.library()
        library.script.withLock { $0.neverStarts = true }
        let source = Self.source(library)
        let first = source.subscribe(Self.request) { _ in }
        #expect(library.journal.waits(for: "start"))
        let second = source.subscribe(MotionRequest(kind: .gyroscope, axes: .sensor)) { _ in }
        #expect(library.journal.waits(for: "start", count: 2))
        first.cancel()
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A device does not count as silent while a subscriber blocks the thread")
    func slowSubscriber() {
        let library = Devices.library()
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let source = Self.source(library, clock: clock)
        let log = EventLog()
        let gate = DispatchSemaphore(value: 0)
        let subscription = source.subscribe(Self.request) { event in
            log.record(event)
            if log.count("sample 0.01") == 1 { gate.wait() }
        }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        // One minute, in steps that the context's thread observes.
        let passes = Atomic<Int>(0)
        #expect(
            library.journal.waits {
                clock.move(to: clock.now.advanced(bySeconds: 0.5))
                source.devicesChanged()
                passes.add(1, ordering: .relaxed)
            } until: { _ in
                passes.load(ordering: .relaxed) >= 120
            })
        gate.signal()
        library.lastBuffer?.push(Devices.scan(2, 2, 2, time: clock.now.nanoseconds))
        // Lets every further event pass the gate.
        for _ in 0..<8 { gate.signal() }
        #expect(log.waits(for: "sample 0.02"))
        #expect(log.count("lost") == 0)
        #expect(library.journal.count("buffer") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("If a buffer stops delivering, the axes are polled and the buffer is tried again later")
    func bufferRecovers() {
        let library = Devices.library()
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let source = Self.source(library, clock: clock)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        let pass = {
            clock.move(to: clock.now.advanced(bySeconds: 0.05))
            source.devicesChanged()
        }
        #expect(log.waits(for: "lost silent", nudge: pass))
        // The buffer has been restarted without success, and now the axes are polled. The first of the two samples is
        // the initial value.
        #expect(log.waits(for: "sample 1.0 2.0 3.0", count: 2, nudge: pass))
        #expect(log.count("regained") == 1)
        #expect(library.journal.waits(for: "buffer", count: 3, nudge: pass))
        let buffers = library.journal.count("buffer")
        library.lastBuffer?.push(Devices.scan(2, 2, 2, time: clock.now.nanoseconds))
        #expect(
            log.waits(for: "sample 0.02") {
                // Pushes again if that buffer has already been replaced.
                if library.journal.count("buffer") > buffers {
                    library.lastBuffer?.push(Devices.scan(2, 2, 2, time: clock.now.nanoseconds))
                }
            })
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("If neither a buffer nor its axes deliver samples, the device is retried only after a delay")
    func neitherBufferNorPolling() {
        var blind = Devices.context
        for channel in blind.devices[0].channels.indices {
            blind.devices[0].channels[channel].attributes.removeAll { $0.name == "raw" }
        }
        let library = Devices.library(blind)
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        var options = Devices.quick
        (options.initialRetryDelay, options.maximumRetryDelay) = (30, 30)
        let source = Self.source(library, clock: clock, options: options)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        let pass = {
            clock.move(to: clock.now.advanced(bySeconds: 0.25))
            source.devicesChanged()
        }
        // One start and one restart.
        #expect(log.waits(for: "lost silent", nudge: pass))
        let end = clock.now.advanced(bySeconds: 20)
        #expect(library.journal.waits(nudge: pass) { _ in clock.now >= end })
        #expect(library.journal.count("buffer") == 2)
        #expect(library.journal.waits(for: "buffer", count: 3, nudge: pass))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("After a server's connection is restored, samples have correct times even if the first ones are late")
    func lateAfterReturn() throws {
        let library = Devices.library()
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000_000))
        let source = IIOSource(
            addresses: [try MotionSourceAddress("ip:127.0.0.1")],
            dependencies: Devices.dependencies(library, clock: clock))
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        // The server's clock is 900 s behind.
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: 100_000_000_000))
        #expect(log.waits(for: "sample 0.01 0.01 0.01 @1000000000000"))
        library.lastBuffer?.fail(Int(EPIPE))
        let pass = {
            clock.move(to: clock.now.advanced(bySeconds: 0.01))
            source.devicesChanged()
        }
        #expect(library.journal.waits(for: "buffer", count: 2, nudge: pass))
        // The sample arrives 1.5 s after its measurement.
        let now = clock.now.nanoseconds
        clock.move(to: BootTime(nanoseconds: now + 1_500_000_000))
        library.lastBuffer?.push(Devices.scan(2, 2, 2, time: now - 900_000_000_000))
        #expect(log.waits(for: "sample 0.02 0.02 0.02 @\(now)"))
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("If a sensor is slower than its driver reports, it is read without decimation after a timeout")
    func slowerThanReported() {
        let library = Devices.library()
        // The rate cannot be written and stays at 50 Hz.
        library.script.withLock { $0.writeFailures[Devices.rate] = 22 }
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let source = Self.source(library, clock: clock)
        let log = EventLog()
        var request = Self.request
        request.interval = 0.5
        let subscription = source.subscribe(request) { log.record($0) }
        let buffer = "buffer accel_x,accel_y,accel_z,timestamp"
        #expect(library.journal.waits(for: "\(buffer) x5"))
        let pass = {
            clock.move(to: clock.now.advanced(bySeconds: 0.05))
            source.devicesChanged()
        }
        #expect(library.journal.waits(for: "\(buffer) x1", nudge: pass))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        #expect(log.count("lost") == 0)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test(
        "A buffer that is rejected with decimation is opened without it, and no loss is reported",
        arguments: [12, 22])
    func noMemoryForDecimation(error: Int32) {
        let library = Devices.library()
        library.script.withLock { script in
            script.writeFailures[Devices.rate] = 22
            script.bufferFailures = [error]
        }
        let source = Self.source(library)
        let log = EventLog()
        var request = Self.request
        request.interval = 0.5
        let subscription = source.subscribe(request) { log.record($0) }
        #expect(library.journal.waits(for: "buffer accel_x,accel_y,accel_z,timestamp x1"))
        // One interval after the initial reading, which precedes the capture.
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now() + 600_000_000))
        #expect(log.waits(for: "sample 0.01"))
        #expect(log.count("lost") == 0)
        #expect(source.sensors.allSatisfy { $0.mode != .polled })
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("A busy device is reported once and captured as soon as it is free")
    func busyNode() {
        let library = Devices.library()
        library.script.withLock { $0.bufferFailures = [16, 16, 16] }
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(log.waits(for: "lost busy"))
        #expect(library.journal.waits { $0.contains { $0.hasPrefix("buffer accel") } })
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now()))
        #expect(log.waits(for: "regained"))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Samples without timestamps have times before their arrival")
    func noTimestamp() throws {
        let library = Devices.library(IIOContext(devices: [Devices.imu(hasTimestamp: false), Devices.trigger]))
        let source = Self.source(library)
        let batches = Mutex<[MotionBatch]>([])
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { event in
            if case .samples(let batch) = event { batches.withLock { $0.append(batch) } }
            log.record(event)
        }
        #expect(library.journal.waits(for: "buffer accel_x,accel_y,accel_z x1"))
        let before = Self.now()
        let scan = Array(Devices.scan(1, -2, 981, time: 0).prefix(6))
        library.lastBuffer?.push(scan + scan)
        #expect(log.waits(for: "sample 0.01 -0.02 9.81", count: 2))
        let times = try #require(batches.withLock { $0.last }).times
        #expect(times.count == 2)
        #expect(times[0] < times[1])
        #expect(times[1].nanoseconds >= before && times[1].nanoseconds <= Self.now())
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Samples whose timestamps have fewer than 64 bits have the times of their arrival")
    func shortTimestamps() throws {
        var device = Devices.imu()
        device.channels[6].scan = IIOScanElement(
            index: 7, format: try #require(IIODataFormat(bits: 32, storageBits: 32)))
        let library = Devices.library(IIOContext(devices: [device, Devices.trigger]))
        library.script.withLock { script in
            script.writeFailures[Devices.clock] = 22
            script.clocks["realtime"] = 1_700_000_000_000_000_000
        }
        let clock = VirtualClock(now: BootTime(nanoseconds: 5_000_000_000))
        let source = Self.source(library, clock: clock)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        clock.move(to: BootTime(nanoseconds: 5_020_000_000))
        // 3 x be:s16, two bytes of padding, s32.
        library.lastBuffer?.push([0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0])
        #expect(log.waits(for: "sample 0.01 0.02 0.03 @5020000000"))
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("The measured rate is computed from the timestamps and not from the requested rate")
    func measuredRate() throws {
        let library = Devices.library()
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(library.journal.waits(for: "write sampling_frequency 500"))
        #expect(library.journal.waits(for: "buffer"))
        // 520 samples per second for two seconds; 500 per second were requested.
        let start = Self.now() - 2_500_000_000
        let scans = (0..<1040).map { Devices.scan(5, 0, 0, time: start + Int64($0) * 1_000_000_000 / 520) }
        library.lastBuffer?.push(Array(scans.joined()))
        #expect(log.waits(for: "sample 0.05", count: 1040))
        let rate = try #require(source.measuredRate(of: "local:/iio:device0/accel"))
        #expect(abs(rate - 520) < 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Refills of odd lengths and empty refills are tolerated")
    func oddRefills() {
        let library = Devices.library()
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        for bytes in [
            [], [1], [UInt8](repeating: 0xFF, count: 7), Devices.scan(3, 3, 3, time: Self.now()) + [9, 9, 9],
        ] {
            library.lastBuffer?.push(bytes)
        }
        #expect(log.waits(for: "sample 0.03"))
        library.lastBuffer?.push(Devices.scan(4, 4, 4, time: .min) + Devices.scan(4, 4, 4, time: .max))
        library.lastBuffer?.push(Devices.scan(4, 4, 4, time: -1) + Devices.scan(4, 4, 4, time: 0))
        library.lastBuffer?.push(Devices.scan(5, 5, 5, time: Self.now()))
        #expect(log.waits(for: "sample 0.05"))
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("A device that disappears during its setup is reported as lost once and recovers")
    func removedDuringSetup() {
        let library = Devices.library()
        library.script.withLock { $0.bufferFailures = [19, 2, 6] }
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(library.journal.waits { $0.contains { $0.hasPrefix("buffer accel") } })
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now()))
        #expect(log.waits(for: "sample 0.01"))
        #expect(log.count("lost") == 1)
        #expect(log.count("regained") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("A device whose scale cannot be read from a server is reopened until it can")
    func unreadableScale() {
        var blind = Devices.context
        for device in blind.devices.indices {
            for channel in blind.devices[device].channels.indices {
                let attributes = blind.devices[device].channels[channel].attributes
                for index in attributes.indices where attributes[index].name == "scale" {
                    blind.devices[device].channels[channel].attributes[index].value = nil
                }
            }
        }
        let library = Devices.library(blind)
        library.script.withLock { $0.presence = nil }
        let source = Self.source(library)
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(log.waits(for: "lost"))
        library.script.withLock { $0.context = Devices.context }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now()))
        #expect(log.waits(for: "sample 0.01"))
        #expect(log.count("lost") == 1)
        #expect(log.count("regained") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Hundreds of devices and duplicate IDs are found, and the last device can be read")
    func manyDevices() throws {
        var devices = (0..<300).map { Devices.imu(id: "iio:device\($0)") }
        devices.append(Devices.imu(id: "iio:device7"))
        let library = Devices.library(IIOContext(devices: devices))
        let source = Self.source(library)
        let sensors = source.sensors
        #expect(Set(sensors.map(\.id)).count == 600)
        let log = EventLog()
        let subscription = source.subscribe(
            MotionRequest(kind: .gyroscope, sensor: "local:/iio:device299/anglvel", axes: .sensor)
        ) { log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 2, 3, time: Self.now()))
        #expect(log.waits(for: "sample 0.001 0.002 0.003"))
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Concurrent subscriptions and cancellations, even in callbacks, leave no resources open")
    func storm() {
        let library = Devices.library()
        library.script.withLock { $0.firstRefill = Devices.scan(1, 1, 1, time: Self.now()) }
        let source = Self.source(library)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<Thoroughness.rounds(100, quick: 20) {
                let own = Mutex<Subscription?>(nil)
                let request = MotionRequest(
                    kind: round % 3 == 0 ? .gyroscope : .accelerometer, interval: Double(1 + thread) * 0.002)
                let subscription = source.subscribe(request) { _ in
                    // Removed first, so that the lock is not held during the cancellation.
                    let mine = own.withLock { own in
                        defer { own = nil }
                        return own
                    }
                    mine?.cancel()
                }
                if round % 2 == 0 { own.withLock { $0 = subscription } }
                if round % 10 == 0 { _ = source.sensors }
                if round % 7 == 0 { source.devicesChanged() }
                subscription.cancel()
            }
        }
        #expect(library.isIdle)
        // The source still works.
        let log = EventLog()
        let subscription = source.subscribe(Self.request) { log.record($0) }
        #expect(log.waits(for: "sample"))
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Extreme requests and options are tolerated")
    func extremes() {
        for (interval, samples) in [(.leastNonzeroMagnitude, Int.max), (1e300, Int.min), (0, 0)] {
            let library = Devices.library()
            var options = Devices.quick
            options.samplesPerRefill = samples
            options.kernelBuffers = samples
            options.maximumPollRate = .nan
            options.searchInterval = .nan
            options.maximumRetryDelay = .infinity
            options.discoveryTimeout = .infinity
            let source = Self.source(library, options: options)
            let log = EventLog()
            var request = MotionRequest(kind: .accelerometer, interval: interval, latency: 1e300, axes: .sensor)
            request.latency = .nan
            let subscription = source.subscribe(request) { log.record($0) }
            #expect(library.journal.waits(for: "buffer"))
            library.lastBuffer?.push(Devices.scan(1, 1, 1, time: Self.now()))
            #expect(log.waits(for: "sample"))
            subscription.cancel()
            #expect(library.isIdle)
        }
    }

    @Test("A device can be locked only once at a time")
    func lock() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lock-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try DeviceLock(folder: folder.path)
        let failure = #expect(throws: IIOFailure.self) { try DeviceLock(folder: folder.path) }
        // EBUSY
        #expect(failure?.number == 16)
        // The holder is unknown if the file system reports another inode number than the kernel's list of locks.
        #expect(
            failure?.holder?.hasSuffix("(process \(getpid()))") == true
                || failure?.holder == "another program of this package")
        let copies = try DescriptorCopies(of: folder.path)
        #expect(copies.count == 1)
        first.release()
        let second = try DeviceLock(folder: folder.path)
        second.release()
        second.release()
        withExtendedLifetime(copies) {}
    }
}
