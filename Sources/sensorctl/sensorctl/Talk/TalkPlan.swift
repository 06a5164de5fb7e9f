// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What `talk` is to do.
struct TalkPlan: Sendable {
    /// What is sent at the end of a line that is typed in a terminal.
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

    /// The accessory, as the user calls it.
    var accessory: String
    /// The protocol, as the user calls it; nil for the only one.
    var protocolName: String?
    /// Seconds to wait for answers after the end of the input; nil to wait until nothing comes for ``quietTime``.
    var wait: Double?
    /// True to go on when the accessory comes back.
    var follows = false
    /// True when each key goes out as it is typed.
    var isRaw = false
    /// What stands for the end of a line; nil to leave the input as it is.
    var lineEnd: LineEnd?

    /// Seconds without a byte after which no answer is expected any more.
    static let quietTime = 1.0
    /// Seconds that an accessory may take nothing at all before the rest is given up.
    static let patience = 10.0
    /// Seconds that an answer of a recorded dialogue may take longer than it took then.
    static let answerTime = 5.0
    /// The key that ends raw mode: Ctrl-].
    static let escape: UInt8 = 0x1D
}

/// Tells when a conversation is over whose input has ended: all has left, and the answers have had their time.
struct TalkRest {
    enum Verdict: Equatable {
        case wait(until: BootTime)
        case done
        /// The accessory does not take that many bytes.
        case stalled(bytes: Int)
    }

    /// Seconds from one look at what has not left yet to the next.
    private static let step = 0.02

    private let plan: TalkPlan
    /// How much the channel takes when all has left.
    private let room: Int
    private var lastSpace: Int
    private var lastProgress: BootTime
    private var lastHeard: BootTime
    private var hasLeftAt: BootTime?

    init(room: Int, plan: TalkPlan, now: BootTime) {
        (self.plan, self.room, lastSpace) = (plan, room, room)
        (lastProgress, lastHeard) = (now, now)
    }

    mutating func heard(at now: BootTime) { lastHeard = now }

    /// Called when nothing more is to be said, with what the channel would take now.
    mutating func look(space: Int, now: BootTime) -> Verdict {
        guard let hasLeftAt else {
            guard space < room else {
                hasLeftAt = now
                return look(space: space, now: now)
            }
            if space != lastSpace { (lastSpace, lastProgress) = (space, now) }
            if now.seconds(since: lastProgress) >= TalkPlan.patience { return .stalled(bytes: room - space) }
            return .wait(until: now.advanced(bySeconds: Self.step))
        }
        let end =
            plan.wait.map { hasLeftAt.advanced(bySeconds: $0) }
            ?? max(hasLeftAt, lastHeard).advanced(bySeconds: TalkPlan.quietTime)
        return now >= end ? .done : .wait(until: end)
    }
}
