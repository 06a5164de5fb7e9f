// SPDX-License-Identifier: Apache-2.0

import DeviceCore

struct TalkOptions: Sendable {
    /// The line ending that is sent for a line typed in a terminal.
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
    /// The time to wait for answers, in seconds. If nil, the session ends when no bytes have arrived for ``quietTime``.
    var wait: Double?
    var follows = false
    var isRaw = false
    var lineEnd: LineEnd?

    /// The time in seconds without received bytes after which no further answer is expected.
    static let quietTime = 1.0
    /// The time in seconds without progress after which sending is given up.
    static let sendTimeout = 10.0
    /// The time, in seconds, by which an answer may exceed its delay in a recorded dialogue.
    static let answerTimeout = 5.0
    static let escape: UInt8 = 0x1D
}

/// A session is finished when all bytes have been sent and the time to wait for answers has passed.
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
    /// The space that the channel has available if no bytes are pending.
    private let initialSpace: Int
    private var lastSpace: Int
    private var lastProgress: BootTime
    private var lastReceived: BootTime
    private var sentAt: BootTime?

    init(room: Int, plan: TalkOptions, now: BootTime) {
        (self.plan, self.initialSpace, lastSpace) = (plan, room, room)
        (lastProgress, lastReceived) = (now, now)
    }

    mutating func recordReceived(at now: BootTime) { lastReceived = now }

    /// - Parameter space: The space that the channel has available, in bytes.
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
