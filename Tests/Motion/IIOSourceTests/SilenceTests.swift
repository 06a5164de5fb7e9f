// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import IIOFormat
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import IIOSource

/// Devices that respond late or never, on a virtual clock.
@Suite("Silent devices", .timeLimit(.minutes(10)))
struct SilenceTests {
    private let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
    private let log = EventLog()

    private func source(_ library: ScriptedLibrary, options: IIOSourceOptions = Devices.quick) -> IIOSource {
        IIOSource(addresses: [.local], dependencies: Devices.dependencies(library, clock: clock, options: options))
    }

    private static let accelerometer = MotionRequest(kind: .accelerometer, axes: .sensor)
    private static let gyroscope = MotionRequest(kind: .gyroscope, axes: .sensor)
    /// The first attribute that is read of each sensor.
    private static let accelX = IIOAttributePath.channel(0, 0, "raw")
    private static let gyroX = IIOAttributePath.channel(0, 3, "raw")

    /// A library with a device that has no buffer.
    private static var polled: ScriptedLibrary {
        Devices.library(IIOContext(devices: [Devices.imu(isBuffered: false), Devices.trigger]))
    }

    /// Advances the clock in steps that the context's thread observes.
    private func pass(_ seconds: Double, _ source: IIOSource, _ library: ScriptedLibrary) {
        for _ in 0..<Int(seconds / 0.5) {
            clock.move(to: clock.now.advanced(bySeconds: 0.5))
            #expect(library.completesPass(by: source))
        }
    }

    /// Advances the clock until a stuck reader thread is abandoned and the context's thread exits.
    private func leave(_ source: IIOSource, _ library: ScriptedLibrary) {
        #expect(library.completesPass(by: source))
        let count = library.journal.count("thread left")
        clock.move(to: clock.now.advanced(bySeconds: ContextSupervisor.abandonTimeout + 1))
        #expect(library.journal.waits(for: "thread left", count: count + 1) { source.devicesChanged() })
    }

    /// Advances the clock by a quarter of a second.
    private func nudge(_ source: IIOSource) {
        clock.move(to: clock.now.advanced(bySeconds: 0.25))
        source.devicesChanged()
    }

    @Test("A polled sensor that reappears has its full response time, however long it was absent")
    func reappearance() {
        let library = Self.polled
        // The gyroscope is read after the accelerometer.
        let attributePath = Self.gyroX
        let (gate, opening) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        library.script.withLock { script in
            script.readFailures[attributePath] = 19
            script.readGates[attributePath] = gate
            script.gate = opening
        }
        let source = source(library)
        let other = source.subscribe(Self.gyroscope) { _ in }
        let subscription = source.subscribe(Self.accelerometer) { log.record($0) }
        // Both sensors have subscribers when the devices are found.
        library.script.withLock { $0.gate = nil }
        for _ in 0..<8 { opening.signal() }
        #expect(log.waits(for: "sample"))
        #expect(library.completesPass(by: source))
        library.script.withLock { $0.readGates = [:] }
        for _ in 0..<8 { gate.signal() }
        #expect(log.waits(for: "lost"))
        // The sensor reappears after ten seconds, and the reading of the gyroscope blocks again.
        let secondGate = DispatchSemaphore(value: 0)
        library.script.withLock { script in
            script.readFailures = [:]
            script.readGates[attributePath] = secondGate
        }
        let count = log.count("sample")
        clock.move(to: clock.now.advanced(bySeconds: 10))
        #expect(log.waits(for: "sample", count: count + 1) { source.devicesChanged() })
        #expect(library.completesPass(by: source))
        #expect(log.count("lost") == 1)
        library.script.withLock { $0.readGates = [:] }
        for _ in 0..<8 { secondGate.signal() }
        subscription.cancel()
        other.cancel()
        #expect(library.isIdle)
    }

    @Test("After a suspension of the process, a polled sensor has a grace period before it is reported as silent")
    func polledSuspension() {
        let library = Self.polled
        let source = source(library)
        let subscription = source.subscribe(Self.accelerometer) { log.record($0) }
        #expect(log.waits(for: "sample"))
        let gate = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readGates[Self.accelX] = gate }
        #expect(library.completesPass(by: source))
        clock.move(to: clock.now.advanced(bySeconds: 10))
        #expect(library.completesPass(by: source))
        #expect(log.count("lost") == 0)
        #expect(log.waits(for: "lost silent", nudge: { nudge(source) }))
        library.script.withLock { $0.readGates = [:] }
        for _ in 0..<8 { gate.signal() }
        #expect(log.waits(for: "regained", nudge: { nudge(source) }))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Slow readings of several sensors do not count as silence")
    func slowCycles() {
        let library = Self.polled
        let gates = [Self.accelX: DispatchSemaphore(value: 0), Self.gyroX: DispatchSemaphore(value: 0)]
        let opening = DispatchSemaphore(value: 0)
        library.script.withLock { script in
            script.readGates = gates
            script.gate = opening
        }
        let source = source(library)
        let gyroLog = EventLog()
        let subscriptions = [
            source.subscribe(Self.accelerometer) { [log] in log.record($0) },
            source.subscribe(Self.gyroscope) { gyroLog.record($0) },
        ]
        // Both sensors have subscribers when the devices are found.
        library.script.withLock { $0.gate = nil }
        for _ in 0..<8 { opening.signal() }
        // Each reading takes 2.5 s. Slightly more than 3 s count as silence.
        for round in 1...3 {
            for (attributePath, log) in [(Self.accelX, log), (Self.gyroX, gyroLog)] {
                pass(2.5, source, library)
                gates[attributePath]?.signal()
                #expect(log.waits(for: "sample", count: round))
            }
        }
        #expect(log.count("lost") == 0)
        #expect(gyroLog.count("lost") == 0)
        library.open(gates)
        for subscription in subscriptions { subscription.cancel() }
        #expect(library.isIdle)
    }

    @Test("A device has its full setup time, even if a search for devices took long immediately before")
    func searchBeforeSetup() {
        let library = Self.polled
        library.script.withLock { $0.presence = nil }
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(log.waits(for: "sample"))
        let (gate, readGate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        library.script.withLock { $0.gate = gate }
        // A subscription to a missing sensor starts a search for devices.
        let missing = source.subscribe(MotionRequest(kind: .magnetometer)) { _ in }
        #expect(library.journal.waits(for: "gate", nudge: { nudge(source) }))
        let count = log.count("sample")
        clock.move(to: clock.now.advanced(bySeconds: 10))
        #expect(log.waits(for: "sample", count: count + 1))
        library.script.withLock { script in
            script.readGates[Self.accelX] = readGate
            script.gate = nil
        }
        #expect(library.journal.waits(for: "read gate", nudge: { nudge(source) }))
        // The plan changes while the thread is blocked in a slow reading.
        let second = source.subscribe(Self.gyroscope) { _ in }
        for _ in 0..<8 { gate.signal() }
        pass(1.5, source, library)
        #expect(log.count("lost") == 0)
        #expect(log.waits(for: "lost silent", nudge: { nudge(source) }))
        library.open([Self.accelX: readGate])
        for subscription in [first, second, missing] { subscription.cancel() }
        #expect(library.isIdle)
    }

    @Test("A subscriber that blocks in a loss event does not make another device count as silent")
    func slowSubscriber() {
        let devices = [Devices.imu(isBuffered: false), Devices.imu(id: "iio:device1", isBuffered: false)]
        let library = Devices.library(IIOContext(devices: devices))
        let (gate, otherGate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let otherX = IIOAttributePath.channel(1, 3, "raw")
        let source = source(library)
        let other = EventLog()
        let second = source.subscribe(
            MotionRequest(kind: .gyroscope, sensor: "local:/iio:device1/anglvel", axes: .sensor)
        ) { other.record($0) }
        let first = source.subscribe(
            MotionRequest(kind: .accelerometer, sensor: "local:/iio:device0/accel", axes: .sensor)
        ) { [clock, log] event in
            log.record(event)
            guard case .lost = event else { return }
            // Blocks for ten seconds of virtual time. The other device delivers a sample and then blocks in its next
            // reading.
            let count = other.count("sample")
            clock.move(to: clock.now.advanced(bySeconds: 10))
            #expect(other.waits(for: "sample", count: count + 1))
            let gates = library.journal.count("read gate")
            library.script.withLock { $0.readGates[otherX] = otherGate }
            #expect(
                library.journal.waits(for: "read gate", count: gates + 1) {
                    clock.move(to: clock.now.advanced(bySeconds: 0.01))
                })
        }
        #expect(log.waits(for: "sample"))
        #expect(other.waits(for: "sample"))
        library.script.withLock { $0.readGates[Self.accelX] = gate }
        #expect(log.waits(for: "lost silent", nudge: { nudge(source) }))
        pass(1, source, library)
        #expect(other.count("lost") == 0)
        library.open([Self.accelX: gate, otherX: otherGate])
        first.cancel()
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A hanging device is reported as silent, even if requests keep changing")
    func changingRequests() {
        let library = Devices.library()
        let gate = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readGates[Self.accelX] = gate }
        let source = source(library)
        let subscription = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(library.journal.waits(for: "lock"))
        for _ in 1...4 where log.count("lost") == 0 {
            let other = source.subscribe(Self.gyroscope) { _ in }
            pass(1, source, library)
            other.cancel()
            pass(1, source, library)
        }
        #expect(log.count("lost silent") == 1)
        library.open([Self.accelX: gate])
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("A reading by an abandoned thread is not delivered")
    func lateReading() {
        let library = Self.polled
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { _ in }
        let gate = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readGates[Self.accelX] = gate }
        #expect(library.journal.waits(for: "read gate", nudge: { nudge(source) }))
        first.cancel()
        leave(source, library)
        library.script.withLock { script in
            script.readGates = [:]
            script.values[Self.accelX] = "4200"
        }
        // Starts another reader thread.
        let second = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(log.waits(for: "sample"))
        let now = clock.now
        for _ in 0..<8 { gate.signal() }
        // The abandoned thread exits and releases its context.
        #expect(library.journal.waits(nudge: { nudge(source) }) { _ in library.connections == 1 })
        let times = log.all.compactMap { $0.split(separator: "@").last.flatMap { Int64($0) } }
        #expect(times.allSatisfy { $0 >= now.nanoseconds })
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A device that hangs repeatedly occupies a bounded number of threads")
    func abandoned() {
        let library = Self.polled
        let gate = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readGates[Self.accelX] = gate }
        let source = source(library)
        for round in 1...8 {
            let subscription = source.subscribe(Self.accelerometer) { _ in }
            #expect(library.journal.waits(for: "read gate", count: min(round, ContextSupervisor.maximumAbandoned + 1)))
            pass(1, source, library)
            subscription.cancel()
            // The last thread is not abandoned.
            if round <= ContextSupervisor.maximumAbandoned { leave(source, library) }
        }
        // Each thread opens its own poll.
        #expect(library.journal.count("poll accel") == ContextSupervisor.maximumAbandoned + 1)
        library.open([Self.accelX: gate])
        #expect(library.isIdle)
        // The source works again.
        let subscription = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(log.waits(for: "sample", nudge: { nudge(source) }))
        subscription.cancel()
        #expect(library.isIdle)
    }

    /// A buffer that returns one scan, and another one on a signal from the test, even if it is cancelled.
    private final class StuckBuffer: IIOBuffer, @unchecked Sendable {
        let gate: DispatchSemaphore
        let scanSize = 16
        let kernelBuffers = 4
        let pollHandle: (descriptor: Int32, wakeUp: WakeupPipe)? = nil
        private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
        private var refills = 0

        init(_ gate: DispatchSemaphore) {
            self.gate = gate
            bytes.copyBytes(from: Devices.scan(5, 5, 5, time: 1_000_000_000))
        }

        deinit { bytes.deallocate() }

        func start() {}

        func refill(_ scan: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
            refills += 1
            if refills > 2 { return -Int(EBADF) }
            if refills == 2 { gate.wait() }
            scan = UnsafeRawBufferPointer(bytes)
            return bytes.count
        }

        func cancel() {}
        func close() {}
    }

    @Test("Samples captured by an abandoned thread are not delivered")
    func lateCapture() {
        let library = Devices.library()
        let gate = DispatchSemaphore(value: 0)
        library.script.withLock { $0.makeBuffer = { _, _ in StuckBuffer(gate) } }
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(log.waits(for: "sample 0.05"))
        first.cancel()
        leave(source, library)
        library.script.withLock { $0.makeBuffer = nil }
        let next = EventLog()
        let second = source.subscribe(Self.accelerometer) { next.record($0) }
        #expect(library.journal.waits(for: "buffer", count: 2))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(next.waits(for: "sample 0.01"))
        gate.signal()
        // The stuck thread exits. Its buffer logs nothing.
        #expect(library.journal.waits(for: "thread left", count: 2))
        #expect(next.count("sample 0.05") == 0)
        second.cancel()
        #expect(library.journal.waits(for: "thread left", count: 4))
    }

    @Test("A reading that is being delivered when the device is removed may arrive after the loss")
    func readingInDelivery() {
        let library = Devices.library()
        let source = source(library)
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Mutex(false)
        let first = source.subscribe(Self.accelerometer) { event in
            guard case .samples(let batch) = event, batch.values[0].x == 0.02 else { return }
            isHeld.withLock { $0 = true }
            gate.wait()
        }
        let second = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        clock.move(to: clock.now.advanced(bySeconds: 0.02))
        library.lastBuffer?.push(Devices.scan(2, 2, 2, time: clock.now.nanoseconds))
        #expect(library.journal.waits { _ in isHeld.withLock { $0 } })
        library.script.withLock { script in
            script.isPresent = false
            script.context = IIOContext()
            script.presence = []
        }
        #expect(log.waits(for: "lost", nudge: { nudge(source) }))
        #expect(library.completesPass(by: source))
        gate.signal()
        #expect(log.waits(for: "sample 0.02", nudge: { nudge(source) }))
        #expect(log.count("lost") == 1)
        #expect(log.count("regained") == 0)
        first.cancel()
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A failed search for devices is repeated after its delay, even if devices appeared during the previous one")
    func failedSearch() {
        let library = Devices.library()
        // A device that appeared while the context was being opened.
        library.script.withLock { $0.presence = ["iio:device0", "iio:device1", "trigger0"] }
        var options = Devices.quick
        (options.initialRetryDelay, options.maximumRetryDelay, options.searchInterval) = (60, 60, 1)
        let source = source(library, options: options)
        let subscription = source.subscribe(MotionRequest(kind: .magnetometer, axes: .sensor)) { _ in }
        #expect(library.journal.waits(for: "open"))
        library.script.withLock { $0.openFailure = 24 }
        pass(30, source, library)
        #expect(library.journal.count("open failed") == 1)
        library.script.withLock { $0.openFailure = nil }
        pass(60, source, library)
        #expect(library.journal.all.count { $0 == "open" } > 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("A subscriber to another sensor is not notified of a loss that has ended")
    func oldLoss() {
        let library = Devices.library()
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.fail(Int(EPIPE))
        #expect(log.waits(for: "lost", nudge: { nudge(source) }))
        #expect(library.journal.waits(for: "buffer", count: 2, nudge: { nudge(source) }))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        let next = EventLog()
        let second = source.subscribe(Self.gyroscope) { next.record($0) }
        // The initial value, read for the new subscriber.
        #expect(next.waits(for: "sample 0.4 0.5 0.6"))
        #expect(next.count("lost") == 0)
        first.cancel()
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A new subscriber to an unreachable server is notified soon, regardless of the current retry delay")
    func newSubscriber() {
        let library = Devices.library()
        var options = Devices.quick
        options.maximumRetryDelay = 10_000
        let source = source(library, options: options)
        let first = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.script.withLock { $0.openFailure = 111 }
        library.lastBuffer?.fail(Int(EPIPE))
        #expect(log.waits(for: "lost"))
        let tries = library.journal.count("open failed")
        #expect(
            library.journal.waits(for: "open failed", count: tries + 3) {
                clock.move(to: clock.now.advanced(bySeconds: 100))
                source.devicesChanged()
            })
        // Increases the retry delay to its maximum.
        for _ in 0..<20 {
            clock.move(to: clock.now.advanced(bySeconds: 10_000))
            #expect(library.completesPass(by: source))
        }
        // The last retry has ended, and the next one is far in the future.
        #expect(library.completesPass(by: source))
        let start = clock.now
        let next = EventLog()
        let second = source.subscribe(Self.gyroscope) { next.record($0) }
        #expect(
            next.waits(for: "lost") {
                if clock.now.seconds(since: start) < 1_000 { nudge(source) } else { source.devicesChanged() }
            })
        first.cancel()
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A subscriber to a known sensor of a server that has become unreachable is notified")
    func unreachableMeanwhile() {
        let library = Devices.library()
        let source = source(library)
        #expect(source.sensors.count == 2)
        #expect(library.journal.waits(for: "thread left"))
        library.script.withLock { $0.openFailure = 111 }
        let subscription = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(log.waits(for: "lost", nudge: { nudge(source) }))
        library.script.withLock { $0.openFailure = nil }
        // Advances the clock no further than required, because the setup has a timeout of three seconds.
        let opens = library.journal.all.count { $0 == "open" }
        #expect(
            library.journal.waits(for: "buffer") {
                if library.journal.all.count(where: { $0 == "open" }) == opens { nudge(source) }
            })
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("Each sensor delivers an initial value, even if it is requested while the device is being set up")
    func firstValues() {
        let library = Devices.library()
        let gate = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readGates[Self.accelX] = gate }
        let source = source(library)
        let gyroLog = EventLog()
        let first = source.subscribe(Self.accelerometer) { [log] in log.record($0) }
        #expect(library.journal.waits(for: "read gate"))
        let second = source.subscribe(Self.gyroscope) { gyroLog.record($0) }
        #expect(library.completesPass(by: source))
        library.open([Self.accelX: gate])
        #expect(log.waits(for: "sample 1.0 2.0 3.0"))
        #expect(gyroLog.waits(for: "sample 0.4 0.5 0.6"))
        first.cancel()
        second.cancel()
        #expect(library.isIdle)
    }
}
