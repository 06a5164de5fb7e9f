// SPDX-License-Identifier: Apache-2.0

import BoardMessages
import DeviceCore

/// What the messages of a board mean to those who follow it. A value without input or output.
struct BoardFollower {
    /// What a message brings.
    enum News {
        case nothing
        /// A fix from before this connection: it is known, and it is no news.
        case former(PositionReport)
        /// A fix; the first one since there was none.
        case fix(PositionReport, isFirst: Bool)
        case lost(DeviceError)
    }

    private let topic: String
    private let timing: MQTTSourceTiming
    private var lastFix: BootTime
    /// The time of the last one that was handed on.
    private var newest: WallTime?
    /// Nothing more is said of a loss until there is a fix.
    private var isLost = false
    /// The board is connected to its broker as far as anybody knows, but has reported nothing for long.
    private var isSilent = false
    private var hasFix = false
    /// Messages that made no sense, since the last one that did.
    private var malformed = 0

    init(topic: String, timing: MQTTSourceTiming, now: BootTime) {
        (self.topic, self.timing, lastFix) = (topic, timing, now)
    }

    /// Others listen now, or the connection is a new one.
    mutating func restart(now: BootTime) {
        (lastFix, newest) = (now, nil)
        (isLost, isSilent, hasFix) = (false, false, false)
    }

    /// When to look again.
    var deadline: BootTime { isLost || isSilent ? .never : lastFix.advanced(bySeconds: timing.silence) }

    /// The error when the board has been silent for too long, once.
    mutating func silence(now: BootTime, broker: BrokerAddress) -> DeviceError? {
        guard !isLost, !isSilent, now >= lastFix.advanced(bySeconds: timing.silence) else { return nil }
        isSilent = true
        hasFix = false
        return DeviceError(
            .silent,
            "The broker at \(broker) answers, but nothing has come on \(topic) for \(timing.silence) s. Check that the board is on and publishes there."
        )
    }

    /// Takes a message of the board's topics.
    mutating func take(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, now: BootTime, wallTime: WallTime
    ) -> News {
        guard topic == self.topic else {
            // What the broker says for Home Assistant. It is retained, so it is true of now as well.
            return payload == HomeAssistantDiscovery.offline ? lose(Self.gone(self.topic)) : .nothing
        }
        switch payload.withUnsafeBytes({ OwnTracksMessage($0) }) {
        case .location(let location):
            malformed = 0
            let age = wallTime.seconds(since: location.time)
            if isRetained {
                // It came when it was made, long before this client did. By a clock that is wrong nobody knows when.
                let arrival = now.advanced(bySeconds: -(age >= 0 ? age : Self.unknownAge))
                return hasFix ? .nothing : .former(location.report(receiver: topic, arrival: arrival))
            }
            lastFix = now
            guard abs(age) <= timing.age else { return lose(Self.untimely(topic, age: age)) }
            // A broker may send a message twice, and those from before a loss behind newer ones.
            if let newest, location.time <= newest { return .nothing }
            newest = location.time
            let report = location.report(receiver: topic, arrival: now)
            let isFirst = !hasFix
            (hasFix, isLost, isSilent) = (true, false, false)
            return .fix(report, isFirst: isFirst)
        case .will: return isRetained ? .nothing : lose(Self.gone(topic))
        case .other: return .nothing
        case .malformed(let reason):
            malformed += 1
            // One may be anybody's mistake. A board that sends no others is told of.
            guard malformed == 3, !isRetained else { return .nothing }
            return lose(
                DeviceError(
                    .noFix,
                    "What comes on \(topic) is no location of OwnTracks: \(reason). Check the topic, and what publishes there."
                ))
        }
    }

    private mutating func lose(_ error: DeviceError) -> News {
        guard !isLost else { return .nothing }
        (isLost, hasFix) = (true, false)
        return .lost(error)
    }

    /// Seconds after which no fix counts as a present one.
    private static let unknownAge = 3600.0

    private static func untimely(_ topic: String, age: Double) -> DeviceError {
        let seconds = Int(min(abs(age), 1e9))
        let problem =
            age > 0
            ? "\(seconds) s old: the board is catching up, or the clocks of the two machines differ"
            : "\(seconds) s ahead of this machine's clock: set the clocks of the two machines"
        return DeviceError(.noFix, "What comes on \(topic) is \(problem). Newer positions are waited for.")
    }

    private static func gone(_ topic: String) -> DeviceError {
        DeviceError(
            .connectionLost,
            "The board that publishes on \(topic) is no longer connected to its broker. Its positions are waited for.")
    }
}
