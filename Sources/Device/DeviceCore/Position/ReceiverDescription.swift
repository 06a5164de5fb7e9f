// SPDX-License-Identifier: Apache-2.0

/// The properties of a receiver that the position service reports (DEVICE of gpsd). Missing text is empty.
public struct ReceiverDescription: Sendable, Hashable {
    /// The device path on the machine that runs the service.
    public var path = ""
    /// The name of the driver, for example "u-blox" or "SiRF".
    public var driver = ""
    /// The driver's description of hardware and firmware.
    public var subtype = ""
    /// Additional description of hardware and firmware.
    public var subtype1 = ""
    /// The bit rate of a serial port; 0 if not applicable.
    public var bitsPerSecond: Int32 = 0
    /// The time between reports in seconds; NaN if unknown.
    public var cycle = Double.nan
    /// False after the receiver was unplugged or closed.
    public var isActive = true

    /// Creates an empty description.
    public init() {}
}

/// The current quality of a receiver, for selecting one of several.
struct ReceiverQuality: Sendable {
    /// The time in seconds without a report after which a receiver counts as silent.
    static let silenceTimeout = 5.0
    /// The maximum error of a clearly better receiver with the same mode, as a fraction of the chosen receiver's error.
    static let maximumErrorRatio = 0.5
    /// The time in seconds for which a receiver must be clearly better before it is chosen.
    static let switchDelay = 10.0

    private(set) var mode = FixMode.unknown
    private(set) var error = Double.infinity
    /// The arrival time of the last report. The initial value precedes all times.
    private(set) var lastReport = BootTime(nanoseconds: .min)
    /// The time since which the receiver has been clearly better than the chosen one without interruption.
    var betterSince: BootTime?

    /// Updates the quality with a report.
    mutating func update(with report: PositionReport, now: BootTime) {
        if now.seconds(since: lastReport) > ReceiverQuality.silenceTimeout { betterSince = nil }
        lastReport = now
        mode = report.hasFix ? report.mode : .none
        let reported = report.horizontalError
        error = reported > 0 ? reported : .infinity
    }

    /// True if the last report is recent and has a fix.
    func hasFix(now: BootTime) -> Bool {
        mode.rawValue >= FixMode.twoDimensional.rawValue
            && now.seconds(since: lastReport) <= ReceiverQuality.silenceTimeout
    }

    /// True if the receiver has a higher fix mode, or the same mode and a much smaller error.
    func isClearlyBetter(than other: ReceiverQuality) -> Bool {
        if mode.rawValue != other.mode.rawValue { return mode.rawValue > other.mode.rawValue }
        return error < other.error * ReceiverQuality.maximumErrorRatio
    }
}
