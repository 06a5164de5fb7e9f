// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What `talk` is to do.
struct TalkPlan: Sendable {
    /// What is sent at the end of a line that is typed in a terminal.
    enum LineEnd: String, Sendable, CaseIterable {
        case lf, cr, crlf

        /// The bytes.
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
