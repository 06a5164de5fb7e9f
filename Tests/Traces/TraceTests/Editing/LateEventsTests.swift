// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Delayed events")
struct LateEventsTests {
    private static func reading(_ time: Int64, _ value: Double = 0) -> TraceEvent {
        TraceEvent(time: time, .sample(SIMD3(value, 0, 0), kind: .pressure, sensor: "p", stamp: nil))
    }

    @Test("Events are released in time order, and events with equal times in insertion order")
    func order() {
        var late = DelayedEventQueue()
        var events: [TraceEvent] = []
        // 37 and 101 are coprime, so each round contains each time once.
        for number in 0..<303 { late.insert(Self.reading(Int64(number * 37 % 101), Double(number)), into: &events) }
        #expect(events.isEmpty)
        late.release(upTo: 49, into: &events)
        #expect(events.count == 150)
        late.release(upTo: .max, into: &events)
        let keys = events.map { event -> [Int] in
            guard case .sample(let value, _, _, _) = event.contents, let time = event.time else { return [] }
            return [Int(time), Int(value.x)]
        }
        let numbers: [Int] = Array(0..<303)
        let expected: [[Int]] = (0...100).flatMap { (time: Int) -> [[Int]] in
            numbers.filter { $0 * 37 % 101 == time }.map { [time, $0] }
        }
        #expect(keys == expected)
    }

    @Test("Beyond the capacity, events are released early in order, and readings keep their measurement times")
    func bound() throws {
        var late = DelayedEventQueue(capacity: 2)
        var events: [TraceEvent] = []
        for time in [10, 30, 20] as [Int64] { late.insert(Self.reading(time), into: &events) }
        #expect(events.map(\.time) == [10])
        late.insert(Self.reading(40), into: &events)
        late.insert(Self.reading(50), into: &events)
        // The events at 20 and 30 have been released by then.
        late.insert(Self.reading(5), into: &events)
        late.release(upTo: .max, into: &events)
        #expect(events.map(\.time) == [10, 20, 30, 30, 40, 50])
        guard case .sample(_, _, _, let stamp) = events[3].contents else {
            Issue.record("no reading")
            return
        }
        #expect(stamp == 5)
    }

    @Test("Delayed events are limited by their size in bytes")
    func bytes() {
        var late = DelayedEventQueue()
        var events: [TraceEvent] = []
        let line = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
        for time in 0..<100 as Range<Int64> { late.insert(TraceEvent(time: time, .gpsd(line)), into: &events) }
        #expect(late.size <= DelayedEventQueue.maximumSize)
        // The limit of 64 MiB includes the overhead of the events, so 63 of them fit.
        #expect(events.count == 37 && events.map(\.time) == (0..<37).map { $0 })
        late.release(upTo: .max, into: &events)
        #expect(events.count == 100 && late.size == 0)
    }

    @Test("Jitter of a minute keeps all events, in time order")
    func wide() throws {
        let trace = try FaultTests.motion(5000)
        var reading = TimedEventReader(try FaultTests.apply("jitter=60s", to: trace))
        var last: Int64 = 0
        var count = 0
        while let event = reading.next() {
            let time = try #require(event.time)
            #expect(time >= last)
            last = time
            count += 1
        }
        #expect(count == 5000)
    }
}
