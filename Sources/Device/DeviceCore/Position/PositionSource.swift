// SPDX-License-Identifier: Apache-2.0

/// A source of positions.
public protocol PositionSource: Sendable {
    /// Delivers events to the closure, in order, until the subscription ends. Events are delivered on the source's
    /// thread, or on the request's `executor` if that executor reads the source.
    ///
    /// If positions are known to be unavailable, `PositionEvent.lost` is delivered before this call returns.
    /// `onBatchComplete` is called after each batch of events that arrived together. A subscriber that has to wake
    /// another thread should do so in `onBatchComplete`, once per batch. The closures must not wait for another thread.
    func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        onBatchComplete: @escaping @Sendable () -> Void
    ) -> Subscription

    /// The best receiver's last fix, regardless of its age, or nil before the first fix. The getter may be called with
    /// locks held, so it must neither call a subscriber nor wait for one.
    var lastFix: PositionFix? { get }

    /// The receivers that the service has reported.
    var receivers: [ReceiverDescription] { get }
}

extension PositionSource {
    /// Delivers events to the closure, in order and on the source's thread, until the subscription ends.
    public func subscribe(_ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void)
        -> Subscription
    { subscribe(request, receive: receive, onBatchComplete: {}) }
}

/// A position report and the sky report that belongs to it.
public struct PositionFix: Sendable {
    /// The position report.
    public let report: PositionReport
    /// The receiver's sky report at the time of the fix, or nil if there is none.
    public let sky: SkyReport?

    /// Creates a fix.
    public init(report: PositionReport, sky: SkyReport?) {
        self.report = report
        self.sky = sky
    }
}

/// A subscriber's request to a position source.
public struct PositionRequest: Sendable, Hashable {
    /// True to receive every report. If false, only one report per epoch is delivered: the last and most complete one.
    public var includesAllReports = false
    /// The device path of the receiver to use, or nil for the best receiver.
    public var receiver: String?
    /// True to also receive each unmodified line from the service.
    public var includesLines = false
    /// True to include the original bytes in each report.
    public var includesRawBytes = false
    /// The executor that runs the subscriber's callbacks, or nil if it cannot read from the source.
    package var executor: ExecutorIdentity?

    /// Creates a request. By default, it requests one report per epoch from the best receiver.
    public init(
        includesAllReports: Bool = false, receiver: String? = nil, includesLines: Bool = false,
        includesRawBytes: Bool = false
    ) {
        (self.includesAllReports, self.receiver) = (includesAllReports, receiver)
        (self.includesLines, self.includesRawBytes) = (includesLines, includesRawBytes)
    }
}

/// An event from a position source.
public enum PositionEvent: Sendable {
    /// A position report. The request determines whether every report or one report per epoch is delivered.
    case report(PositionReport)
    /// A report on the satellites in view.
    case sky(SkyReport)
    /// A compass or inertial report.
    case attitude(AttitudeReport)
    /// The receivers that the service currently reports.
    case receivers([ReceiverDescription])
    /// An unmodified line from the service. Delivered only if requested.
    case line([UInt8], arrival: BootTime)
    /// Positions are unavailable for now. Delivered once each time they become unavailable.
    case lost(DeviceError)
    /// The service is available again. Positions follow once a receiver delivers them.
    case regained
}

/// A receiver's properties, as reported by the position service (gpsd's DEVICE). Missing strings are empty.
public struct ReceiverDescription: Sendable, Hashable {
    /// The receiver's device path on the machine that runs the service.
    public var path = ""
    /// The name of the driver, for example "u-blox" or "SiRF".
    public var driver = ""
    /// The driver's description of the hardware and firmware.
    public var subtype = ""
    /// Additional information about the hardware and firmware.
    public var subtype1 = ""
    /// The bit rate of a serial port, or 0 if not applicable.
    public var bitsPerSecond: Int32 = 0
    /// The time between reports, in seconds, or NaN if unknown.
    public var cycle = Double.nan
    /// False if the receiver was unplugged or closed.
    public var isActive = true

    /// Creates an empty description.
    public init() {}
}

/// The current quality of a receiver, used to choose between receivers.
struct ReceiverQuality: Sendable {
    /// A receiver is considered silent after this many seconds without a report.
    static let silenceTimeout = 5.0
    /// A receiver is clearly better than the chosen one if its error is less than this fraction of the chosen
    /// receiver's error. Applies only if both receivers have the same fix mode.
    static let maximumErrorRatio = 0.5
    /// The time, in seconds, that a receiver must remain clearly better before it is chosen.
    static let switchDelay = 10.0

    private(set) var mode = FixMode.unknown
    /// The horizontal error, in metres, or infinity if unknown.
    private(set) var error = Double.infinity
    /// The arrival time of the last report. Initially earlier than any other time.
    private(set) var lastReport = BootTime(nanoseconds: .min)
    /// The time at which the receiver became clearly better than the chosen receiver.
    var betterSince: BootTime?

    mutating func update(with report: PositionReport, now: BootTime) {
        if now.seconds(since: lastReport) > ReceiverQuality.silenceTimeout { betterSince = nil }
        lastReport = now
        mode = report.hasFix ? report.mode : .none
        let reported = report.horizontalError
        error = reported > 0 ? reported : .infinity
    }

    func hasFix(now: BootTime) -> Bool {
        mode.rawValue >= FixMode.twoDimensional.rawValue
            && now.seconds(since: lastReport) <= ReceiverQuality.silenceTimeout
    }

    func isClearlyBetter(than other: ReceiverQuality) -> Bool {
        if mode.rawValue != other.mode.rawValue { return mode.rawValue > other.mode.rawValue }
        return error < other.error * ReceiverQuality.maximumErrorRatio
    }
}
