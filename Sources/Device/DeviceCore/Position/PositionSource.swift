// SPDX-License-Identifier: Apache-2.0

/// Where positions come from.
public protocol PositionSource: Sendable {
    /// Hands events to the closure, on the source's own thread and in order, until the subscription ends. (In the request's
    /// `place` instead, when the source reads there.)
    ///
    /// When the source is known to be lost, the closure hears so before this call returns. `settled` is called after
    /// each run of events that came in together: a subscriber that wakes others does so then, once for all of them.
    func subscribe(
        _ request: PositionRequest,
        receive: @escaping @Sendable (PositionEvent) -> Void,
        settled: @escaping @Sendable () -> Void
    ) -> Subscription

    /// The last fix of the best receiver with the sky that belonged to it, as old as it may be; nil before the first.
    var lastFix: PositionFix? { get }

    /// The receivers that the service has named so far.
    var receivers: [ReceiverDescription] { get }
}

extension PositionSource {
    /// Hands events to the closure, on the source's own thread and in order, until the subscription ends.
    public func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void
    ) -> Subscription {
        subscribe(request, receive: receive, settled: {})
    }
}

/// A position report and the sky that belonged to it.
public struct PositionFix: Sendable {
    /// The report.
    public let report: PositionReport
    /// The receiver's view of the sky at that time; nil when it gave none.
    public let sky: SkyReport?

    /// A fix of those parts.
    public init(report: PositionReport, sky: SkyReport?) {
        self.report = report
        self.sky = sky
    }
}

/// What a subscriber wants of a position source.
public struct PositionRequest: Sendable, Hashable {
    /// True for every report; false for one report an epoch, the last and most complete.
    public var everyReport = false
    /// The path of the receiver to listen to; nil for the best one.
    public var receiver: String?
    /// True to get each line of the service as it was sent, too.
    public var lines = false
    /// True for reports that carry their own bytes.
    public var rawReports = false
    /// Where what comes of the readings is told: a place that may wait for them itself.
    package var place: DirectPlace?

    /// One report an epoch from the best receiver, or as the arguments say.
    public init(everyReport: Bool = false, receiver: String? = nil, lines: Bool = false, rawReports: Bool = false) {
        self.everyReport = everyReport
        self.receiver = receiver
        self.lines = lines
        self.rawReports = rawReports
    }
}

/// What a position source has to say.
public enum PositionEvent: Sendable {
    /// A position report: every one of them, or one for each epoch, as the subscription asked.
    case report(PositionReport)
    /// The satellites behind the reports.
    case sky(SkyReport)
    /// A compass or inertial report.
    case attitude(AttitudeReport)
    /// The receivers that the service has now.
    case receivers([ReceiverDescription])
    /// A line exactly as the service sent it, for subscriptions that asked for lines.
    case line([UInt8], arrival: BootTime)
    /// No position can be had for now, and why. Sent once for each loss.
    case lost(DeviceError)
    /// The service is back. Positions follow when the receiver has them.
    case regained
}
