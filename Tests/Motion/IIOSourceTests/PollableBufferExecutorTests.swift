// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import IIOFormat
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import IIOSource

@Suite("Executors that poll a sensor's buffer")
struct PollableBufferExecutorTests {
    /// A source whose buffer is registered with a polling executor after the first sample.
    private struct PollingBench {
        let library: ScriptedLibrary
        let executor = ManualPollingExecutor()
        let log = EventLog()
        let source: IIOSource
        let subscription: Subscription
        private let hasTimestamps: Bool
        private let pushBytes: (@Sendable ([UInt8]) -> Void)?
        private let otherThreads = ThreadCounter()

        final class ThreadCounter: Sendable {
            let count = Atomic<Int>(0)
        }

        init(
            tolerance: Double, hasTimestamps: Bool = true, change: (inout ScriptedLibrary.Script) -> Void = { _ in },
            push pushBytes: (@Sendable ([UInt8]) -> Void)? = nil
        ) {
            self.hasTimestamps = hasTimestamps
            self.pushBytes = pushBytes
            let context = IIOContext(devices: [Devices.imu(hasTimestamp: hasTimestamps), Devices.trigger])
            library = Devices.library(context)
            library.script.withLock { script in
                script.isPollable = true
                change(&script)
            }
            var options = Devices.quick
            options.tolerance = tolerance
            let test = currentThread()
            source = IIOSource(addresses: [.local], dependencies: Devices.dependencies(library, options: options))
            subscription = source.subscribe(Self.request(.accelerometer, executor)) { [log, otherThreads] event in
                if currentThread() != test { otherThreads.count.add(1, ordering: .relaxed) }
                log.record(event)
            }
            #expect(library.journal.waits(for: "buffer"))
            push(1)
            #expect(log.waits(for: Self.line(1)))
            if hasTimestamps { #expect(executor.waitForRegistration()) }
        }

        static func request(_ kind: SensorKind, _ executor: (any PollingExecutor)?) -> MotionRequest {
            var request = MotionRequest(kind: kind, axes: .sensor)
            request.executor = ExecutorIdentity(executor)
            return request
        }

        /// Returns the log line of sample n: n times the scale 0.01. The initial value, read before the capture, is 1.0
        /// 2.0 3.0.
        static func line(_ number: Int) -> String { "sample \(Double(number) * 0.01) 0.0 0.0" }

        func push(_ number: Int) {
            let scan = Devices.scan(Int16(number), 0, 0, time: LiveClock().now.nanoseconds)
            let bytes = hasTimestamps ? scan : Array(scan.prefix(6))
            if let pushBytes { pushBytes(bytes) } else { library.lastBuffer?.push(bytes) }
        }

        /// The number of events delivered on threads other than the test's.
        var otherThreadEvents: Int { otherThreads.count.load(ordering: .relaxed) }

        /// Pushes samples and expects that the executor delivers each one when polled, and no other thread does.
        func passes(_ numbers: ClosedRange<Int>) {
            let otherThreadEvents = otherThreadEvents
            for number in numbers {
                push(number)
                #expect(executor.pollWhenReadable())
                #expect(log.count(Self.line(number)) == 1)
            }
            #expect(self.otherThreadEvents == otherThreadEvents)
        }

        func end() {
            subscription.cancel()
            #expect(
                library.journal.waits { lines in
                    lines.count { $0.hasPrefix("buffer") } == lines.count { $0 == "close" } && library.connections == 0
                })
        }
    }

    @Test("The executor reads all samples on its own thread")
    func polling() {
        let bench = PollingBench(tolerance: 600)
        bench.passes(2...40)
        bench.end()
        #expect(bench.executor.waitForEnd())
        bench.executor.pollNow()
        #expect(bench.log.count("sample") == 41)
    }

    @Test("While the executor does not read, the reader thread reads all, in order")
    func stalls() {
        let bench = PollingBench(tolerance: 0.05)
        for number in 2...30 { bench.push(number) }
        #expect(bench.log.waits(for: PollingBench.line(30)))
        for number in 31...33 {
            bench.push(number)
            #expect(bench.log.waits(for: PollingBench.line(number)))
        }
        // The registration lasts: the executor may read again at any time.
        #expect(!bench.executor.waitForEnd(seconds: 0) && !bench.executor.waitForRegistration(2, seconds: 0))
        #expect(bench.log.all.dropFirst().enumerated().allSatisfy { $1.hasPrefix(PollingBench.line($0 + 1)) })
        bench.end()
    }

    @Test("A subscriber on another thread ends the registration, for this sensor or another one of the device")
    func secondSubscriber() {
        for kind in [SensorKind.accelerometer, .gyroscope] {
            let bench = PollingBench(tolerance: 600)
            let second = EventLog()
            let other = bench.source.subscribe(PollingBench.request(kind, nil)) { second.record($0) }
            if kind == .gyroscope {
                // The subscription to the second sensor sets the device up again.
                #expect(bench.library.journal.waits(for: "buffer", count: 2))
            } else {
                // The next sample is read by the source.
                bench.push(2)
                bench.executor.pollNow()
                #expect(bench.log.waits(for: PollingBench.line(2)) && second.waits(for: PollingBench.line(2)))
            }
            #expect(bench.executor.waitForEnd())
            let zeros = [UInt8](repeating: 0, count: kind == .gyroscope ? 8 : 0)
            let scan = Devices.scan(3, 0, 0, time: LiveClock().now.nanoseconds)
            bench.library.lastBuffer?.push(Array(scan.prefix(8)) + zeros + Array(scan.suffix(8)))
            #expect(bench.log.waits(for: PollingBench.line(3)))
            other.cancel()
            bench.end()
        }
    }

    @Test("The executor never calls subscribers of other threads, even while the source is busy")
    func secondSubscriberMeanwhile() {
        let bench = PollingBench(tolerance: 600)
        let test = currentThread()
        let gate = DispatchSemaphore(value: 0)
        bench.library.script.withLock { script in
            script.gate = gate
            // A device has been added, so the source examines all devices, which takes a long time.
            script.presence = ["iio:device0", "iio:device1", "trigger0"]
        }
        let third = bench.source.subscribe(PollingBench.request(.magnetometer, nil)) { _ in }
        #expect(bench.library.journal.waits(for: "gate"))
        let (second, wrong) = (EventLog(), EventLog())
        let other = bench.source.subscribe(PollingBench.request(.accelerometer, nil)) { event in
            (currentThread() == test ? wrong : second).record(event)
        }
        bench.push(2)
        // The source's thread may have detected the invalid timestamps before.
        bench.executor.pollNow()
        #expect(second.waits(for: PollingBench.line(2)))
        #expect(wrong.all.isEmpty)
        bench.library.script.withLock { $0.gate = nil }
        for _ in 0..<100 { gate.signal() }
        other.cancel()
        third.cancel()
        bench.end()
    }

    @Test("A device with invalid timestamps is read by the source")
    func invalidTimestamps() {
        let bench = PollingBench(tolerance: 600)
        let scan = Devices.scan(2, 0, 0, time: 1)
        for number in 1...8 {
            bench.library.lastBuffer?.push(scan)
            #expect(bench.executor.pollWhenReadable())
            #expect(bench.log.count(PollingBench.line(2)) == number)
        }
        let otherThreadEvents = bench.otherThreadEvents
        bench.library.lastBuffer?.push(scan)
        // The source's thread may have detected the invalid timestamps before.
        bench.executor.pollNow()
        #expect(bench.log.waits(for: PollingBench.line(2), count: 9))
        #expect(bench.otherThreadEvents == otherThreadEvents + 1)
        #expect(bench.executor.waitForEnd())
        bench.end()
    }

    @Test("Two subscribers on the same executor share its registration")
    func sameExecutor() {
        let bench = PollingBench(tolerance: 600)
        let second = EventLog()
        let other = bench.source.subscribe(PollingBench.request(.accelerometer, bench.executor)) { second.record($0) }
        bench.passes(2...2)
        #expect(second.count(PollingBench.line(2)) == 1)
        other.cancel()
        bench.end()
    }

    @Test("A read failure on the executor is reported as a loss and the capture restarts")
    func failure() {
        let bench = PollingBench(tolerance: 600)
        bench.library.lastBuffer?.fail(19)
        #expect(bench.executor.pollWhenReadable())
        #expect(bench.log.waits(for: "lost"))
        #expect(bench.executor.waitForEnd())
        #expect(bench.library.journal.waits(for: "buffer", count: 2))
        bench.push(2)
        #expect(bench.log.waits(for: PollingBench.line(2)))
        #expect(bench.log.count("lost") == 1)
        bench.end()
    }

    #if LibIIO
    private static func bench(of server: ScriptedServer, tolerance: Double) -> PollingBench {
        let pushes = PollingBench.ThreadCounter()
        return PollingBench(tolerance: tolerance) { script in
            script.makeBuffer = { device, channels in try server.buffer(device, channels, samples: 1) }
        } push: { bytes in
            // The buffer requests one refill, one more, two, and then many. Each response begins with the mask.
            let isFirst = [0, 1, 3].contains(pushes.count.add(1, ordering: .relaxed).oldValue)
            if isFirst { #expect(server.waitForRequest()) }
            server.send(isFirst ? "16\n00000047\n" : "16\n", bytes)
        }
    }

    @Test("Samples from a server are read by the executor")
    func server() throws {
        let server = try ScriptedServer("0\n")
        let bench = Self.bench(of: server, tolerance: 600)
        bench.passes(2...20)
        bench.subscription.cancel()
    }

    @Test("The end of a server's connection is detected even if it arrives together with samples")
    func serverEnds() throws {
        let server = try ScriptedServer("0\n")
        let bench = Self.bench(of: server, tolerance: 0.05)
        bench.library.script.withLock { $0.makeBuffer = nil }
        bench.push(2)
        server.hangUp()
        bench.executor.pollNow()
        #expect(bench.log.waits(for: PollingBench.line(2)))
        #expect(bench.log.waits(for: "lost connectionLost"))
        #expect(bench.log.count(PollingBench.line(2)) == 1)
        bench.subscription.cancel()
    }
    #endif

    @Test("Samples without timestamps have their arrival times and are never read by an executor")
    func withoutTimestamps() {
        let bench = PollingBench(tolerance: 600, hasTimestamps: false)
        for number in 2...10 {
            bench.push(number)
            #expect(bench.log.waits(for: PollingBench.line(number)))
        }
        #expect(!bench.executor.waitForRegistration(seconds: 0))
        bench.end()
    }
}
