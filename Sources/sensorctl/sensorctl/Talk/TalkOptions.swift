// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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
    /// The time, in seconds, to wait for answers after all input has been sent. If it is nil, the session ends when no
    /// bytes have arrived for ``quietTime``.
    var wait: Double?
    /// True if the command waits for the accessory to be attached and waits again after each disconnection.
    var follows = false
    /// True if the user types in a terminal that is in raw mode.
    var isRaw = false
    /// The bytes that replace a line feed, or nil to send the input unchanged.
    var lineEnd: LineEnd?

    /// The time without received bytes, in seconds, after which no further answer is expected.
    static let quietTime = 1.0
    /// The time without progress in sending, in seconds, after which the session fails.
    static let sendTimeout = 10.0
    /// The default maximum delay of answers relative to the recorded dialogue, in seconds.
    static let answerTimeout = 5.0
    /// Ctrl-], which ends the session in raw mode.
    static let escape: UInt8 = 0x1D
}

/// Detects the end of a session. After all bytes have been sent, the session continues while answers may still arrive.
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
    /// The number of bytes that the channel can accept when no unsent bytes remain.
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

    /// Determines whether the session has ended. Call this only after writing all bytes to the channel.
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
