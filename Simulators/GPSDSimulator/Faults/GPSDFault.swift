// SPDX-License-Identifier: Apache-2.0

@_exported public import enum Trace.FaultMoment

/// Something that goes wrong with a simulated gpsd, and when.
public struct GPSDFault: Sendable, Hashable {
    /// What happens.
    public enum Action: Sendable, Hashable {
        /// The receiver goes: watchers get a DEVICE that is not activated, and no reports of it come any more.
        case unplug
        /// The receiver is back.
        case replug
        /// No reports come any more; the connections stay and requests are answered.
        case stall
        /// Reports come again; those that were missed are lost.
        case resume
        /// All connections are cut; the server goes on listening.
        case drop
        /// All connections are cut and nobody listens, as when the server's process is killed.
        case kill
        /// The server goes away as for ``kill`` and listens again a second later, or after the duration. One that is away
        /// listens again at once.
        case restart
        /// Of the next report only half is sent. The rest follows so many seconds later; with nil the connection is cut
        /// there.
        case halfLine(Double?)
        /// So many bytes that mean nothing come before the next report, on a line of their own.
        case garbage(Int)
        /// The server says that it speaks that version of the protocol.
        case version(major: Int32, minor: Int32)
        /// The greeting comes so many seconds after the connection; 0 ends it.
        case slowGreeting(Double)
    }

    /// What happens.
    public var action: Action
    /// The path of the receiver that goes or comes back; nil for all.
    public var device: String?
    /// When it happens. Time counts from the beginning of playback, as the reports do.
    public var moment: FaultMoment

    /// For how many seconds. Nil for a fault that another one ends; what happens in an instant has none.
    public var duration: Double?

    /// A fault of those parts.
    public init(_ action: Action, device: String? = nil, at moment: FaultMoment = .start, for duration: Double? = nil) {
        self.action = action
        self.device = device
        self.moment = moment
        self.duration = duration
    }

    /// How long a server is away that is restarted, in seconds, unless it is said.
    public static let usualRestart = 1.0
}

extension GPSDFault.Action {
    /// What ends it after a duration; nil for what does not last.
    var ending: GPSDFault.Action? {
        switch self {
        case .unplug: .replug
        case .stall: .resume
        case .kill, .restart: .restart
        case .slowGreeting: .slowGreeting(0)
        case .replug, .resume, .drop, .halfLine, .garbage, .version: nil
        }
    }
}
