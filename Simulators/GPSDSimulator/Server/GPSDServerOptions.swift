// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import LoopbackServer

/// The configuration of a simulated gpsd and of its trace playback.
public struct GPSDServerOptions: Sendable {
    /// The playback speed.
    public enum Pace: Sendable, Hashable {
        /// Plays the trace at the recorded rate multiplied by `speed`. A slow client loses reports, as with gpsd.
        case realTime(speed: Double)
        /// Plays the trace as fast as the slowest watching client reads it, without losing reports. A client that reads
        /// nothing for 10 s is disconnected.
        case onDemand
    }

    /// The event that starts playback.
    public enum Start: Sendable, Hashable {
        /// Playback starts when the first client begins to watch, or when a program first opens the terminal.
        case firstWatcher
        /// Playback starts when the server or the terminal starts.
        case immediately
    }

    /// The behaviour at the end of the trace.
    public enum End: Sendable, Hashable {
        /// No more reports are sent.
        case silence
        /// The receivers are removed, as if they were unplugged.
        case unplug
        /// All connections are closed. The server continues to listen.
        case close
        /// The trace restarts. Report times continue to increase.
        case loop
    }

    /// Whether report times are preserved or shifted.
    public enum TimestampPolicy: Sendable, Hashable {
        /// The recorded times are preserved.
        case recorded
        /// All times are shifted by the same whole number of seconds so that the first report is current.
        case now
    }

    /// The TCP port on 127.0.0.1, or 0 to let the system choose a port. gpsd's default port is 2947.
    public var port: UInt16 = 0
    /// The playback speed.
    public var pace = Pace.realTime(speed: 1)
    /// The event that starts playback.
    public var start = Start.firstWatcher
    /// The behaviour at the end of the trace.
    public var end = End.silence
    /// Whether report times are preserved or shifted. Times in recorded sentences cannot be shifted, so sentences with
    /// shifted times are generated from the reports.
    public var timestampPolicy = TimestampPolicy.recorded
    /// The faults that are scheduled when the server starts. More faults can be injected while the server runs.
    public var faults: [GPSDFault] = []
    /// If true, connection losses in the recording are played back: the clients are disconnected, and the server does
    /// not listen until the recorded connection is restored.
    public var repeatsLosses = true
    /// The maximum number of connections. At the limit, a new connection replaces the oldest client that has never
    /// received a reply. If there is no such client, the new connection is closed. gpsd allows 64 clients.
    package var maximumClients = 64
    /// The playback start shared with other servers, or nil if the server starts independently.
    package var sharedStart: SharedPlaybackStart?
    /// The minimum duration of one pass, in nanoseconds. Servers that share the same minimum can begin each pass at the
    /// same time.
    package var minimumPassDuration: Int64?

    /// Creates the default options: real-time playback without faults, starting when the first client begins to watch.
    public init() {}

    /// Returns the due time of an event, or nil if the pace is `onDemand`. `time` is in nanoseconds since the start.
    func dueTime(_ time: Int64, from start: BootTime) -> BootTime? {
        guard case .realTime(let speed) = pace else { return nil }
        return start.advanced(bySeconds: Double(time) / 1e9 / (speed > 0 && speed.isFinite ? speed : 1))
    }
}
