// SPDX-License-Identifier: Apache-2.0

/// A receiver as the position service describes it (gpsd's DEVICE). Text that was not given is empty.
public struct ReceiverDescription: Sendable, Hashable {
    /// Its path on the machine that runs the service.
    public var path = ""
    /// The driver that understands it, for example "u-blox" or "SiRF".
    public var driver = ""
    /// What the driver says of hardware and firmware.
    public var subtype = ""
    /// More of the same.
    public var subtype1 = ""
    /// Bits per second on a serial line; 0 when it does not apply.
    public var bitsPerSecond: Int32 = 0
    /// Seconds between reports; NaN when unknown.
    public var cycle = Double.nan
    /// False after it has been unplugged or closed.
    public var isActive = true

    /// A receiver of which nothing is known yet.
    public init() {}
}

/// How good a receiver is at the moment, for choosing among several.
struct ReceiverQuality: Sendable {
    /// The receiver is taken for silent after this many seconds.
    static let silence = 5.0
    /// A receiver with the same kind of fix must be better by this factor to take over...
    static let margin = 0.5
    /// ...for this many seconds on end.
    static let patience = 10.0

    private(set) var mode = FixMode.unknown
    private(set) var error = Double.infinity
    /// Earlier than everything before the first report.
    private(set) var lastReport = BootTime(nanoseconds: .min)
    /// Since when it has been better than the chosen one without a break.
    var betterSince: BootTime?

    /// Takes note of a report.
    mutating func note(_ report: PositionReport, now: BootTime) {
        if now.seconds(since: lastReport) > ReceiverQuality.silence { betterSince = nil }
        lastReport = now
        mode = report.hasFix ? report.mode : .none
        let reported = report.horizontalError
        error = reported > 0 ? reported : .infinity
    }

    /// True when it has a fix and has said so lately.
    func hasFix(now: BootTime) -> Bool {
        mode.rawValue >= FixMode.twoDimensional.rawValue && now.seconds(since: lastReport) <= ReceiverQuality.silence
    }

    /// True when it would be the clearly better choice.
    func isClearlyBetter(than other: ReceiverQuality) -> Bool {
        if mode.rawValue != other.mode.rawValue { return mode.rawValue > other.mode.rawValue }
        return error < other.error * ReceiverQuality.margin
    }
}
