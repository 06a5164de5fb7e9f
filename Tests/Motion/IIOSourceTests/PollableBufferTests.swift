// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import IIOSource

@Suite("Captures with a file descriptor")
struct PollableBufferTests {
    /// A capture from a server with a virtual clock.
    private struct Bench {
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let buffer: ScriptedBuffer
        let hub: MotionHub
        let log = EventLog()
        let pollable: PollableBuffer
        let subscription: Subscription

        init(rate: Double = 50, decimation: Int = 1) throws {
            let context = Devices.context
            let address = try MotionSourceAddress("ip:127.0.0.1")
            let group = try #require(
                DeviceGroup.groups(in: context, address: address, settings: []) { id, _ in id }.first)
            let member = try #require(group.members.first { $0.sensor.kind == .accelerometer })
            let layout = try #require(context.devices[0].layout(of: [0, 1, 2, 6]))
            hub = MotionHub(sensors: [member.description])
            subscription = hub.subscribe(MotionRequest(kind: .accelerometer, axes: .sensor)) { [log] in log.record($0) }
            buffer = ScriptedBuffer(step: layout.sampleSize, journal: Journal(), keeping: nil, isPollable: true)
            let plan = DeviceReadPlan(active: [0], rate: rate, latency: 0, isPolled: false)
            let bufferReader = BufferReader(
                layout: layout, decimation: decimation, members: [member], timestampChannel: 6,
                corrector: TimestampCorrector(base: .device, interval: 0.02),
                reader: DeviceReader(plan: plan, now: clock.now) {}, hub: hub, clock: clock,
                library: ScriptedLibrary(context))
            let pollHandle = try #require(buffer.pollHandle)
            pollable = PollableBuffer(
                buffer, pollHandle.descriptor, bufferReader,
                BufferPlan(rate: rate, latency: 0, isLocal: false, isEventDriven: false), clock: clock)
        }

        func push(_ number: Int16) {
            buffer.push(Devices.scan(number, 0, 0, time: clock.now.nanoseconds))
        }

        func pass(seconds: Double) { clock.move(to: clock.now.advanced(bySeconds: seconds)) }

        /// Returns the error number with which a poll fails; 0 if it succeeds.
        func failure(_ body: () throws(DeviceError) -> Void) -> Int32 {
            do throws(DeviceError) {
                try body()
                return 0
            } catch {
                guard case .system(_, let number) = error.cause else { return -1 }
                return number
            }
        }
    }

    @Test("Samples that arrived during a system suspend are read before the server counts as silent")
    func sleep() throws {
        let bench = try Bench()
        bench.push(1)
        #expect(bench.failure { () throws(DeviceError) in try bench.pollable.read() } == 0)
        bench.push(2)
        bench.pass(seconds: 100)
        #expect(bench.failure { () throws(DeviceError) in try bench.pollable.read(isReadable: false) } == 0)
        #expect(bench.log.count("sample 0.02") == 1)
        bench.pass(seconds: 100)
        #expect(bench.failure { () throws(DeviceError) in try bench.pollable.read(isReadable: false) } == EPIPE)
    }

    @Test("A read in place of an executor reads everything that the kernel has buffered")
    func overdue() throws {
        let bench = try Bench()
        for number in 1...30 {
            bench.pass(seconds: 0.02)
            bench.push(Int16(number))
        }
        let outcome = try bench.pollable.readAvailable(.overdue(since: bench.clock.now))
        #expect(outcome == .drained)
        #expect(bench.log.count("sample") == 30)
    }

    @Test("With decimation, the last sample of each group is delivered, however the refills are split")
    func decimation() throws {
        let bench = try Bench(decimation: 4)
        var number: Int16 = 0
        for count in [4, 3, 1, 2, 9, 1, 8] {
            let refill = (0..<count).flatMap { _ in
                bench.pass(seconds: 0.02)
                number += 1
                return Devices.scan(number, 0, 0, time: bench.clock.now.nanoseconds)
            }
            bench.buffer.push(refill)
            try bench.pollable.read()
        }
        // Raw value n times the scale 0.01, at 1 s plus n times 20 ms.
        let expected = stride(from: 4, through: 28, by: 4).map { number in
            "sample \(Double(number) * 0.01) 0.0 0.0 @\(1_000_000_000 + number * 20_000_000)"
        }
        #expect(bench.log.all.filter { $0.hasPrefix("sample") } == expected)
        #expect(abs(try #require(bench.hub.measuredRate(of: "ip:127.0.0.1/iio:device0/accel")) - 50) < 0.1)
    }

    @Test("A poll stops after a few hundred samples, so that they are delivered before more are read")
    func flood() throws {
        let bench = try Bench()
        for refill in 0..<20 {
            bench.pass(seconds: 2)
            bench.buffer.push(
                (0..<100).flatMap { scan in
                    let time = bench.clock.now.nanoseconds - Int64(99 - scan) * 20_000_000
                    return Devices.scan(Int16(100 * refill + scan), 0, 0, time: time)
                })
        }
        let (executor, log) = (ManualPollingExecutor(), EventLog())
        var request = MotionRequest(kind: .accelerometer, axes: .sensor)
        request.executor = ExecutorIdentity(executor)
        let subscription = bench.hub.subscribe(request) { log.record($0) }
        var received = [0]
        while received.count < 100 {
            let isEmpty = try bench.pollable.read(on: executor) == .drained
            received.append(log.count("sample"))
            if isEmpty { break }
        }
        subscription.cancel()
        #expect(received.last == 2_000)
        #expect(zip(received, received.dropFirst()).allSatisfy { $1 - $0 < 1024 })
    }

    @Test("A server that sends only empty refills counts as silent after the timeout")
    func dribble() throws {
        let bench = try Bench()
        bench.push(1)
        #expect(bench.failure { () throws(DeviceError) in try bench.pollable.read() } == 0)
        for chunk in 1...6 {
            bench.pass(seconds: 1)
            bench.buffer.push([])
            let failure = bench.failure { () throws(DeviceError) in
                try bench.pollable.read()
                try bench.pollable.read(isReadable: Sockets.isReadable(bench.pollable.descriptor))
            }
            // The timeout is five seconds.
            #expect(failure == (chunk < 5 ? 0 : EPIPE))
        }
    }

    @Test("A capture can be registered with an executor only after samples with valid timestamps")
    func registration() throws {
        let bench = try Bench()
        #expect(!bench.pollable.mayBePolledByExecutor)
        bench.push(1)
        try bench.pollable.read()
        #expect(bench.pollable.mayBePolledByExecutor)
        for _ in 0..<8 {
            bench.buffer.push(Devices.scan(2, 0, 0, time: 1))
            bench.pass(seconds: 0.02)
            try bench.pollable.read()
        }
        #expect(!bench.pollable.mayBePolledByExecutor)
    }

    #if LibIIO
    @Test("A local buffer is read again only if more samples are available")
    func repeatedReads() throws {
        let descriptor = try WakeupPipe(for: "the test")
        var gate = RefillGate()
        var reads = 10
        // The first read follows a wait, so the descriptor is not polled again.
        #expect(gate.consumeRead(of: descriptor.readEnd, &reads))
        gate.recordRefill()
        #expect(!gate.consumeRead(of: descriptor.readEnd, &reads))
        #expect(gate.consumeRead(of: descriptor.readEnd, &reads))
        gate.recordRefill()
        descriptor.signal()
        #expect(gate.consumeRead(of: descriptor.readEnd, &reads))
        #expect(reads == 7)
        reads = 0
        #expect(!gate.consumeRead(of: descriptor.readEnd, &reads))
    }
    #endif

    @Test("While a subscriber runs, another thread polls, subscribes and cancels", .timeLimit(.minutes(5)))
    func subscriberWaits() throws {
        let bench = try Bench()
        let (isRunning, isUsed) = (BinarySemaphore(), BinarySemaphore())
        let isFree = Atomic<Bool>(false)
        let isContended = Atomic<Bool>(false)
        let request = MotionRequest(kind: .accelerometer, axes: .sensor)
        let other = bench.hub.subscribe(request) { _ in }
        let subscription = bench.hub.subscribe(request) { _ in
            isRunning.signal()
            isFree.store(isUsed.wait(seconds: 60), ordering: .relaxed)
        }
        try WorkerThread.start { [pollable = bench.pollable, hub = bench.hub] in
            guard isRunning.wait(seconds: 60) else { return }
            let outcome = try? pollable.readAvailable(.thread(isReadable: true))
            isContended.store(outcome == .contended, ordering: .relaxed)
            _ = pollable.deadline
            other.cancel()
            hub.subscribe(request) { _ in }.cancel()
            isUsed.signal()
        }
        bench.push(1)
        try bench.pollable.read()
        #expect(
            isFree.load(ordering: .relaxed) == true,
            "A lock is held while the subscriber runs, so the other thread waits.")
        #expect(isContended.load(ordering: .relaxed) == true)
        subscription.cancel()
    }

    @Test("Samples read on an executor are delivered only to the subscribers on this executor")
    func executors() throws {
        let bench = try Bench()
        let (here, there) = (ManualPollingExecutor(), ManualPollingExecutor())
        var logs: [EventLog] = []
        var subscriptions: [Subscription] = []
        for executor in [here, there, nil] {
            let log = EventLog()
            var request = MotionRequest(kind: .accelerometer, axes: .sensor)
            request.executor = ExecutorIdentity(executor)
            subscriptions.append(bench.hub.subscribe(request) { log.record($0) })
            logs.append(log)
        }
        bench.push(1)
        try bench.pollable.read(on: here)
        #expect(logs.map { $0.count("sample") } == [1, 0, 0])
        bench.pass(seconds: 0.02)
        bench.push(2)
        try bench.pollable.read()
        #expect(logs.map { $0.count("sample") } == [2, 1, 1])
        for subscription in subscriptions { subscription.cancel() }
    }
}

extension PollableBuffer {
    /// Reads as the reader thread does.
    fileprivate func read(isReadable: Bool = true) throws(DeviceError) {
        _ = try readAvailable(.thread(isReadable: isReadable))
    }

    /// Reads as that executor does.
    @discardableResult
    fileprivate func read(on executor: ManualPollingExecutor) throws -> ReadOutcome {
        var result = Result<ReadOutcome, any Error>.success(.contended)
        DeferredCallbacks(for: executor).run {
            result = Result { try readAvailable(.executor(dueTime: .zero)) }
        } enter: { callbacks in
            callbacks()
        }
        return try result.get()
    }
}
