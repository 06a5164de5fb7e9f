// SPDX-License-Identifier: Apache-2.0

import BrokerLink
import DeviceCore
import Synchronization
import TestSupport

/// A broker in this process, whose connections can be broken and whose answers can be kept back.
final class FakeBroker: Sendable {
    struct Sent: Sendable, Equatable {
        /// Counts from 1, a connection each.
        var connection: Int
        var message: BrokerMessage
    }

    private struct State {
        var isUp = true
        var isDumb = false
        var isMute = false
        var connections = 0
        weak var link: FakeLink?
        /// The most messages without an answer at a time.
        var most = 0
        var settings: [BrokerSettings] = []
    }

    private let state = Mutex(State())
    let sent = Log<Sent>()
    /// How often somebody has tried to connect.
    let attempts = Log<Bool>()
    /// The topics that somebody follows.
    let followed = Log<String>()
    /// Has an element for each time that somebody waits for news.
    let turns = Log<Bool>()
    /// Has an element for each connection that ended in order.
    let goodbyes = Log<Bool>()

    var most: Int { state.withLock { $0.most } }
    var settings: [BrokerSettings] { state.withLock { $0.settings } }

    /// Makes connections to it.
    var open: BrokerOpener {
        { settings, wakeUp, clock throws(DeviceError) in
            // Who has waited for an attempt finds its connection.
            defer { self.attempts.add(true) }
            let link = self.state.withLock { state -> FakeLink? in
                guard state.isUp else { return nil }
                state.connections += 1
                state.settings.append(settings)
                let link = FakeLink(
                    self, number: state.connections, wakeUp: wakeUp, clock: clock, will: settings.will,
                    isMute: state.isMute, isDumb: state.isDumb)
                state.link = link
                return link
            }
            guard let link else { throw DeviceError(.unreachable, "The fake broker is down.") }
            return link
        }
    }

    /// From now on connections fail, and the one there is breaks off.
    func goDown() { change { $0.isUp = false }?.break() }

    func comeUp() { _ = change { $0.isUp = true } }

    /// From now on nobody is let in, and nobody is told so; or all are, those from before too.
    func beMute(_ isMute: Bool) {
        let link = change { $0.isMute = isMute }
        if !isMute { link?.tell(.connected) }
    }

    /// From now on messages are taken note of, and not answered; or answered, those from before too.
    func beDumb(_ isDumb: Bool) { change { $0.isDumb = isDumb }?.beDumb(isDumb) }

    /// Has somebody else publish.
    func publish(_ topic: String, _ text: String, isRetained: Bool = false) {
        change { _ in }?.tell(.message(topic: topic, payload: Array(text.utf8), isRetained: isRetained))
    }

    func refuseToFollow(_ topic: String) { change { _ in }?.tell(.following(topic: topic, isAllowed: false)) }

    private func change(_ body: (inout State) -> Void) -> FakeLink? {
        state.withLock { state in
            body(&state)
            return state.link
        }
    }

    fileprivate func took(_ message: BrokerMessage, on connection: Int, unanswered: Int) {
        state.withLock { $0.most = max($0.most, unanswered) }
        sent.add(Sent(connection: connection, message: message))
    }

    fileprivate func follows(_ topic: String) { followed.add(topic) }
    fileprivate func turn() { turns.add(true) }
    fileprivate func left() { goodbyes.add(true) }
}

/// One connection to it.
final class FakeLink: BrokerLink, Sendable {
    private struct State {
        var events: [BrokerEvent]
        var unanswered: [Int32] = []
        var number: Int32 = 0
        var isBroken = false
        var hasEnded = false
        var isDumb: Bool
    }

    private let broker: FakeBroker
    private let connection: Int
    private let wakeUp: WakeUp
    private let clock: any DeviceClock
    private let will: BrokerMessage?
    private let state: Mutex<State>

    init(
        _ broker: FakeBroker, number: Int, wakeUp: WakeUp, clock: any DeviceClock, will: BrokerMessage?, isMute: Bool,
        isDumb: Bool
    ) {
        (self.broker, connection, self.wakeUp, self.clock, self.will) = (broker, number, wakeUp, clock, will)
        state = Mutex(State(events: isMute ? [] : [.connected], isDumb: isDumb))
    }

    func work(until deadline: BootTime) throws(DeviceError) -> [BrokerEvent] {
        broker.turn()
        if state.withLock({ $0.events.isEmpty && !$0.isBroken }) {
            _ = wakeUp.wait(for: nil, until: deadline, clock: clock)
        }
        let (events, isBroken) = state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.isBroken)
        }
        // What came before the end counts.
        if isBroken, events.isEmpty { throw DeviceError(.connectionLost, "The fake broker is gone.") }
        return events
    }

    func publish(_ message: BrokerMessage) throws(DeviceError) -> Int32 {
        let number = state.withLock { state -> Int32? in
            guard !state.isBroken else { return nil }
            state.number += 1
            state.unanswered.append(state.number)
            if !state.isDumb { answer(&state) }
            return state.number
        }
        guard let number else { throw DeviceError(.connectionLost, "The fake broker is gone.") }
        broker.took(message, on: connection, unanswered: state.withLock { $0.unanswered.count })
        return number
    }

    func follow(_ topic: String) { broker.follows(topic) }

    func end() {
        state.withLock { $0.hasEnded = true }
        broker.left()
    }

    /// Without a goodbye the broker says it.
    deinit {
        let isLost = state.withLock { !$0.hasEnded && !$0.isBroken }
        if isLost, let will { broker.took(will, on: connection, unanswered: 0) }
    }

    func tell(_ event: BrokerEvent) {
        state.withLock { $0.events.append(event) }
        wakeUp.signal()
    }

    func `break`() {
        state.withLock { $0.isBroken = true }
        wakeUp.signal()
    }

    func beDumb(_ isDumb: Bool) {
        state.withLock { state in
            state.isDumb = isDumb
            if !isDumb { answer(&state) }
        }
        wakeUp.signal()
    }

    private func answer(_ state: inout State) {
        state.events += state.unanswered.map { .delivered($0) }
        state.unanswered = []
    }
}
