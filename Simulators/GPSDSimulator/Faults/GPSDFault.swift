// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
package import Trace

/// A fault that a simulated gpsd injects, and the moment at which it occurs. ``syntax`` describes all faults.
public struct GPSDFault: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// The receiver is removed: clients receive a DEVICE object with `activated` 0 and no more reports.
        case unplug
        case reconnect
        /// No reports are sent. Connections remain open and requests are answered.
        case stall
        /// The stall ends and new reports are sent. Reports that were due during the stall are lost.
        case resume
        /// All connections are reset. The server continues to listen.
        case drop
        /// All connections are reset and the server stops listening, as if its process were killed.
        case kill
        /// Like ``kill``, but the server resumes listening after the fault's duration, or after one second if no
        /// duration is given. If the server is not listening when the fault occurs, it resumes listening immediately.
        case restart
        /// Half of the next report is sent, and the rest follows after the given number of seconds. If the number is
        /// nil, the connection is closed instead.
        case halfLine(Double?)
        /// The given number of random bytes is sent on a separate line before the next report.
        case garbage(Int)
        case version(major: Int32, minor: Int32)
        /// The greeting is sent the given number of seconds after the connection is accepted. 0 disables the fault.
        case slowGreeting(Double)
    }

    package var action: Action
    /// The path of the receiver that is removed or reconnected, or nil for all receivers.
    package var device: String?
    /// The moment at which the fault occurs. Times and report numbers count from the start of playback.
    package var moment: FaultMoment
    /// The duration in seconds, or nil if the fault does not end automatically. Ignored for instantaneous faults.
    package var duration: Double?

    package init(_ action: Action, device: String? = nil, at moment: FaultMoment = .start, for duration: Double? = nil)
    {
        (self.action, self.device, self.moment, self.duration) = (action, device, moment, duration)
    }

    /// The default delay, in seconds, before a restarted server resumes listening.
    static let defaultRestartDelay = 1.0
}

extension GPSDFault.Action {
    /// The action that undoes this action when the fault's duration ends, or nil for an instantaneous action.
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

// MARK: Text

extension GPSDFault {
    /// The faults with their values, one per line, for the help text of commands.
    public static let syntax = """
        unplug, return          the receiver is unplugged or plugged in again
        stall, resume           the receiver stops or resumes sending reports
        drop                    all connections are closed
        kill                    the server stops
        restart                 the server stops and restarts after one second, or after the duration (also ends kill)
        half, half=300ms        half a report is sent; the connection is then closed, or the rest is sent after 300 ms
        garbage=100             the given number of random bytes is sent between two reports
        version=2.9             the greeting contains the given protocol version
        greeting=2s             the greeting is delayed (0s ends the fault)
        """

    package static let names = NameSuggestion.names(inTable: syntax)

    /// Parses a list of faults such as `kill@10s,restart@15s`. See ``syntax``. An empty list is an error.
    public static func list(_ text: String) throws(DeviceError) -> [GPSDFault] {
        try FaultClause.list(text, counting: counting).map { clause throws(DeviceError) in try GPSDFault(clause) }
    }

    /// Parses one fault such as `unplug(/dev/ttyUSB0)@1s`. See ``syntax``.
    public init(_ text: String) throws(DeviceError) { try self.init(FaultClause(text[...], counting: Self.counting)) }

    private static let counting = "a report"

    private init(_ fault: FaultClause) throws(DeviceError) {
        let action = try GPSDFault.action(fault)
        if fault.target != nil, action != .unplug, action != .reconnect {
            throw fault.error("applies to the whole server; only unplug and return apply to one device")
        }
        if action.ending == nil { try fault.requireNoDuration() }
        self.init(action, device: fault.target, at: fault.moment, for: fault.duration)
    }

    private static func action(_ fault: FaultClause) throws(DeviceError) -> Action {
        let withoutValue: [String: Action] = [
            "unplug": .unplug, "return": .reconnect, "stall": .stall, "resume": .resume, "drop": .drop, "kill": .kill,
            "restart": .restart,
        ]
        if let action = withoutValue[fault.name] {
            try fault.requireNoValue()
            return action
        }
        switch fault.name {
        case "half": return .halfLine(fault.value == nil ? nil : try fault.seconds())
        case "garbage":
            let count = try fault.integer()
            guard count > 0 else { throw fault.error("needs a number of bytes") }
            return .garbage(count)
        case "version":
            let parts = try fault.requiredValue().split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let major = Int32(parts[0]), let minor = Int32(parts[1]), major >= 0, minor >= 0
            else { throw fault.error("needs a version such as 3.14") }
            return .version(major: major, minor: minor)
        case "greeting": return .slowGreeting(try fault.seconds())
        default: throw fault.unknownName(among: names)
        }
    }
}
