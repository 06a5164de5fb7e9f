// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Synchronization
import TestSupport

/// An in-process broker whose connections can break and whose acknowledgements can be withheld.
final class FakeBroker: Sendable {
    struct Sent: Sendable, Equatable {
        /// The number of the connection, counted from 1.
        var connection: Int
        var message: BrokerMessage
    }

    private struct State {
        var isUp = true
        var isDumb = false
        var isMute = false
        var connections = 0
        weak var link: FakeLink?
        /// The maximum number of unacknowledged messages.
        var most = 0
        var settings: [BrokerSettings] = []
    }

    private let state = Mutex(State())
    let sent = Log<Sent>()
    /// One element per connection attempt.
    let attempts = Log<Bool>()
    /// The subscribed topics.
    let followed = Log<String>()
    /// One element each time a client waits for events.
    let turns = Log<Bool>()
    /// One element per connection that was closed with a disconnect.
    let goodbyes = Log<Bool>()

    var most: Int { state.withLock { $0.most } }
    var settings: [BrokerSettings] { state.withLock { $0.settings } }

    /// Opens connections to the broker.
    var open: BrokerOpener {
        { settings, wakeUp, clock throws(DeviceError) in
            // Recorded last, so that a test that waits for an attempt finds its connection.
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

    /// Breaks the current connection and rejects new ones.
    func goDown() { change { $0.isUp = false }?.break() }

    func comeUp() { _ = change { $0.isUp = true } }

    /// If true, connections are not accepted. If false, they are, including pending ones.
    func beMute(_ isMute: Bool) {
        let link = change { $0.isMute = isMute }
        if !isMute { link?.send(.connected) }
    }

    /// If true, messages are not acknowledged. If false, they are, including earlier ones.
    func beDumb(_ isDumb: Bool) { change { $0.isDumb = isDumb }?.beDumb(isDumb) }

    /// Publishes a message from another client.
    func publish(_ topic: String, _ text: String, isRetained: Bool = false) {
        change { _ in }?.send(.message(topic: topic, payload: Array(text.utf8), isRetained: isRetained))
    }

    func refuseToFollow(_ topic: String) { change { _ in }?.send(.subscribed(topic: topic, isAllowed: false)) }

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

/// A connection to the fake broker.
final class FakeLink: BrokerConnection, Sendable {
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
    private let wakeUp: WakeupPipe
    private let clock: any DeviceClock
    private let will: BrokerMessage?
    private let state: Mutex<State>

    init(
        _ broker: FakeBroker, number: Int, wakeUp: WakeupPipe, clock: any DeviceClock, will: BrokerMessage?,
        isMute: Bool,
        isDumb: Bool
    ) {
        (self.broker, connection, self.wakeUp, self.clock, self.will) = (broker, number, wakeUp, clock, will)
        state = Mutex(State(events: isMute ? [] : [.connected], isDumb: isDumb))
    }

    func poll(until deadline: BootTime) throws(DeviceError) -> [BrokerEvent] {
        broker.turn()
        if state.withLock({ $0.events.isEmpty && !$0.isBroken }) {
            _ = wakeUp.wait(for: nil, until: deadline, clock: clock)
        }
        let (events, isBroken) = state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.isBroken)
        }
        // Events that arrived before the end are still delivered.
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

    func subscribe(to topic: String) { broker.follows(topic) }

    func disconnect() {
        state.withLock { $0.hasEnded = true }
        broker.left()
    }

    /// Publishes the will if the client did not disconnect cleanly.
    deinit {
        let isLost = state.withLock { !$0.hasEnded && !$0.isBroken }
        if isLost, let will { broker.took(will, on: connection, unanswered: 0) }
    }

    func send(_ event: BrokerEvent) {
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
