// SPDX-License-Identifier: Apache-2.0

import Trace
public import DeviceCore

extension GPSDFault {
    /// How faults are written, for a command's help.
    public static let syntax = """
        A list of faults, parted by commas: name[=value][(device)][@when[+duration]]. When is a time such as 2.5s or 300ms \
        after the beginning of playback, or #100 for a report; without it the fault is there from the start. Without a \
        duration it stays until another one ends it.
        unplug, return          the receiver goes; it is back
        stall, resume           no reports come; they come again
        drop                    all connections are cut
        kill                    the server goes away
        restart                 it goes away and is back a second later, or after the duration; after a kill it is back
        half, half=300ms        half a report is sent, then the connection is cut, or the rest follows later
        garbage=100             so many bytes that mean nothing come between two reports
        version=2.9             the greeting names that version of the protocol
        greeting=2s             the greeting comes late (0s ends it)
        """

    /// Reads a list of faults such as `kill@10s,restart@15s`; see ``syntax``. A list without any is an error.
    public static func list(_ text: String) throws(DeviceError) -> [GPSDFault] {
        try FaultClause.list(text, counting: counting).map { clause throws(DeviceError) in try GPSDFault(clause) }
    }

    /// Reads one fault such as `unplug(/dev/ttyUSB0)@1s`; see ``syntax``.
    public init(_ text: String) throws(DeviceError) { try self.init(FaultClause(text[...], counting: Self.counting)) }

    private static let counting = "a report"

    private init(_ fault: FaultClause) throws(DeviceError) {
        let action = try GPSDFault.action(fault)
        if fault.target != nil, action != .unplug, action != .replug {
            throw fault.wrong("is not of one device alone; unplug and return are")
        }
        if action.ending == nil { try fault.refuseDuration() }
        self.init(action, device: fault.target, at: fault.moment, for: fault.duration)
    }

    private static func action(_ fault: FaultClause) throws(DeviceError) -> Action {
        let withoutValue: [String: Action] = [
            "unplug": .unplug, "return": .replug, "stall": .stall, "resume": .resume, "drop": .drop, "kill": .kill,
            "restart": .restart,
        ]
        if let action = withoutValue[fault.name] {
            try fault.refuseValue()
            return action
        }
        switch fault.name {
        case "half":
            guard fault.value != nil else { return .halfLine(nil) }
            return .halfLine(try fault.seconds())
        case "garbage":
            let count = try fault.wholeNumber()
            guard count > 0 else { throw fault.wrong("needs a number of bytes") }
            return .garbage(count)
        case "version":
            let parts = try fault.neededValue().split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let major = Int32(parts[0]), let minor = Int32(parts[1]), major >= 0, minor >= 0
            else { throw fault.wrong("needs a version such as 3.14") }
            return .version(major: major, minor: minor)
        case "greeting": return .slowGreeting(try fault.seconds())
        default:
            throw fault.wrong(
                "is none of unplug, return, stall, resume, drop, kill, restart, half, garbage, version, greeting")
        }
    }
}
