// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Interprets a board's messages. Performs no I/O.
struct RemotePositionSubscriber {
    enum Update {
        case none
        /// A retained fix, published before the subscription and used only as the last known position.
        case lastKnown(PositionReport)
        /// A new fix. `isFirst` is true for the first fix after a reset, after a loss, or after the board has been
        /// silent for too long.
        case fix(PositionReport, isFirst: Bool)
        case lost(DeviceError)
    }

    /// ```
    /// waiting, receiving, silent, lost ── a new fix ──▶ receiving
    /// waiting, receiving ── silenceTimeout without a location, which is reported ──▶ silent
    /// waiting, receiving, silent ── any other loss, which is reported ──▶ lost
    /// any ── reset ──▶ waiting
    /// ```
    private enum Phase { case waiting, receiving, silent, lost }

    private let topic: String
    private let timing: MQTTSourceTiming
    /// The arrival time of the latest location since the last reset, or the time of that reset if none has arrived.
    /// Outdated locations count, but retained ones do not.
    private var lastArrival: BootTime
    private var newestFixTime: WallTime?
    private var phase = Phase.waiting
    /// The number of malformed messages since the last valid location or reset.
    private var malformed = 0

    init(topic: String, timing: MQTTSourceTiming, now: BootTime) {
        (self.topic, self.timing, lastArrival) = (topic, timing, now)
    }

    /// Resets the state. Called when the subscriptions change and for each new connection.
    mutating func reset(now: BootTime) {
        (lastArrival, newestFixTime, malformed, phase) = (now, nil, 0, .waiting)
    }

    var deadline: BootTime {
        switch phase {
        case .waiting, .receiving: lastArrival.advanced(bySeconds: timing.silenceTimeout)
        case .silent, .lost: .never
        }
    }

    /// If the board has been silent for too long, returns an error. Each period of silence is reported only once.
    mutating func checkSilence(now: BootTime, broker: BrokerAddress) -> DeviceError? {
        guard now >= deadline else { return nil }
        phase = .silent
        return DeviceError(
            .silent,
            "The broker at \(broker) responds, but no message has arrived on \(topic) for \(timing.silenceTimeout) s. Check that the board is switched on and publishes on this topic."
        )
    }

    mutating func process(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, now: BootTime, wallTime: WallTime
    ) -> Update {
        guard topic == self.topic else {
            // The broker retains the newest availability message for Home Assistant. A retained message therefore
            // describes the current state and is processed like a new one.
            return payload == HomeAssistantDiscovery.offline ? reportLoss(Self.disconnectedError(self.topic)) : .none
        }
        switch payload.withUnsafeBytes({ OwnTracksMessage($0) }) {
        case .location(let location):
            malformed = 0
            let age = wallTime.seconds(since: location.time)
            if isRetained {
                // The age of a retained message is the time since its timestamp. If that timestamp is in the future,
                // the age is unknown.
                let arrival = now.advanced(bySeconds: -(age >= 0 ? age : Self.unknownAge))
                return phase == .receiving ? .none : .lastKnown(location.report(receiver: topic, arrival: arrival))
            }
            lastArrival = now
            guard abs(age) <= timing.maximumAge else { return reportLoss(Self.ageError(topic, age: age)) }
            // Ignores messages that are not newer than the newest fix. The broker may deliver a message twice, and
            // delayed messages may arrive after newer ones.
            if let newestFixTime, location.time <= newestFixTime { return .none }
            newestFixTime = location.time
            let report = location.report(receiver: topic, arrival: now)
            defer { phase = .receiving }
            return .fix(report, isFirst: phase != .receiving)
        case .will: return isRetained ? .none : reportLoss(Self.disconnectedError(topic))
        case .other: return .none
        case .malformed(let reason):
            malformed += 1
            // Any client may publish a malformed message by mistake, so the problem is reported only after three
            // malformed messages with no valid location in between.
            guard malformed == 3, !isRetained else { return .none }
            return reportLoss(
                DeviceError(
                    .noFix,
                    "The messages on \(topic) are not OwnTracks locations: \(reason). Check the topic and the program that publishes on it."
                ))
        }
    }

    private mutating func reportLoss(_ error: DeviceError) -> Update {
        guard phase != .lost else { return .none }
        phase = .lost
        return .lost(error)
    }

    /// The assumed age of a fix whose time is in the future, in seconds. It is high enough that the fix is not
    /// considered current.
    private static let unknownAge = 3600.0

    private static func ageError(_ topic: String, age: Double) -> DeviceError {
        let seconds = Int(min(abs(age), 1e9))
        let problem =
            age > 0
            ? "\(seconds) s old: the board is sending stored positions, or the clocks of the two machines differ"
            : "\(seconds) s ahead of this machine's clock: set the clocks of the two machines"
        return DeviceError(.noFix, "The positions on \(topic) are \(problem). Waiting for current positions.")
    }

    private static func disconnectedError(_ topic: String) -> DeviceError {
        DeviceError(
            .connectionLost,
            "The board that publishes on \(topic) is no longer connected to its broker. Waiting for its positions.")
    }
}
