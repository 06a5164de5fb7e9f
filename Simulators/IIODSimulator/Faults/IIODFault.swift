// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import IIOFormat
import SystemCalls
package import Trace

/// A fault that a simulated iiod injects, and the moment at which it occurs. ``syntax`` describes all faults.
public struct IIODFault: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Chunks contain at most the given number of samples. 0 disables the fault.
        case partialChunks(Int)
        /// READBUF fails with the given error until the client opens the device again.
        case streamError(Int32)
        /// No samples arrive, but the connection remains open.
        case stall
        /// The stall ends and new samples arrive. Samples that were due during the stall are lost.
        case resume
        /// Every reply is delayed by the given number of seconds. 0 disables the fault.
        case delay(Double)
        /// All connections are reset, but the server continues to listen.
        case drop
        /// All connections are reset and the server stops listening, as if its process were killed.
        case kill
        /// Like ``kill``, but the server resumes listening after the fault's duration, or after one second if no
        /// duration is given. If the server is not listening when the fault occurs, it resumes listening immediately.
        case restart
        /// OPEN fails with the given error, for example EBUSY. If the error is nil, the fault is disabled.
        case refuseOpen(Int32?)
        /// Reading the attribute with the given name fails with the given error. If the name is nil, the fault applies
        /// to all attributes. If the error is nil, the fault is disabled.
        case attributeError(String?, Int32?)
        /// The device is removed. Its streams fail with ENODEV. OPEN and attribute accesses fail with the given error.
        case unplug(Int32)
        /// The device is reconnected. Interrupted streams keep failing until they are reopened.
        case reconnect
        /// The length that precedes each chunk is off by the given number of bytes. 0 disables the fault.
        case wrongLengths(Int)
    }

    package var action: Action
    /// The id, name or label of the device, or nil for all devices.
    package var device: String?
    /// The moment at which the fault occurs. Times and sample numbers count from the start of the timeline, which
    /// normally starts when a client first reads or captures samples. If samples are delivered on demand, sample
    /// numbers count from the beginning of each capture.
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

extension IIODFault.Action {
    /// The action that undoes this action when the fault's duration ends, or nil for an instantaneous action.
    var ending: IIODFault.Action? {
        switch self {
        case .partialChunks: .partialChunks(0)
        case .stall: .resume
        case .delay: .delay(0)
        case .kill, .restart: .restart
        case .refuseOpen: .refuseOpen(nil)
        case .attributeError(let name, _): .attributeError(name, nil)
        case .unplug: .reconnect
        case .wrongLengths: .wrongLengths(0)
        case .streamError, .resume, .drop, .reconnect: nil
        }
    }

    var affectsServer: Bool {
        switch self {
        case .delay, .drop, .kill, .restart: true
        default: false
        }
    }
}

extension SimulatedIIOContext {
    func check(_ faults: [IIODFault]) throws(DeviceError) {
        for fault in faults {
            guard let device = fault.device, index(of: device) == nil else { continue }
            let known = context.devices.prefix(20).map { $0.name.isEmpty ? $0.id : "\($0.id) (\($0.name))" }
            throw DeviceError(
                .invalidConfiguration,
                "A fault names \"\(device.prefix(200))\", which is not a device of the simulated iiod. Its devices: \(known.isEmpty ? "none" : known.joined(separator: ", "))."
            )
        }
    }
}

// MARK: Text

extension IIODFault {
    /// The faults with their values, one per line, for the help text of commands.
    public static let syntax = """
        unplug, unplug=ENODEV   the device is unplugged, and attributes return ENOENT or the given error
        return                  the device is plugged in again
        stall, resume           the device stops or resumes sending samples
        enodev, error=EIO       READBUF returns ENODEV or the given error, until the next OPEN
        partial=5               chunks contain at most 5 samples (0 ends the fault)
        length=4, length=-4     the stated length of chunks is wrong by the given number of bytes (0 ends the fault)
        delay=50ms              every answer is delayed (0s ends the fault)
        open=EBUSY              OPEN returns the given error (open=ok ends the fault)
        attr=EIO, attr=raw:EIO  reading attributes fails (attr=ok and attr=raw:ok end the fault)
        drop                    all connections are closed
        kill                    the server stops
        restart                 the server stops and restarts after one second, or after the duration (also ends kill)
        """

    package static let names = NameSuggestion.names(inTable: syntax)

    /// Parses a list of faults such as `unplug@2.5s,return@4s`. See ``syntax``. An empty list is an error.
    public static func list(_ text: String) throws(DeviceError) -> [IIODFault] {
        try FaultClause.list(text, counting: counting).map { clause throws(DeviceError) in try IIODFault(clause) }
    }

    /// Parses one fault such as `open=EBUSY(mpu6050)@1s`. See ``syntax``.
    public init(_ text: String) throws(DeviceError) { try self.init(FaultClause(text[...], counting: Self.counting)) }

    private static let counting = "a sample"

    private init(_ fault: FaultClause) throws(DeviceError) {
        let action = try IIODFault.action(fault)
        if fault.target != nil, action.affectsServer {
            throw fault.error("applies to the whole server, not to one device")
        }
        if action.ending == nil { try fault.requireNoDuration() }
        self.init(action, device: fault.target, at: fault.moment, for: fault.duration)
    }

    private static func action(_ fault: FaultClause) throws(DeviceError) -> Action {
        func error(_ word: String) throws(DeviceError) -> Int32? {
            if word == "ok" { return nil }
            guard let number = errors[word] else {
                throw fault.error(
                    "names the unknown error \(word); known errors are \(errors.keys.sorted().joined(separator: ", "))")
            }
            return number
        }
        func requiredError(_ word: String) throws(DeviceError) -> Int32 {
            guard let number = try error(word) else { throw fault.error("needs an error") }
            return number
        }
        let withoutValue: [String: Action] = [
            "stall": .stall, "resume": .resume, "enodev": .streamError(ENODEV), "return": .reconnect, "drop": .drop,
            "kill": .kill, "restart": .restart,
        ]
        if let action = withoutValue[fault.name] {
            try fault.requireNoValue()
            return action
        }
        switch fault.name {
        case "unplug": return .unplug(try fault.value.map(requiredError) ?? ENOENT)
        case "error": return .streamError(try requiredError(fault.requiredValue()))
        case "partial":
            let count = try fault.integer()
            guard count >= 0 else { throw fault.error("needs a number of samples") }
            return .partialChunks(count)
        case "length": return .wrongLengths(try fault.integer())
        case "delay": return .delay(try fault.seconds())
        case "open": return .refuseOpen(try error(fault.requiredValue()))
        case "attr":
            let words = try fault.requiredValue().split(separator: ":", omittingEmptySubsequences: false).map(
                String.init)
            if words.count == 2 { return .attributeError(words[0], try error(words[1])) }
            guard words.count == 1 else { throw fault.error("needs an error, or an attribute and an error") }
            return .attributeError(nil, try error(words[0]))
        default: throw fault.unknownName(among: names)
        }
    }

    private static let errors: [String: Int32] = [
        "EPERM": EPERM, "ENOENT": ENOENT, "EIO": EIO, "ENXIO": ENXIO, "EBADF": EBADF, "EAGAIN": EAGAIN,
        "ENOMEM": ENOMEM, "EACCES": EACCES, "EBUSY": EBUSY, "ENODEV": ENODEV, "EINVAL": EINVAL, "EPIPE": EPIPE,
        "ENOSYS": ENOSYS, "ETIMEDOUT": ETIMEDOUT, "EREMOTEIO": 121,
    ]
}
