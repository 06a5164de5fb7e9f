// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer

/// The configuration of a simulated iiod.
public struct IIODServerOptions: Sendable {
    /// The rate of sample delivery.
    public enum Pace: Sendable, Hashable {
        /// Delivers samples at the recorded rate multiplied by `speed`. Timestamps are based on the machine's clock.
        case realTime(speed: Double)
        /// Delivers samples as fast as clients request them. Each client starts at the beginning of the trace with its
        /// OPEN. ``TimestampPolicy`` determines the timestamps.
        case onDemand
    }

    /// The behavior at the end of the trace.
    public enum End: Sendable, Hashable {
        /// No more samples are delivered.
        case stall
        /// READBUF fails with ENODEV.
        case noDevice
        /// The trace starts again.
        case loop
    }

    /// The timestamps of samples.
    public enum TimestampPolicy: Sendable, Hashable {
        /// The time at which each sample is due, on the clock that `current_timestamp_clock` names.
        case clock
        /// The recorded times of the trace.
        case trace
    }

    /// The TCP port on 127.0.0.1. 0 lets the system choose one.
    public var port: UInt16 = 0
    /// The rate of sample delivery.
    public var pace = Pace.realTime(speed: 1)
    /// The behavior at the end of the trace.
    public var end = End.stall
    /// The timestamps of samples.
    public var timestampPolicy = TimestampPolicy.clock
    /// The initial faults.
    public var faults: [IIODFault] = []
    /// Whether the `raw` and `input` attributes of measured channels follow the samples.
    package var attributesFollowSamples = true
    /// Whether reads of `raw` and `input` fail with EBUSY while the buffer is enabled, as with most drivers.
    package var refusesRawReadsWhileCapturing = false
    /// The maximum number of connections. A further connection replaces the oldest one that has received no reply. If
    /// there is none, the new connection is closed.
    package var maximumConnections = 256
    /// The start of playback shared with other servers; nil for an independent start.
    package var sharedStart: SharedPlaybackStart?

    /// Creates options that simulate a live device: in real time, without faults, and with no samples after the end.
    public init() {}
}
