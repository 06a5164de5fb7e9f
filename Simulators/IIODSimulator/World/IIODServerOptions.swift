// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer

/// The configuration of a simulated iiod.
public struct IIODServerOptions: Sendable {
    /// The rate at which samples are delivered.
    public enum Pace: Sendable, Hashable {
        /// Samples are delivered at the recorded rate multiplied by `speed`.
        case realTime(speed: Double)
        /// Samples are delivered as fast as clients request them. After each OPEN, the client receives the trace from
        /// the beginning.
        case onDemand
    }

    /// The behaviour at the end of the trace.
    public enum End: Sendable, Hashable {
        /// No more samples are delivered.
        case stall
        /// READBUF fails with ENODEV.
        case noDevice
        /// The trace starts again.
        case loop
    }

    /// The source of sample timestamps.
    public enum TimestampPolicy: Sendable, Hashable {
        /// A timestamp is the time at which the sample is due. `current_timestamp_clock` selects the clock.
        case clock
        /// A timestamp is the recorded time of the sample in the trace.
        case trace
    }

    /// The TCP port on 127.0.0.1, or 0 to let the system choose a port.
    public var port: UInt16 = 0
    /// The rate at which samples are delivered.
    public var pace = Pace.realTime(speed: 1)
    /// The behaviour at the end of the trace.
    public var end = End.stall
    /// The source of sample timestamps.
    public var timestampPolicy = TimestampPolicy.clock
    /// The faults that are scheduled when the server starts. More faults can be injected while the server runs.
    public var faults: [IIODFault] = []
    /// If true, the `raw` and `input` attributes of measured channels return the current sample.
    package var attributesFollowSamples = true
    /// If true, reading `raw` or `input` fails with EBUSY while the buffer is enabled, as with most drivers.
    package var refusesRawReadsWhileBufferEnabled = false
    /// The maximum number of connections. At the limit, a new connection replaces the oldest one that has never
    /// received a reply. If there is none, the new connection is closed.
    package var maximumConnections = 256
    /// The playback start shared with other servers, or nil if the server starts independently.
    package var sharedStart: SharedPlaybackStart?

    /// Creates the default options: real-time delivery without faults.
    public init() {}
}
