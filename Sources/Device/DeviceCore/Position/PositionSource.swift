// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where positions come from.
public protocol PositionSource: Sendable {
    /// Hands events to the closure, on the source's own thread and in order, until the subscription ends.
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
    public var report: PositionReport
    /// The receiver's view of the sky at that time; nil when it gave none.
    public var sky: SkyReport?

    /// A fix of those parts.
    public init(report: PositionReport, sky: SkyReport?) {
        self.report = report
        self.sky = sky
    }
}
