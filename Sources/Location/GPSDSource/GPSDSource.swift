// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Reads positions from gpsd. While there are subscribers, one thread connects, reads and reconnects, even if the
/// source itself has been released. The thread retries indefinitely because gpsd may start later or restart.
public final class GPSDSource: PositionSource {
    private let hub: PositionHub
    private let counts: Counts

    /// Creates a source that reads from gpsd at the given address. If gpsd sends lines that cannot be read, `warn` is
    /// called with a log message on the thread that reads the connection.
    public convenience init(
        address: PositionSourceAddress, clock: any DeviceClock, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) { self.init(address: address, clock: clock, repairsWeekRollover: false, warn: warn) }

    package init(
        address: PositionSourceAddress, clock: any DeviceClock, repairsWeekRollover: Bool,
        timing: GPSDTiming = GPSDTiming(), warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let settings = GPSDSettings(
            address: address, clock: clock, repairsWeekRollover: repairsWeekRollover, timing: timing,
            unreadableLines: UnreadableLines { warn("gpsd at \(address) \($0)") })
        let counts = Counts()
        let thread = SourceThread<PositionHub>(for: "the position source", retryDelay: timing.maximumRetryDelay) {
            hub, wakeUp in
            GPSDSession(settings, hub: hub, wakeUp: wakeUp) { part in counts.sum.withLock { $0 += part } }.run()
        }
        hub = PositionHub { thread.demandDidChange() }
        thread.attach(hub)
        self.counts = counts
    }

    /// Subscribes to positions. The closures are called on the request's executor while it reads the connection, and on
    /// the source's thread at other times.
    public func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        onBatchComplete: @escaping @Sendable () -> Void
    ) -> Subscription {
        hub.subscribe(request, receive: receive, onBatchComplete: onBatchComplete)
    }

    /// The last fix from the best receiver.
    public var lastFix: PositionFix? { hub.lastFix }
    /// The receivers that gpsd has reported.
    public var receivers: [ReceiverDescription] { hub.receivers }
    package var statistics: GPSDStatistics { counts.sum.withLock { $0 } }

    private final class Counts: Sendable {
        let sum = Mutex(GPSDStatistics())
    }
}

/// The timeouts and intervals of a gpsd client, in seconds.
package struct GPSDTiming: Sendable {
    package var connectTimeout = 5.0
    /// The pause after the first failed connection attempt. Each further failure doubles the pause.
    package var initialRetryDelay = 0.25
    package var maximumRetryDelay = 10.0
    /// The source reports a loss if no position report arrives within this time.
    package var silenceTimeout = 10.0
    /// The interval at which gpsd is probed while the receiver is silent.
    package var probeInterval = 300.0
    /// If gpsd does not answer a probe within this time, the connection is considered dead.
    package var replyTimeout = 5.0
    /// If the process was suspended for at least this long, only the newest epoch of each receiver is kept.
    package var suspensionThreshold = 2.0
    /// The maximum delay before an executor reads the socket. After a longer delay, the source's thread reads it
    /// instead.
    package var tolerance = 0.5

    package init() {}
}

package struct GPSDStatistics: Sendable, Hashable {
    package var connections = 0
    package var lines = 0
    package var positions = 0
    package var malformedLines = 0
    /// The number of reports dropped because the process had been suspended.
    package var staleReports = 0

    package init() {}

    static func += (sum: inout GPSDStatistics, part: GPSDStatistics) {
        sum.connections += part.connections
        sum.lines += part.lines
        sum.positions += part.positions
        sum.malformedLines += part.malformedLines
        sum.staleReports += part.staleReports
    }
}

struct GPSDSettings: Sendable {
    let address: PositionSourceAddress
    let clock: any DeviceClock
    let repairsWeekRollover: Bool
    let timing: GPSDTiming
    var unreadableLines = UnreadableLines { _ in }
}

extension GPSDSettings {
    func connectionEndedError(call: String = "recv", errno number: Int32?) -> DeviceError {
        DeviceError(
            .connectionLost,
            "gpsd at \(address) closed the connection. Retrying. If gpsd was not restarted on purpose, check its log (journalctl -u gpsd).",
            cause: number.map { .system(call: call, errno: $0) })
    }

    func silenceError() -> DeviceError {
        DeviceError(
            .silent,
            "gpsd at \(address) responds, but no receiver has reported for \(timing.silenceTimeout) s. Check that the receiver is plugged in and known to gpsd (gpsdctl add DEVICE)."
        )
    }

    func noReplyError(hasReceivedValidLine: Bool) -> DeviceError {
        let message =
            hasReceivedValidLine
            ? "gpsd at \(address) stopped responding. Reconnecting."
            : "The server at \(address) does not speak gpsd's protocol. Check the port in DEVICE_SERVICES_GPSD."
        return DeviceError(.silent, message)
    }
}
