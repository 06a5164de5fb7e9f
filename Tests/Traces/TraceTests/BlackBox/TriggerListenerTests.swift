// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@testable import BlackBox

@Suite("Trigger listener of a black box")
struct TriggerListenerTests {
    /// A listener with a clock that the test advances, and the reported events with their times in seconds.
    private final class MonitorFixture: Sendable {
        let clock = VirtualClock()
        private let lines = Mutex<[String]>([])
        private let listener = Mutex<TriggerMonitor?>(nil)

        init(_ triggers: String) throws {
            let made = TriggerMonitor(try RecordingTrigger.list(triggers), clock: clock) { [weak self] event in
                guard let self else { return }
                lines.withLock { $0.append("\(clock.now.seconds) \(event)") }
            }
            listener.withLock { $0 = made }
        }

        var received: [String] { lines.withLock { $0 } }

        /// Delivers an event at this time in seconds.
        func deliver(_ event: PositionEvent, at seconds: Double) {
            wait(until: seconds)
            listener.withLock { $0 }?.process(event)
        }

        func wait(until seconds: Double) {
            let time = BootTime(nanoseconds: Int64(seconds * 1e9))
            while clock.runNextTimer(upTo: time) {}
            clock.move(to: time)
        }

        func end() { listener.withLock { $0 }?.stop() }
    }

    private static func report(_ mode: FixMode) -> PositionEvent {
        var report = PositionReport()
        report.mode = mode
        return .report(report)
    }

    private static let fix = report(.threeDimensional)
    private static let silence = PositionEvent.lost(DeviceError(.silent, "no receiver has reported for 10 s"))
    private static let gone = PositionEvent.lost(DeviceError(.connectionLost, "gone"))

    @Test("If no fix follows, the fix is lost after the given time, even if the receiver is silent")
    func nothingFollows() throws {
        let fixture = try MonitorFixture("lost-fix>3s,lost-fix>20s")
        fixture.deliver(Self.fix, at: 1)
        fixture.deliver(Self.silence, at: 2)
        fixture.wait(until: 100)
        #expect(fixture.received == ["4.0 lost-fix>3s", "21.0 lost-fix>20s"])
    }

    @Test("Each fix restarts the timeout, and each loss requires a preceding fix")
    func continues() throws {
        let fixture = try MonitorFixture("lost-fix>3s,lost-fix>20s")
        for second in 1...10 { fixture.deliver(Self.fix, at: Double(second)) }
        fixture.deliver(Self.report(.none), at: 12)
        // The fix is lost for the shorter timeout, but not for the longer one.
        fixture.deliver(Self.fix, at: 20)
        fixture.wait(until: 22)
        #expect(fixture.received == ["13.0 lost-fix>3s"])
        fixture.wait(until: 100)
        #expect(fixture.received == ["13.0 lost-fix>3s", "23.0 lost-fix>3s", "40.0 lost-fix>20s"])
    }

    @Test("The loss of gpsd is reported immediately, but only after a fix")
    func serviceGone() throws {
        let fixture = try MonitorFixture("lost-fix>3s")
        fixture.deliver(Self.gone, at: 1)
        fixture.deliver(Self.fix, at: 2)
        fixture.deliver(Self.gone, at: 2.5)
        fixture.wait(until: 100)
        #expect(fixture.received == ["2.5 lost-fix>3s"])
    }

    @Test("A listener reports no events after end()")
    func ended() throws {
        let fixture = try MonitorFixture("lost-fix>3s")
        fixture.deliver(Self.fix, at: 1)
        fixture.end()
        fixture.deliver(Self.gone, at: 2)
        fixture.wait(until: 100)
        #expect(fixture.received.isEmpty)
    }
}
