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
struct CaptureLendingTests {
    /// A source whose buffer is registered with a polling executor after the first sample.
    private struct Loan {
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
            lateness: Double, isStamped: Bool = true, change: (inout ScriptedLibrary.Script) -> Void = { _ in },
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
            options.tolerance = lateness
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
            request.executor = DirectPlace(place)
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
        let loan = Loan(lateness: 600)
        loan.passes(2...40)
        loan.end()
        #expect(loan.place.waitForEnd())
        loan.place.lookNow()
        #expect(loan.log.count("sample") == 41)
    }

    @Test("While the executor does not read, the reader thread reads all, in order")
    func stalls() {
        let loan = Loan(lateness: 0.05)
        for number in 2...30 { loan.push(number) }
        #expect(loan.log.waits(for: Loan.line(30)))
        for number in 31...33 {
            loan.push(number)
            #expect(loan.log.waits(for: Loan.line(number)))
        }
        // The registration lasts: the executor may read again at any time.
        #expect(!loan.place.waitForEnd(seconds: 0) && !loan.place.waitForLoan(2, seconds: 0))
        #expect(loan.log.all.dropFirst().enumerated().allSatisfy { $1.hasPrefix(Loan.line($0 + 1)) })
        loan.end()
    }

    @Test("A subscriber on another thread ends the registration, for this sensor or another one of the device")
    func secondListener() {
        for kind in [SensorKind.accelerometer, .gyroscope] {
            let loan = Loan(lateness: 600)
            let second = EventLog()
            let other = loan.source.subscribe(Loan.request(kind, nil)) { second.note($0) }
            if kind == .gyroscope {
                // The subscription to the second sensor sets the device up again.
                #expect(loan.library.journal.waits(for: "buffer", count: 2))
            } else {
                // The next sample is read by the source.
                loan.push(2)
                loan.place.lookNow()
                #expect(loan.log.waits(for: Loan.line(2)) && second.waits(for: Loan.line(2)))
            }
            #expect(loan.place.waitForEnd())
            let zeros = [UInt8](repeating: 0, count: kind == .gyroscope ? 8 : 0)
            let scan = Devices.scan(3, 0, 0, time: LiveClock().now.nanoseconds)
            loan.library.lastBuffer?.push(Array(scan.prefix(8)) + zeros + Array(scan.suffix(8)))
            #expect(loan.log.waits(for: Loan.line(3)))
            other.cancel()
            loan.end()
        }
    }

    @Test("The executor never calls subscribers of other threads, even while the source is busy")
    func secondListenerMeanwhile() {
        let loan = Loan(lateness: 600)
        let test = currentThread()
        let door = DispatchSemaphore(value: 0)
        loan.library.script.withLock { script in
            script.door = door
            // A device has been added, so the source examines all devices, which takes a long time.
            script.presence = ["iio:device0", "iio:device1", "trigger0"]
        }
        let third = loan.source.subscribe(Loan.request(.magnetometer, nil)) { _ in }
        #expect(loan.library.journal.waits(for: "door"))
        let (second, wrong) = (EventLog(), EventLog())
        let other = loan.source.subscribe(Loan.request(.accelerometer, nil)) { event in
            (currentThread() == test ? wrong : second).note(event)
        }
        loan.push(2)
        // The source's thread may have detected the invalid timestamps before.
        loan.place.lookNow()
        #expect(second.waits(for: Loan.line(2)))
        #expect(wrong.all.isEmpty)
        loan.library.script.withLock { $0.door = nil }
        for _ in 0..<100 { door.signal() }
        other.cancel()
        third.cancel()
        loan.end()
    }

    @Test("A device with invalid timestamps is read by the source")
    func distrusted() {
        let loan = Loan(lateness: 600)
        let scan = Devices.scan(2, 0, 0, time: 1)
        for number in 1...8 {
            loan.library.lastBuffer?.push(scan)
            #expect(loan.place.lookWhenReadable())
            #expect(loan.log.count(Loan.line(2)) == number)
        }
        let elsewhere = loan.elsewhere
        loan.library.lastBuffer?.push(scan)
        // The source's thread may have detected the invalid timestamps before.
        loan.place.lookNow()
        #expect(loan.log.waits(for: Loan.line(2), count: 9))
        #expect(loan.elsewhere == elsewhere + 1)
        #expect(loan.place.waitForEnd())
        loan.end()
    }

    @Test("Two subscribers on the same executor share its registration")
    func samePlace() {
        let loan = Loan(lateness: 600)
        let second = EventLog()
        let other = loan.source.subscribe(Loan.request(.accelerometer, loan.place)) { second.note($0) }
        loan.passes(2...2)
        #expect(second.count(Loan.line(2)) == 1)
        other.cancel()
        loan.end()
    }

    @Test("A read failure on the executor is reported as a loss and the capture restarts")
    func failure() {
        let loan = Loan(lateness: 600)
        loan.library.lastBuffer?.fail(19)
        #expect(loan.place.lookWhenReadable())
        #expect(loan.log.waits(for: "lost"))
        #expect(loan.place.waitForEnd())
        #expect(loan.library.journal.waits(for: "buffer", count: 2))
        loan.push(2)
        #expect(loan.log.waits(for: Loan.line(2)))
        #expect(loan.log.count("lost") == 1)
        loan.end()
    }

    #if LibIIO
    private static func loan(of server: ScriptedServer, lateness: Double) -> Loan {
        let pushes = Loan.Threads()
        return Loan(lateness: lateness) { script in
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
        let loan = Self.loan(of: server, lateness: 600)
        loan.passes(2...20)
        loan.subscription.cancel()
    }

    @Test("The end of a server's connection is detected even if it arrives together with samples")
    func serverEnds() throws {
        let server = try ScriptedServer("0\n")
        let loan = Self.loan(of: server, lateness: 0.05)
        loan.library.script.withLock { $0.makeBuffer = nil }
        loan.push(2)
        server.hangUp()
        loan.place.lookNow()
        #expect(loan.log.waits(for: Loan.line(2)))
        #expect(loan.log.waits(for: "lost connectionLost"))
        #expect(loan.log.count(Loan.line(2)) == 1)
        loan.subscription.cancel()
    }
    #endif

    @Test("Samples without timestamps have their arrival times and are never read by an executor")
    func withoutStamps() {
        let loan = Loan(lateness: 600, isStamped: false)
        for number in 2...10 {
            loan.push(number)
            #expect(loan.log.waits(for: Loan.line(number)))
        }
        #expect(!loan.place.waitForLoan(seconds: 0))
        loan.end()
    }
}
