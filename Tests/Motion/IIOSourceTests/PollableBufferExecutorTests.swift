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
        let place = HandPlace()
        let log = EventLog()
        let source: IIOSource
        let subscription: Subscription
        private let isStamped: Bool
        private let give: (@Sendable ([UInt8]) -> Void)?
        private let others = Threads()

        final class Threads: Sendable {
            let count = Atomic<Int>(0)
        }

        init(
            tolerance: Double, isStamped: Bool = true, change: (inout ScriptedLibrary.Script) -> Void = { _ in },
            push give: (@Sendable ([UInt8]) -> Void)? = nil
        ) {
            self.isStamped = isStamped
            self.give = give
            let context = IIOContext(devices: [Devices.imu(hasTimestamp: isStamped), Devices.trigger])
            library = Devices.library(context)
            library.script.withLock { script in
                script.canWait = true
                change(&script)
            }
            var options = Devices.quick
            options.tolerance = tolerance
            let test = currentThread()
            source = IIOSource(addresses: [.local], parts: Devices.parts(library, options: options))
            subscription = source.subscribe(Self.request(.accelerometer, place)) { [log, others] event in
                if currentThread() != test { others.count.add(1, ordering: .relaxed) }
                log.note(event)
            }
            #expect(library.journal.waits(for: "buffer"))
            push(1)
            #expect(log.waits(for: Self.line(1)))
            if isStamped { #expect(place.waitForLoan()) }
        }

        static func request(_ kind: SensorKind, _ place: (any PollingExecutor)?) -> MotionRequest {
            var request = MotionRequest(kind: kind, axes: .sensor)
            request.executor = ExecutorIdentity(place)
            return request
        }

        /// Returns the log line of sample n: n times the scale 0.01. The initial value, read before the capture, is 1.0
        /// 2.0 3.0.
        static func line(_ number: Int) -> String { "sample \(Double(number) * 0.01) 0.0 0.0" }

        func push(_ number: Int) {
            let scan = Devices.scan(Int16(number), 0, 0, time: LiveClock().now.nanoseconds)
            let bytes = isStamped ? scan : Array(scan.prefix(6))
            if let give { give(bytes) } else { library.lastBuffer?.push(bytes) }
        }

        /// The number of events delivered on threads other than the test's.
        var elsewhere: Int { others.count.load(ordering: .relaxed) }

        /// Pushes samples and expects that the executor delivers each one when polled, and no other thread does.
        func passes(_ numbers: ClosedRange<Int>) {
            let elsewhere = elsewhere
            for number in numbers {
                push(number)
                #expect(place.lookWhenReadable())
                #expect(log.count(Self.line(number)) == 1)
            }
            #expect(self.elsewhere == elsewhere)
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
    func looks() {
        let bench = PollingBench(tolerance: 600)
        bench.passes(2...40)
        bench.end()
        #expect(bench.place.waitForEnd())
        bench.place.lookNow()
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
        #expect(!bench.place.waitForEnd(seconds: 0) && !bench.place.waitForLoan(2, seconds: 0))
        #expect(bench.log.all.dropFirst().enumerated().allSatisfy { $1.hasPrefix(PollingBench.line($0 + 1)) })
        bench.end()
    }

    @Test("A subscriber on another thread ends the registration, for this sensor or another one of the device")
    func secondListener() {
        for kind in [SensorKind.accelerometer, .gyroscope] {
            let bench = PollingBench(tolerance: 600)
            let second = EventLog()
            let other = bench.source.subscribe(PollingBench.request(kind, nil)) { second.note($0) }
            if kind == .gyroscope {
                // The subscription to the second sensor sets the device up again.
                #expect(bench.library.journal.waits(for: "buffer", count: 2))
            } else {
                // The next sample is read by the source.
                bench.push(2)
                bench.place.lookNow()
                #expect(bench.log.waits(for: PollingBench.line(2)) && second.waits(for: PollingBench.line(2)))
            }
            #expect(bench.place.waitForEnd())
            let zeros = [UInt8](repeating: 0, count: kind == .gyroscope ? 8 : 0)
            let scan = Devices.scan(3, 0, 0, time: LiveClock().now.nanoseconds)
            bench.library.lastBuffer?.push(Array(scan.prefix(8)) + zeros + Array(scan.suffix(8)))
            #expect(bench.log.waits(for: PollingBench.line(3)))
            other.cancel()
            bench.end()
        }
    }

    @Test("The executor never calls subscribers of other threads, even while the source is busy")
    func secondListenerMeanwhile() {
        let bench = PollingBench(tolerance: 600)
        let test = currentThread()
        let door = DispatchSemaphore(value: 0)
        bench.library.script.withLock { script in
            script.door = door
            // A device has been added, so the source examines all devices, which takes a long time.
            script.presence = ["iio:device0", "iio:device1", "trigger0"]
        }
        let third = bench.source.subscribe(PollingBench.request(.magnetometer, nil)) { _ in }
        #expect(bench.library.journal.waits(for: "door"))
        let (second, wrong) = (EventLog(), EventLog())
        let other = bench.source.subscribe(PollingBench.request(.accelerometer, nil)) { event in
            (currentThread() == test ? wrong : second).note(event)
        }
        bench.push(2)
        // The source's thread may have detected the invalid timestamps before.
        bench.place.lookNow()
        #expect(second.waits(for: PollingBench.line(2)))
        #expect(wrong.all.isEmpty)
        bench.library.script.withLock { $0.door = nil }
        for _ in 0..<100 { door.signal() }
        other.cancel()
        third.cancel()
        bench.end()
    }

    @Test("A device with invalid timestamps is read by the source")
    func distrusted() {
        let bench = PollingBench(tolerance: 600)
        let scan = Devices.scan(2, 0, 0, time: 1)
        for number in 1...8 {
            bench.library.lastBuffer?.push(scan)
            #expect(bench.place.lookWhenReadable())
            #expect(bench.log.count(PollingBench.line(2)) == number)
        }
        let elsewhere = bench.elsewhere
        bench.library.lastBuffer?.push(scan)
        // The source's thread may have detected the invalid timestamps before.
        bench.place.lookNow()
        #expect(bench.log.waits(for: PollingBench.line(2), count: 9))
        #expect(bench.elsewhere == elsewhere + 1)
        #expect(bench.place.waitForEnd())
        bench.end()
    }

    @Test("Two subscribers on the same executor share its registration")
    func samePlace() {
        let bench = PollingBench(tolerance: 600)
        let second = EventLog()
        let other = bench.source.subscribe(PollingBench.request(.accelerometer, bench.place)) { second.note($0) }
        bench.passes(2...2)
        #expect(second.count(PollingBench.line(2)) == 1)
        other.cancel()
        bench.end()
    }

    @Test("A read failure on the executor is reported as a loss and the capture restarts")
    func failure() {
        let bench = PollingBench(tolerance: 600)
        bench.library.lastBuffer?.fail(19)
        #expect(bench.place.lookWhenReadable())
        #expect(bench.log.waits(for: "lost"))
        #expect(bench.place.waitForEnd())
        #expect(bench.library.journal.waits(for: "buffer", count: 2))
        bench.push(2)
        #expect(bench.log.waits(for: PollingBench.line(2)))
        #expect(bench.log.count("lost") == 1)
        bench.end()
    }

    #if LibIIO
    private static func bench(of server: ScriptedServer, tolerance: Double) -> PollingBench {
        let pushes = PollingBench.Threads()
        return PollingBench(tolerance: tolerance) { script in
            script.makeBuffer = { device, channels in try server.buffer(device, channels, samples: 1) }
        } push: { bytes in
            // The buffer requests one refill, one more, two, and then many. Each response begins with the mask.
            let isFirst = [0, 1, 3].contains(pushes.count.add(1, ordering: .relaxed).oldValue)
            if isFirst { #expect(server.waitForRequest()) }
            server.say(isFirst ? "16\n00000047\n" : "16\n", bytes)
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
        bench.place.lookNow()
        #expect(bench.log.waits(for: PollingBench.line(2)))
        #expect(bench.log.waits(for: "lost connectionLost"))
        #expect(bench.log.count(PollingBench.line(2)) == 1)
        bench.subscription.cancel()
    }
    #endif

    @Test("Samples without timestamps have their arrival times and are never read by an executor")
    func withoutStamps() {
        let bench = PollingBench(tolerance: 600, isStamped: false)
        for number in 2...10 {
            bench.push(number)
            #expect(bench.log.waits(for: PollingBench.line(number)))
        }
        #expect(!bench.place.waitForLoan(seconds: 0))
        bench.end()
    }
}
