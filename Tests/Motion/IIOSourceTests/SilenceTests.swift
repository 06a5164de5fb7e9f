// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import IIOFormat
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import IIOSource

/// Devices that answer late or not at all, on a virtual clock.
@Suite("Who is silent, and who is not", .timeLimit(.minutes(10)))
struct SilenceTests {
    private let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
    private let log = EventLog()

    private func source(_ library: ScriptedLibrary, options: IIOSourceOptions = Devices.quick) -> IIOSource {
        IIOSource(addresses: [.local], parts: Devices.parts(library, clock: clock, options: options))
    }

    private static let accelerometer = MotionRequest(kind: .accelerometer, axes: .sensor)
    private static let gyroscope = MotionRequest(kind: .gyroscope, axes: .sensor)
    /// What is read first of each.
    private static let accelX = IIOPlace.channel(0, 0, "raw")
    private static let gyroX = IIOPlace.channel(0, 3, "raw")

    /// A device that has no buffer.
    private static var polled: ScriptedLibrary {
        Devices.library(IIOContext(devices: [Devices.imu(isBuffered: false), Devices.trigger]))
    }

    /// Time passes, and the thread of the context sees it pass.
    private func pass(_ seconds: Double, _ source: IIOSource, _ library: ScriptedLibrary) {
        for _ in 0..<Int(seconds / 0.5) {
            clock.move(to: clock.now.advanced(bySeconds: 0.5))
            #expect(library.isLookedAt(by: source))
        }
    }

    /// Time passes after which a thread that does not leave is left to itself, and the one of the context leaves.
    private func leave(_ source: IIOSource, _ library: ScriptedLibrary) {
        #expect(library.isLookedAt(by: source))
        let count = library.journal.count("thread left")
        clock.move(to: clock.now.advanced(bySeconds: ContextSupervisor.abandonLimit + 1))
        #expect(library.journal.waits(for: "thread left", count: count + 1) { source.devicesChanged() })
    }

    /// Time passes a little.
    private func nudge(_ source: IIOSource) {
        clock.move(to: clock.now.advanced(bySeconds: 0.25))
        source.devicesChanged()
    }

    @Test("A sensor that is read axis by axis, and is back, is not held to the time for which it was away")
    func backFromAway() {
        let library = Self.polled
        // It is read after the accelerometer.
        let place = Self.gyroX
        let (door, opening) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        library.script.withLock { script in
            script.readFailures[place] = 19
            script.readDoors[place] = door
            script.door = opening
        }
        let source = source(library)
        let other = source.subscribe(Self.gyroscope) { _ in }
        let subscription = source.subscribe(Self.accelerometer) { log.note($0) }
        // Both are wanted by the time at which the devices are found.
        library.script.withLock { $0.door = nil }
        for _ in 0..<8 { opening.signal() }
        #expect(log.waits(for: "sample"))
        #expect(library.isLookedAt(by: source))
        library.script.withLock { $0.readDoors = [:] }
        for _ in 0..<8 { door.signal() }
        #expect(log.waits(for: "lost"))
        // Back after ten seconds, and the gyroscope takes its time again.
        let secondDoor = DispatchSemaphore(value: 0)
        library.script.withLock { script in
            script.readFailures = [:]
            script.readDoors[place] = secondDoor
        }
        let count = log.count("sample")
        clock.move(to: clock.now.advanced(bySeconds: 10))
        #expect(log.waits(for: "sample", count: count + 1) { source.devicesChanged() })
        #expect(library.isLookedAt(by: source))
        #expect(log.count("lost") == 1)
        library.script.withLock { $0.readDoors = [:] }
        for _ in 0..<8 { secondDoor.signal() }
        subscription.cancel()
        other.cancel()
        #expect(library.isAtRest)
    }

    @Test("Who reads axis by axis has its turn after a standstill, and what does not come then is told as silent")
    func polledStandstill() {
        let library = Self.polled
        let source = source(library)
        let subscription = source.subscribe(Self.accelerometer) { log.note($0) }
        #expect(log.waits(for: "sample"))
        let door = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readDoors[Self.accelX] = door }
        #expect(library.isLookedAt(by: source))
        clock.move(to: clock.now.advanced(bySeconds: 10))
        #expect(library.isLookedAt(by: source))
        #expect(log.count("lost") == 0)
        #expect(log.waits(for: "lost silent", nudge: { nudge(source) }))
        library.script.withLock { $0.readDoors = [:] }
        for _ in 0..<8 { door.signal() }
        #expect(log.waits(for: "regained", nudge: { nudge(source) }))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(library.isAtRest)
    }

    @Test("Readings that come slowly, one sensor after the other, are no silence")
    func slowRounds() {
        let library = Self.polled
        let doors = [Self.accelX: DispatchSemaphore(value: 0), Self.gyroX: DispatchSemaphore(value: 0)]
        let opening = DispatchSemaphore(value: 0)
        library.script.withLock { script in
            script.readDoors = doors
            script.door = opening
        }
        let source = source(library)
        let gyroLog = EventLog()
        let subscriptions = [
            source.subscribe(Self.accelerometer) { [log] in log.note($0) },
            source.subscribe(Self.gyroscope) { gyroLog.note($0) },
        ]
        // Both are wanted by the time at which the devices are found.
        library.script.withLock { $0.door = nil }
        for _ in 0..<8 { opening.signal() }
        // Two seconds and a half for each reading, and a little more than three are silence.
        for round in 1...3 {
            for (place, log) in [(Self.accelX, log), (Self.gyroX, gyroLog)] {
                pass(2.5, source, library)
                doors[place]?.signal()
                #expect(log.waits(for: "sample", count: round))
            }
        }
        #expect(log.count("lost") == 0)
        #expect(gyroLog.count("lost") == 0)
        library.open(doors)
        for subscription in subscriptions { subscription.cancel() }
        #expect(library.isAtRest)
    }

    @Test("A device has its time to be set up, though looking for devices took long just before")
    func lookBefore() {
        let library = Self.polled
        library.script.withLock { $0.presence = nil }
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(log.waits(for: "sample"))
        let (door, readDoor) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        library.script.withLock { $0.door = door }
        // A sensor that is not there: the devices are looked at anew.
        let missing = source.subscribe(MotionRequest(kind: .magnetometer)) { _ in }
        #expect(library.journal.waits(for: "door", nudge: { nudge(source) }))
        let count = log.count("sample")
        clock.move(to: clock.now.advanced(bySeconds: 10))
        #expect(log.waits(for: "sample", count: count + 1))
        library.script.withLock { script in
            script.readDoors[Self.accelX] = readDoor
            script.door = nil
        }
        #expect(library.journal.waits(for: "read door", nudge: { nudge(source) }))
        // Another plan, for a thread that is at a slow reading.
        let second = source.subscribe(Self.gyroscope) { _ in }
        for _ in 0..<8 { door.signal() }
        pass(1.5, source, library)
        #expect(log.count("lost") == 0)
        #expect(log.waits(for: "lost silent", nudge: { nudge(source) }))
        library.open([Self.accelX: readDoor])
        for subscription in [first, second, missing] { subscription.cancel() }
        #expect(library.isAtRest)
    }

    @Test("A listener that takes its time over a loss does not make another device silent")
    func slowListener() {
        let devices = [Devices.imu(isBuffered: false), Devices.imu(id: "iio:device1", isBuffered: false)]
        let library = Devices.library(IIOContext(devices: devices))
        let (door, otherDoor) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let otherX = IIOPlace.channel(1, 3, "raw")
        let source = source(library)
        let other = EventLog()
        let second = source.subscribe(
            MotionRequest(kind: .gyroscope, sensor: "local:/iio:device1/anglvel", axes: .sensor)
        ) { other.note($0) }
        let first = source.subscribe(
            MotionRequest(kind: .accelerometer, sensor: "local:/iio:device0/accel", axes: .sensor)
        ) { [clock, log] event in
            log.note(event)
            guard case .lost = event else { return }
            // Ten seconds, in which the other one is read to the last.
            let count = other.count("sample")
            clock.move(to: clock.now.advanced(bySeconds: 10))
            #expect(other.waits(for: "sample", count: count + 1))
            let doors = library.journal.count("read door")
            library.script.withLock { $0.readDoors[otherX] = otherDoor }
            #expect(
                library.journal.waits(for: "read door", count: doors + 1) {
                    clock.move(to: clock.now.advanced(bySeconds: 0.01))
                })
        }
        #expect(log.waits(for: "sample"))
        #expect(other.waits(for: "sample"))
        library.script.withLock { $0.readDoors[Self.accelX] = door }
        #expect(log.waits(for: "lost silent", nudge: { nudge(source) }))
        pass(1, source, library)
        #expect(other.count("lost") == 0)
        library.open([Self.accelX: door, otherX: otherDoor])
        first.cancel()
        second.cancel()
        #expect(library.isAtRest)
    }

    @Test("A device that hangs is told as silent, however often something else is asked of it")
    func changingWishes() {
        let library = Devices.library()
        let door = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readDoors[Self.accelX] = door }
        let source = source(library)
        let subscription = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(library.journal.waits(for: "lock"))
        for _ in 1...4 where log.count("lost") == 0 {
            let other = source.subscribe(Self.gyroscope) { _ in }
            pass(1, source, library)
            other.cancel()
            pass(1, source, library)
        }
        #expect(log.count("lost silent") == 1)
        library.open([Self.accelX: door])
        subscription.cancel()
        #expect(library.isAtRest)
    }

    @Test("What a thread reads that was left to itself is not told any more")
    func lateReading() {
        let library = Self.polled
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { _ in }
        let door = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readDoors[Self.accelX] = door }
        #expect(library.journal.waits(for: "read door", nudge: { nudge(source) }))
        first.cancel()
        leave(source, library)
        library.script.withLock { script in
            script.readDoors = [:]
            script.values[Self.accelX] = "4200"
        }
        // Another thread's.
        let second = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(log.waits(for: "sample"))
        let now = clock.now
        for _ in 0..<8 { door.signal() }
        // Its context goes with the thread that was left.
        #expect(library.journal.waits(nudge: { nudge(source) }) { _ in library.connections == 1 })
        let times = log.all.compactMap { $0.split(separator: "@").last.flatMap { Int64($0) } }
        #expect(times.allSatisfy { $0 >= now.nanoseconds })
        second.cancel()
        #expect(library.isAtRest)
    }

    @Test("A device that hangs each time costs a few threads, not one more each time")
    func abandoned() {
        let library = Self.polled
        let door = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readDoors[Self.accelX] = door }
        let source = source(library)
        for round in 1...8 {
            let subscription = source.subscribe(Self.accelerometer) { _ in }
            #expect(library.journal.waits(for: "read door", count: min(round, ContextSupervisor.maximumAbandoned + 1)))
            pass(1, source, library)
            subscription.cancel()
            // The last one is waited for.
            if round <= ContextSupervisor.maximumAbandoned { leave(source, library) }
        }
        // Each thread opens its own.
        #expect(library.journal.count("poll accel") == ContextSupervisor.maximumAbandoned + 1)
        library.open([Self.accelX: door])
        #expect(library.isAtRest)
        // And it works as before.
        let subscription = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(log.waits(for: "sample", nudge: { nudge(source) }))
        subscription.cancel()
        #expect(library.isAtRest)
    }

    /// Gives one scan, and then one more when the test says so, whoever has cancelled it.
    private final class StuckBuffer: IIOBuffer, @unchecked Sendable {
        let door: DispatchSemaphore
        let step = 16
        let kernelBuffers = 4
        let wait: (descriptor: Int32, wakeUp: WakeUp)? = nil
        private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 16)
        private var refills = 0

        init(_ door: DispatchSemaphore) {
            self.door = door
            bytes.copyBytes(from: Devices.scan(5, 5, 5, time: 1_000_000_000))
        }

        deinit { bytes.deallocate() }

        func start() {}

        func refill(_ scan: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
            refills += 1
            if refills > 2 { return -Int(EBADF) }
            if refills == 2 { door.wait() }
            scan = UnsafeRawBufferPointer(bytes)
            return bytes.count
        }

        func cancel() {}
        func close() {}
    }

    @Test("What a thread captures that was left to itself is not told any more")
    func lateCapture() {
        let library = Devices.library()
        let door = DispatchSemaphore(value: 0)
        library.script.withLock { $0.makeBuffer = { _, _ in StuckBuffer(door) } }
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(log.waits(for: "sample 0.05"))
        first.cancel()
        leave(source, library)
        library.script.withLock { $0.makeBuffer = nil }
        let next = EventLog()
        let second = source.subscribe(Self.accelerometer) { next.note($0) }
        #expect(library.journal.waits(for: "buffer", count: 2))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(next.waits(for: "sample 0.01"))
        door.signal()
        // The stuck thread's, whose buffer notes nothing.
        #expect(library.journal.waits(for: "thread left", count: 2))
        #expect(next.count("sample 0.05") == 0)
        second.cancel()
        #expect(library.journal.waits(for: "thread left", count: 4))
    }

    @Test("Who gets a reading that was in hand when the device went is told again that it is gone")
    func readingInHand() {
        let library = Devices.library()
        let source = source(library)
        let door = DispatchSemaphore(value: 0)
        let isHeld = Mutex(false)
        let first = source.subscribe(Self.accelerometer) { event in
            guard case .samples(let batch) = event, batch.values[0].x == 0.02 else { return }
            isHeld.withLock { $0 = true }
            door.wait()
        }
        let second = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
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
        #expect(library.isLookedAt(by: source))
        door.signal()
        #expect(log.waits(for: "sample 0.02", nudge: { nudge(source) }))
        #expect(log.waits(for: "lost", count: 2, nudge: { nudge(source) }))
        #expect(log.count("regained") == 1)
        first.cancel()
        second.cancel()
        #expect(library.isAtRest)
    }

    @Test("A look that cannot be taken is tried again after its pause, though devices came during the one before")
    func doubtfulLook() {
        let library = Devices.library()
        // A device that has come while the context was being opened.
        library.script.withLock { $0.presence = ["iio:device0", "iio:device1", "trigger0"] }
        var options = Devices.quick
        (options.firstRetry, options.lastRetry, options.searchInterval) = (60, 60, 1)
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
        #expect(library.isAtRest)
    }

    @Test("Who listens to another sensor of a device that was lost, and is back, hears nothing of that")
    func oldLoss() {
        let library = Devices.library()
        let source = source(library)
        let first = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(library.journal.waits(for: "buffer"))
        library.lastBuffer?.fail(Int(EPIPE))
        #expect(log.waits(for: "lost", nudge: { nudge(source) }))
        #expect(library.journal.waits(for: "buffer", count: 2, nudge: { nudge(source) }))
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        let next = EventLog()
        let second = source.subscribe(Self.gyroscope) { next.note($0) }
        // What it is read once for the newcomer.
        #expect(next.waits(for: "sample 0.4 0.5 0.6"))
        #expect(next.count("lost") == 0)
        first.cancel()
        second.cancel()
        #expect(library.isAtRest)
    }

    @Test("Who listens to another sensor of a server that is away hears so soon, however long its pause is by now")
    func newcomer() {
        let library = Devices.library()
        var options = Devices.quick
        options.lastRetry = 10_000
        let source = source(library, options: options)
        let first = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
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
        // As far as one has to wait by now.
        for _ in 0..<20 {
            clock.move(to: clock.now.advanced(bySeconds: 10_000))
            #expect(library.isLookedAt(by: source))
        }
        // The last try is over, and the next one far.
        #expect(library.isLookedAt(by: source))
        let start = clock.now
        let next = EventLog()
        let second = source.subscribe(Self.gyroscope) { next.note($0) }
        #expect(
            next.waits(for: "lost") {
                if clock.now.seconds(since: start) < 1_000 { nudge(source) } else { source.devicesChanged() }
            })
        first.cancel()
        second.cancel()
        #expect(library.isAtRest)
    }

    @Test("Who listens to a sensor that was found on a server that is away by now hears so")
    func goneMeanwhile() {
        let library = Devices.library()
        let source = source(library)
        #expect(source.sensors.count == 2)
        #expect(library.journal.waits(for: "thread left"))
        library.script.withLock { $0.openFailure = 111 }
        let subscription = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(log.waits(for: "lost", nudge: { nudge(source) }))
        library.script.withLock { $0.openFailure = nil }
        // No further than it takes: what is set up then has three seconds.
        let opens = library.journal.all.count { $0 == "open" }
        #expect(
            library.journal.waits(for: "buffer") {
                if library.journal.all.count(where: { $0 == "open" }) == opens { nudge(source) }
            })
        library.lastBuffer?.push(Devices.scan(1, 1, 1, time: clock.now.nanoseconds))
        #expect(log.waits(for: "sample 0.01"))
        #expect(log.count("lost") == 1)
        subscription.cancel()
        #expect(library.isAtRest)
    }

    @Test("Each sensor has its first value, though others are asked for while the device is set up, or later")
    func firstValues() {
        let library = Devices.library()
        let door = DispatchSemaphore(value: 0)
        library.script.withLock { $0.readDoors[Self.accelX] = door }
        let source = source(library)
        let gyroLog = EventLog()
        let first = source.subscribe(Self.accelerometer) { [log] in log.note($0) }
        #expect(library.journal.waits(for: "read door"))
        let second = source.subscribe(Self.gyroscope) { gyroLog.note($0) }
        #expect(library.isLookedAt(by: source))
        library.open([Self.accelX: door])
        #expect(log.waits(for: "sample 1.0 2.0 3.0"))
        #expect(gyroLog.waits(for: "sample 0.4 0.5 0.6"))
        first.cancel()
        second.cancel()
        #expect(library.isAtRest)
    }
}
