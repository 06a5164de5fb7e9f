// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Positions from a gpsd: connects, reads, and connects again for as long as somebody listens.
///
/// One thread runs while there is a subscriber, even if the source itself has been released. It waits in poll(2), so it
/// uses no time while gpsd is silent, and it never gives up: gpsd may start later, restart, or move.
public final class GPSDSource: PositionSource {
    private let hub: PositionHub
    private let counts: Counts

    /// A source that reads the gpsd at that address.
    public init(
        address: PositionSourceAddress, clock: any DeviceClock, repairsWeekRollover: Bool = false,
        timing: GPSDTiming = GPSDTiming()
    ) {
        let settings = GPSDSettings(
            address: address, clock: clock, repairsWeekRollover: repairsWeekRollover, timing: timing)
        let counts = Counts()
        let thread = SourceThread<PositionHub>(for: "the position source", pause: timing.lastRetry) { hub, wakeUp in
            GPSDSession(settings, hub: hub, wakeUp: wakeUp) { part in counts.sum.withLock { $0 += part } }.run()
        }
        hub = PositionHub { thread.demandChanged() }
        thread.attach(hub)
        self.counts = counts
    }

    /// Hands events to the closure on the source's thread.
    public func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        settled: @escaping @Sendable () -> Void
    ) -> Subscription {
        hub.subscribe(request, receive: receive, settled: settled)
    }

    /// The last fix of the best receiver.
    public var lastFix: PositionFix? { hub.lastFix }

    /// The receivers that gpsd has named.
    public var receivers: [ReceiverDescription] { hub.receivers }

    /// What has been read so far.
    public var statistics: GPSDStatistics { counts.sum.withLock { $0 } }

    /// The sum of what all connections have read.
    private final class Counts: Sendable {
        let sum = Mutex(GPSDStatistics())
    }
}

/// The times by which the client judges gpsd, in seconds.
public struct GPSDTiming: Sendable {
    /// How long one address may take to connect.
    public var connect = 5.0
    /// The pause before the first new attempt to connect; it doubles with each failure...
    public var firstRetry = 0.25
    /// ...up to this one.
    public var lastRetry = 10.0
    /// Without a position report for this long, the position counts as lost.
    public var silence = 10.0
    /// While the receiver is silent, gpsd is asked this often whether it is still there. A program that waits sleeps all the
    /// time between: that the connection lives, and gpsd's machine, the system looks after (TCP keep-alive, two minutes).
    public var probeInterval = 300.0
    /// gpsd has to answer within this time, or the connection counts as dead.
    public var answer = 5.0
    /// After a standstill of this long, as when the process was stopped, what piled up meanwhile is dropped but for the
    /// newest epoch.
    public var standstill = 2.0
    /// A place that waits for the socket itself may look so much later than it should; then the source reads again.
    package var lateness = 0.5

    /// The times that suit boards.
    public init() {}
}

/// What a client has read so far.
public struct GPSDStatistics: Sendable, Hashable {
    /// Connections that were made.
    public var connections = 0
    /// Lines read.
    public var lines = 0
    /// Position reports among them.
    public var positions = 0
    /// Lines that made no sense and were skipped.
    public var malformedLines = 0
    /// Reports dropped after a standstill of the process.
    public var staleReports = 0

    /// Nothing read yet.
    public init() {}

    static func += (sum: inout GPSDStatistics, part: GPSDStatistics) {
        sum.connections += part.connections
        sum.lines += part.lines
        sum.positions += part.positions
        sum.malformedLines += part.malformedLines
        sum.staleReports += part.staleReports
    }
}
