// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace
public import DeviceCore

extension IIODFault {
    /// The syntax of faults, for a command's help.
    public static let syntax = """
        A list of faults, separated by commas: name[=value][(device)][@when[+duration]]. @when is a time such as 2.5s or \
        300ms after the first use, or #1000 for a sample. Without it, the fault begins at the start. Without a duration, it \
        lasts until another fault ends it.
        unplug, unplug=ENODEV   the device is removed; attributes return ENOENT or the given error
        return                  the device returns
        stall, resume           samples stop; samples continue
        enodev, error=EIO       READBUF returns ENODEV or the given error, until the next OPEN
        partial=5               chunks contain at most 5 samples (0 ends the fault)
        length=4, length=-4     the stated length of chunks is wrong by that many bytes (0 ends the fault)
        delay=50ms              every answer is delayed (0s ends the fault)
        open=EBUSY              OPEN returns the given error; open=ok ends the fault
        attr=EIO, attr=raw:EIO  reading attributes fails; attr=ok, attr=raw:ok end the fault
        drop                    all connections are closed
        kill                    the server stops
        restart                 the server stops and restarts after one second, or after the duration; also ends kill
        """

    /// Parses a list of faults such as `unplug@2.5s,return@4s`; see ``syntax``. An empty list is an error.
    public static func list(_ text: String) throws(DeviceError) -> [IIODFault] {
        try FaultClause.list(text, counting: counting).map { clause throws(DeviceError) in try IIODFault(clause) }
    }

    /// Parses one fault such as `open=EBUSY(mpu6050)@1s`; see ``syntax``.
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
        let withoutValue: [String: Action] = [
            "stall": .stall, "resume": .resume, "enodev": .streamError(ENODEV), "return": .reconnect, "drop": .drop,
            "kill": .kill, "restart": .restart,
        ]
        if let action = withoutValue[fault.name] {
            try fault.requireNoValue()
            return action
        }
        switch fault.name {
        case "unplug":
            guard let value = fault.value else { return .unplug(ENOENT) }
            guard let number = try error(value) else { throw fault.error("needs an error") }
            return .unplug(number)
        case "error":
            guard let number = try error(fault.requiredValue()) else { throw fault.error("needs an error") }
            return .streamError(number)
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
        default:
            throw fault.error(
                "is not one of unplug, return, stall, resume, enodev, error, partial, length, delay, open, attr, drop, kill, restart"
            )
        }
    }

    private static let errors: [String: Int32] = [
        "EPERM": EPERM, "ENOENT": ENOENT, "EIO": EIO, "ENXIO": ENXIO, "EBADF": EBADF, "EAGAIN": EAGAIN,
        "ENOMEM": ENOMEM, "EACCES": EACCES, "EBUSY": EBUSY, "ENODEV": ENODEV, "EINVAL": EINVAL, "EPIPE": EPIPE,
        "ENOSYS": ENOSYS, "ETIMEDOUT": ETIMEDOUT, "EREMOTEIO": 121,
    ]
}
