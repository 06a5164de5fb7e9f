// SPDX-License-Identifier: Apache-2.0

@_exported public import enum Trace.FaultMoment

/// A fault of a simulated gpsd and the moment at which it occurs.
public struct GPSDFault: Sendable, Hashable {
    /// The kind of fault.
    public enum Action: Sendable, Hashable {
        /// The receiver is removed: watching clients receive a DEVICE object whose `activated` is 0, and no more of its
        /// reports.
        case unplug
        /// The receiver is connected again.
        case reconnect
        /// No reports are sent. Connections remain open and requests are answered.
        case stall
        /// Reports are sent again. The reports that were due during the stall are lost.
        case resume
        /// All connections are reset. The server continues to listen.
        case drop
        /// All connections are reset and the server stops listening, as if its process were killed.
        case kill
        /// All connections are reset and the server stops listening, as with ``kill``. It listens again after the
        /// duration, or after one second without a duration. A server that has already stopped listens again
        /// immediately.
        case restart
        /// Only the first half of the next report is sent. The second half follows after the given number of seconds;
        /// if it is nil, the connection is closed instead.
        case halfLine(Double?)
        /// The given number of random bytes is sent before the next report, on a separate line.
        case garbage(Int)
        /// The server reports the given protocol version.
        case version(major: Int32, minor: Int32)
        /// The greeting is sent the given number of seconds after the connection is accepted. 0 ends the fault.
        case slowGreeting(Double)
    }

    /// The kind of fault.
    public var action: Action
    /// The path of the receiver that is removed or connected again; nil for all receivers.
    public var device: String?
    /// The moment at which the fault occurs. Times and report numbers count from the start of playback.
    public var moment: FaultMoment

    /// The duration in seconds; nil if the fault has no automatic end. Ignored for instantaneous faults.
    public var duration: Double?

    /// Creates a fault.
    public init(_ action: Action, device: String? = nil, at moment: FaultMoment = .start, for duration: Double? = nil) {
        self.action = action
        self.device = device
        self.moment = moment
        self.duration = duration
    }

    /// The time after which a restarted server listens again if no duration is given, in seconds.
    public static let defaultRestartDelay = 1.0
}

extension GPSDFault.Action {
    /// The action that ends this one after its duration; nil for instantaneous actions.
    var ending: GPSDFault.Action? {
        switch self {
        case .unplug: .reconnect
        case .stall: .resume
        case .kill, .restart: .restart
        case .slowGreeting: .slowGreeting(0)
        case .reconnect, .resume, .drop, .halfLine, .garbage, .version: nil
        }
    }
}
