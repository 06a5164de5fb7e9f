// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The options of a `talk` command.
struct TalkOptions: Sendable {
    /// The line ending to send after each line typed in a terminal.
    enum LineEnd: String, Sendable, CaseIterable {
        case lf, cr, crlf

        var bytes: [UInt8] {
            switch self {
            case .lf: [10]
            case .cr: [13]
            case .crlf: [13, 10]
            }
        }
    }

    var accessory: String
    var protocolName: String?
    /// The time to wait for answers, in seconds. If nil, the session ends when no bytes have been received for
    /// ``quietTime``.
    var wait: Double?
    /// True if the session continues when the accessory disconnects and returns.
    var follows = false
    /// True if bytes are typed in a terminal in raw mode.
    var isRaw = false
    var lineEnd: LineEnd?

    /// The time without received bytes, in seconds, after which no further answer is expected.
    static let quietTime = 1.0
    /// The time without sent bytes, in seconds, after which sending is given up.
    static let sendTimeout = 10.0
    /// The default time limit for an answer in a recorded dialogue, in seconds. It is added to the recorded delay of
    /// the answer.
    static let answerTimeout = 5.0
    /// Ctrl-], which ends the session in raw mode.
    static let escape: UInt8 = 0x1D
}

/// Detects the end of a session. A session ends when all bytes have been sent and the time to wait for answers has
/// passed.
struct ConversationEndDetector {
    enum Verdict: Equatable {
        case wait(until: BootTime)
        case done
        /// The accessory does not accept the remaining bytes.
        case stalled(bytes: Int)
    }

    /// The interval between checks for unsent bytes, in seconds.
    private static let step = 0.02

    private let plan: TalkOptions
    /// The number of bytes that the channel can accept if no bytes are pending.
    private let initialSpace: Int
    private var lastSpace: Int
    private var lastProgress: BootTime
    private var lastReceived: BootTime
    private var sentAt: BootTime?

    init(initialSpace: Int, plan: TalkOptions, now: BootTime) {
        (self.plan, self.initialSpace, lastSpace) = (plan, initialSpace, initialSpace)
        (lastProgress, lastReceived) = (now, now)
    }

    mutating func recordReceived(at now: BootTime) { lastReceived = now }

    /// Call this only after all bytes to send have been written to the channel.
    ///
    /// - Parameter space: The number of bytes that the channel can accept.
    mutating func evaluate(space: Int, now: BootTime) -> Verdict {
        guard let sentAt else {
            guard space < initialSpace else {
                sentAt = now
                return evaluate(space: space, now: now)
            }
            if space != lastSpace { (lastSpace, lastProgress) = (space, now) }
            if now.seconds(since: lastProgress) >= TalkOptions.sendTimeout {
                return .stalled(bytes: initialSpace - space)
            }
            return .wait(until: now.advanced(bySeconds: Self.step))
        }
        let end =
            plan.wait.map { sentAt.advanced(bySeconds: $0) }
            ?? max(sentAt, lastReceived).advanced(bySeconds: TalkOptions.quietTime)
        return now >= end ? .done : .wait(until: end)
    }
}
