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
        var withholdsAcknowledgements = false
        var rejectsConnections = false
        var connections = 0
        weak var current: FakeConnection?
        /// The maximum number of unacknowledged messages.
        var maximumUnacknowledged = 0
        var settings: [BrokerSettings] = []
    }

    private let state = Mutex(State())
    let sent = Log<Sent>()
    /// One element per connection attempt.
    let attempts = Log<Bool>()
    /// The subscribed topics.
    let subscriptions = Log<String>()
    /// One element each time a client waits for events.
    let polls = Log<Bool>()
    /// One element per connection that was closed with a disconnect.
    let disconnections = Log<Bool>()

    var maximumUnacknowledged: Int { state.withLock { $0.maximumUnacknowledged } }
    var settings: [BrokerSettings] { state.withLock { $0.settings } }

    /// Opens connections to the broker.
    var open: BrokerOpener {
        { settings, wakeUp, clock throws(DeviceError) in
            // Recorded last, so that a test that waits for an attempt finds its connection.
            defer { self.attempts.add(true) }
            let current = self.state.withLock { state -> FakeConnection? in
                guard state.isUp else { return nil }
                state.connections += 1
                state.settings.append(settings)
                let current = FakeConnection(
                    self, number: state.connections, wakeUp: wakeUp, clock: clock, will: settings.will,
                    rejectsConnections: state.rejectsConnections,
                    withholdsAcknowledgements: state.withholdsAcknowledgements)
                state.current = current
                return current
            }
            guard let current else { throw DeviceError(.unreachable, "The fake broker is down.") }
            return current
        }
    }

    /// Breaks the current connection and rejects new ones.
    func stop() { change { $0.isUp = false }?.break() }

    func start() { _ = change { $0.isUp = true } }

    /// If true, connections are not accepted. If false, they are, including pending ones.
    func setRejectsConnections(_ rejectsConnections: Bool) {
        let current = change { $0.rejectsConnections = rejectsConnections }
        if !rejectsConnections { current?.send(.connected) }
    }

    /// If true, messages are not acknowledged. If false, they are, including earlier ones.
    func setWithholdsAcknowledgements(_ withholdsAcknowledgements: Bool) {
        change { $0.withholdsAcknowledgements = withholdsAcknowledgements }?.setWithholdsAcknowledgements(
            withholdsAcknowledgements)
    }

    /// Publishes a message from another client.
    func publish(_ topic: String, _ text: String, isRetained: Bool = false) {
        change { _ in }?.send(.message(topic: topic, payload: Array(text.utf8), isRetained: isRetained))
    }

    func rejectSubscription(_ topic: String) { change { _ in }?.send(.subscribed(topic: topic, isAllowed: false)) }

    private func change(_ body: (inout State) -> Void) -> FakeConnection? {
        state.withLock { state in
            body(&state)
            return state.current
        }
    }

    fileprivate func receive(_ message: BrokerMessage, on connection: Int, unacknowledged: Int) {
        state.withLock { $0.maximumUnacknowledged = max($0.maximumUnacknowledged, unacknowledged) }
        sent.add(Sent(connection: connection, message: message))
    }

    fileprivate func recordSubscription(_ topic: String) { subscriptions.add(topic) }
    fileprivate func recordPoll() { polls.add(true) }
    fileprivate func recordDisconnection() { disconnections.add(true) }
}

/// A connection to the fake broker.
final class FakeConnection: BrokerConnection, Sendable {
    private struct State {
        var events: [BrokerEvent]
        var unacknowledged: [Int32] = []
        var number: Int32 = 0
        var isBroken = false
        var hasEnded = false
        var withholdsAcknowledgements: Bool
    }

    private let broker: FakeBroker
    private let connection: Int
    private let wakeUp: WakeupPipe
    private let clock: any DeviceClock
    private let will: BrokerMessage?
    private let state: Mutex<State>

    init(
        _ broker: FakeBroker, number: Int, wakeUp: WakeupPipe, clock: any DeviceClock, will: BrokerMessage?,
        rejectsConnections: Bool,
        withholdsAcknowledgements: Bool
    ) {
        (self.broker, connection, self.wakeUp, self.clock, self.will) = (broker, number, wakeUp, clock, will)
        state = Mutex(
            State(events: rejectsConnections ? [] : [.connected], withholdsAcknowledgements: withholdsAcknowledgements))
    }

    func poll(until deadline: BootTime) throws(DeviceError) -> [BrokerEvent] {
        broker.recordPoll()
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
            state.unacknowledged.append(state.number)
            if !state.withholdsAcknowledgements { acknowledge(&state) }
            return state.number
        }
        guard let number else { throw DeviceError(.connectionLost, "The fake broker is gone.") }
        broker.receive(message, on: connection, unacknowledged: state.withLock { $0.unacknowledged.count })
        return number
    }

    func subscribe(to topic: String) { broker.recordSubscription(topic) }

    func disconnect() {
        state.withLock { $0.hasEnded = true }
        broker.recordDisconnection()
    }

    /// Publishes the will if the client did not disconnect cleanly.
    deinit {
        let isLost = state.withLock { !$0.hasEnded && !$0.isBroken }
        if isLost, let will { broker.receive(will, on: connection, unacknowledged: 0) }
    }

    func send(_ event: BrokerEvent) {
        state.withLock { $0.events.append(event) }
        wakeUp.signal()
    }

    func `break`() {
        state.withLock { $0.isBroken = true }
        wakeUp.signal()
    }

    func setWithholdsAcknowledgements(_ withholdsAcknowledgements: Bool) {
        state.withLock { state in
            state.withholdsAcknowledgements = withholdsAcknowledgements
            if !withholdsAcknowledgements { acknowledge(&state) }
        }
        wakeUp.signal()
    }

    private func acknowledge(_ state: inout State) {
        state.events += state.unacknowledged.map { .delivered($0) }
        state.unacknowledged = []
    }
}
