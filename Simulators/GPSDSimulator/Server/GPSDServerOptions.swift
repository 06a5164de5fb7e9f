// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import LoopbackServer

/// The configuration of a simulated gpsd and of the playback of its trace.
public struct GPSDServerOptions: Sendable {
    /// The speed of playback.
    public enum Pace: Sendable, Hashable {
        /// Plays the trace at the recorded rate multiplied by `speed`. As with gpsd, reports that a client does not
        /// read in time are lost for that client.
        case realTime(speed: Double)
        /// Plays the trace as fast as all watching clients read. No reports are lost. A client that reads nothing for
        /// 10 s is disconnected.
        case onDemand
    }

    /// The start of playback.
    public enum Start: Sendable, Hashable {
        /// Playback starts when the first client watches or the first program opens the terminal.
        case firstWatcher
        /// Playback starts with the server.
        case atOnce
    }

    /// The behavior at the end of the trace.
    public enum End: Sendable, Hashable {
        /// No more reports are sent.
        case silence
        /// The receivers are removed, as if they were unplugged.
        case unplug
        /// All connections are closed. The server continues to listen.
        case close
        /// The trace is played repeatedly. The times of reports continue to increase.
        case loop
    }

    /// The times in reports.
    public enum TimestampPolicy: Sendable, Hashable {
        /// The recorded times are preserved.
        case recorded
        /// All times are shifted by the same whole number of seconds, so that the first report has the current time
        /// when it is sent.
        case now
    }

    /// The TCP port on 127.0.0.1; 0 lets the system choose one. The default port of gpsd is 2947.
    public var port: UInt16 = 0
    /// The speed of playback.
    public var pace = Pace.realTime(speed: 1)
    /// The start of playback.
    public var start = Start.firstWatcher
    /// The behavior at the end of the trace.
    public var end = End.silence
    /// The times in reports. If they are shifted, the receiver's sentences in the trace are not sent, because their
    /// times cannot be shifted. Sentences generated from the reports are sent instead.
    public var timestampPolicy = TimestampPolicy.recorded
    /// The initial faults.
    public var faults: [GPSDFault] = []
    /// Whether clients lose their connections where the recording lost its connection to gpsd. The server then stops
    /// listening until the recording regained its connection.
    public var repeatsLosses = true
    /// The maximum number of connections. A further connection replaces the oldest client that has not received a
    /// reply. If there is none, the new connection is closed. gpsd allows 64 clients.
    package var maximumClients = 64
    /// The start of playback shared with other servers; nil for an independent start.
    package var sharedStart: SharedPlaybackStart?
    /// The minimum duration of one pass in nanoseconds, so that all servers begin the next pass at the same time. If it
    /// is nil or too small, the reports determine the duration.
    package var minimumPassDuration: Int64?

    /// Creates options that simulate a gpsd: in real time from the first watcher on, without faults, and with no
    /// reports after the end.
    public init() {}

    /// Returns the time of an event `time` nanoseconds after the start; nil with the pace `onDemand`.
    func dueTime(_ time: Int64, from start: BootTime) -> BootTime? {
        guard case .realTime(let speed) = pace else { return nil }
        return start.advanced(bySeconds: Double(time) / 1e9 / (speed > 0 && speed.isFinite ? speed : 1))
    }
}
