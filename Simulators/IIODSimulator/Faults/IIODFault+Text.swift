// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace
public import DeviceCore

extension IIODFault {
    /// How faults are written, for a command's help.
    public static let syntax = """
        A list of faults, parted by commas: name[=value][(device)][@when[+duration]]. When is a time such as 2.5s or 300ms \
        after the first use, or #1000 for a sample; without it the fault is there from the start. Without a duration it \
        stays until another one ends it.
        unplug, unplug=ENODEV   the device goes; attributes answer ENOENT or the error given
        return                  it is back
        stall, resume           no samples come; they come again
        enodev, error=EIO       READBUF answers ENODEV or the error given, until the next OPEN
        partial=5               chunks of at most 5 samples (0 ends it)
        length=4, length=-4     chunks of another length than they say (0 ends it)
        delay=50ms              every answer comes late (0s ends it)
        open=EBUSY              OPEN is refused; open=ok ends it
        attr=EIO, attr=raw:EIO  reading attributes fails; attr=ok, attr=raw:ok end it
        drop                    all connections are cut
        kill                    the server goes away
        restart                 it goes away and is back a second later, or after the duration; after a kill it is back
        """

    /// Reads a list of faults such as `unplug@2.5s,return@4s`; see ``syntax``. A list without any is an error.
    public static func list(_ text: String) throws(DeviceError) -> [IIODFault] {
        try FaultClause.list(text, counting: counting).map { clause throws(DeviceError) in try IIODFault(clause) }
    }

    /// Reads one fault such as `open=EBUSY(mpu6050)@1s`; see ``syntax``.
    public init(_ text: String) throws(DeviceError) { try self.init(FaultClause(text[...], counting: Self.counting)) }

    private static let counting = "a sample"

    private init(_ fault: FaultClause) throws(DeviceError) {
        let action = try IIODFault.action(fault)
        if fault.target != nil, action.isOfServer { throw fault.wrong("is of the whole server, not of one device") }
        if action.ending == nil { try fault.refuseDuration() }
        self.init(action, device: fault.target, at: fault.moment, for: fault.duration)
    }

    private static func action(_ fault: FaultClause) throws(DeviceError) -> Action {
        func error(_ word: String) throws(DeviceError) -> Int32? {
            if word == "ok" { return nil }
            guard let number = errors[word] else {
                throw fault.wrong("names the error \(word); known are \(errors.keys.sorted().joined(separator: ", "))")
            }
            return number
        }
        let withoutValue: [String: Action] = [
            "stall": .stall, "resume": .resume, "enodev": .streamError(ENODEV), "return": .replug, "drop": .drop,
            "kill": .kill, "restart": .restart,
        ]
        if let action = withoutValue[fault.name] {
            try fault.refuseValue()
            return action
        }
        switch fault.name {
        case "unplug":
            guard let value = fault.value else { return .unplug(ENOENT) }
            guard let number = try error(value) else { throw fault.wrong("needs an error") }
            return .unplug(number)
        case "error":
            guard let number = try error(fault.neededValue()) else { throw fault.wrong("needs an error") }
            return .streamError(number)
        case "partial":
            let count = try fault.wholeNumber()
            guard count >= 0 else { throw fault.wrong("needs a number of samples") }
            return .partialChunks(count)
        case "length": return .wrongLengths(try fault.wholeNumber())
        case "delay": return .delay(try fault.seconds())
        case "open": return .refuseOpen(try error(fault.neededValue()))
        case "attr":
            let words = try fault.neededValue().split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            if words.count == 2 { return .attributeError(words[0], try error(words[1])) }
            guard words.count == 1 else { throw fault.wrong("needs an error, or an attribute and an error") }
            return .attributeError(nil, try error(words[0]))
        default:
            throw fault.wrong(
                "is none of unplug, return, stall, resume, enodev, error, partial, length, delay, open, attr, drop, kill, restart"
            )
        }
    }

    private static let errors: [String: Int32] = [
        "EPERM": EPERM, "ENOENT": ENOENT, "EIO": EIO, "ENXIO": ENXIO, "EBADF": EBADF, "EAGAIN": EAGAIN,
        "ENOMEM": ENOMEM, "EACCES": EACCES, "EBUSY": EBUSY, "ENODEV": ENODEV, "EINVAL": EINVAL, "EPIPE": EPIPE,
        "ENOSYS": ENOSYS, "ETIMEDOUT": ETIMEDOUT, "EREMOTEIO": 121,
    ]
}
