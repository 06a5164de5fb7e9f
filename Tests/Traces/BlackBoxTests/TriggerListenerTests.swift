// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@testable import BlackBox

@Suite("Listening for the events of a black box")
struct TriggerListenerTests {
    /// A listener on a clock that the test moves, and what it has told, with the second.
    private final class Post: Sendable {
        let clock = VirtualClock()
        private let lines = Mutex<[String]>([])
        private let listener = Mutex<TriggerListener?>(nil)

        init(_ triggers: String) throws {
            let made = TriggerListener(try RecordingTrigger.list(triggers), clock: clock) { [weak self] event in
                guard let self else { return }
                lines.withLock { $0.append("\(clock.now.seconds) \(event)") }
            }
            listener.withLock { $0 = made }
        }

        var told: [String] { lines.withLock { $0 } }

        /// Something is said at that second.
        func say(_ event: PositionEvent, at seconds: Double) {
            wait(until: seconds)
            listener.withLock { $0 }?.take(event)
        }

        func wait(until seconds: Double) {
            let time = BootTime(nanoseconds: Int64(seconds * 1e9))
            while clock.runNextTimer(upTo: time) {}
            clock.move(to: time)
        }

        func end() { listener.withLock { $0 }?.end() }
    }

    private static func report(_ mode: FixMode) -> PositionEvent {
        var report = PositionReport()
        report.mode = mode
        return .report(report)
    }

    private static let fix = report(.threeDimensional)
    private static let silence = PositionEvent.lost(DeviceError(.silent, "no receiver has reported for 10 s"))
    private static let gone = PositionEvent.lost(DeviceError(.connectionLost, "gone"))

    @Test("A fix that nothing follows is lost when the time given is over, whoever is silent")
    func nothingFollows() throws {
        let post = try Post("lost-fix>3s,lost-fix>20s")
        post.say(Self.fix, at: 1)
        post.say(Self.silence, at: 2)
        post.wait(until: 100)
        #expect(post.told == ["4.0 lost-fix>3s", "21.0 lost-fix>20s"])
    }

    @Test("Fixes that go on put it off, and after each loss there has to be one before the next")
    func goesOn() throws {
        let post = try Post("lost-fix>3s,lost-fix>20s")
        for second in 1...10 { post.say(Self.fix, at: Double(second)) }
        post.say(Self.report(.none), at: 12)
        // Lost for the shorter time, not for the longer one.
        post.say(Self.fix, at: 20)
        post.wait(until: 22)
        #expect(post.told == ["13.0 lost-fix>3s"])
        post.wait(until: 100)
        #expect(post.told == ["13.0 lost-fix>3s", "23.0 lost-fix>3s", "40.0 lost-fix>20s"])
    }

    @Test("A gpsd that is gone is told at once, and without a fix before it nothing is")
    func serviceGone() throws {
        let post = try Post("lost-fix>3s")
        post.say(Self.gone, at: 1)
        post.say(Self.fix, at: 2)
        post.say(Self.gone, at: 2.5)
        post.wait(until: 100)
        #expect(post.told == ["2.5 lost-fix>3s"])
    }

    @Test("After the end nothing is told")
    func ended() throws {
        let post = try Post("lost-fix>3s")
        post.say(Self.fix, at: 1)
        post.end()
        post.say(Self.gone, at: 2)
        post.wait(until: 100)
        #expect(post.told.isEmpty)
    }
}
