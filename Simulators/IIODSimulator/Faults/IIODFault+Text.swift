// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension IIODFault {
    /// How faults are written, for a command's help.
    public static let syntax = """
        A list of faults, parted by commas: name[=value][(device)][@when]. When is a time such as 2.5s or 300ms after \
        the first use, or #1000 for a sample; without it the fault is there from the start.
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
        kill, restart           the server goes away and comes back
        """

    /// Reads a list of faults such as `unplug@2.5s,return@4s`; see ``syntax``.
    public static func list(_ text: String) throws(DeviceError) -> [IIODFault] {
        guard text.utf8.count <= 10_000 else { throw wrong("the list", "is longer than 10000 bytes") }
        var faults: [IIODFault] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: true) {
            faults.append(try IIODFault(String(word)))
        }
        return faults
    }

    /// Reads one fault such as `open=EBUSY(mpu6050)@1s`; see ``syntax``.
    public init(_ text: String) throws(DeviceError) {
        var rest = text[...].drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        var moment = Moment.start
        if let at = rest.lastIndex(of: "@") {
            moment = try IIODFault.moment(rest[rest.index(after: at)...], of: text)
            rest = rest[..<at]
        }
        var device: String?
        if rest.last == ")" {
            guard let open = rest.firstIndex(of: "("), rest.distance(from: open, to: rest.endIndex) > 2 else {
                throw IIODFault.wrong(text, "has no device between its parentheses")
            }
            device = String(rest[rest.index(after: open)...].dropLast())
            rest = rest[..<open]
        }
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? parts[1] : nil
        self.init(
            try IIODFault.action(String(parts.first ?? ""), value, of: text), device: device, at: moment)
    }

    private static func action(_ name: String, _ value: Substring?, of text: String) throws(DeviceError) -> Action {
        func needed() throws(DeviceError) -> Substring {
            guard let value, !value.isEmpty else { throw wrong(text, "needs a value, as in \(name)=…") }
            return value
        }
        func error(_ word: Substring) throws(DeviceError) -> Int32? {
            if word == "ok" { return nil }
            guard let number = errors[String(word)] else {
                throw wrong(text, "names the error \(word); known are \(errors.keys.sorted().joined(separator: ", "))")
            }
            return number
        }
        func number(_ word: Substring) throws(DeviceError) -> Int {
            guard let number = Int(word), abs(number) <= 1_000_000 else {
                throw wrong(text, "needs a whole number up to 1000000, not \(word)")
            }
            return number
        }
        let withoutValue: [String: Action] = [
            "stall": .stall, "resume": .resume, "enodev": .streamError(ENODEV), "return": .replug, "drop": .drop,
            "kill": .kill, "restart": .restart,
        ]
        if let action = withoutValue[name] {
            guard value == nil else { throw wrong(text, "takes no value") }
            return action
        }
        switch name {
        case "unplug":
            guard let value else { return .unplug(ENOENT) }
            guard let number = try error(value) else { throw wrong(text, "needs an error") }
            return .unplug(number)
        case "error":
            guard let number = try error(needed()) else { throw wrong(text, "needs an error") }
            return .streamError(number)
        case "partial":
            let count = try number(needed())
            guard count >= 0 else { throw wrong(text, "needs a number of samples") }
            return .partialChunks(count)
        case "length": return .wrongLengths(try number(needed()))
        case "delay": return .delay(try seconds(needed(), of: text))
        case "open": return .refuseOpen(try error(needed()))
        case "attr":
            let words = try needed().split(separator: ":", omittingEmptySubsequences: false)
            if words.count == 2 { return .attributeError(String(words[0]), try error(words[1])) }
            guard words.count == 1 else { throw wrong(text, "needs an error, or an attribute and an error") }
            return .attributeError(nil, try error(words[0]))
        default:
            throw wrong(
                text,
                "is none of unplug, return, stall, resume, enodev, error, partial, length, delay, open, attr, drop, kill, restart"
            )
        }
    }

    private static func moment(_ word: Substring, of text: String) throws(DeviceError) -> Moment {
        guard word.first == "#" else { return .seconds(try seconds(word, of: text)) }
        guard let number = Int64(word.dropFirst()), number >= 0 else {
            throw wrong(text, "needs the number of a sample behind #")
        }
        return .sample(number)
    }

    private static func seconds(_ word: Substring, of text: String) throws(DeviceError) -> Double {
        let digits: Substring
        let unit: Double
        if word.hasSuffix("ms") {
            (digits, unit) = (word.dropLast(2), 1e-3)
        } else if word.hasSuffix("s") {
            (digits, unit) = (word.dropLast(), 1)
        } else {
            throw wrong(text, "needs a time with its unit, such as 2.5s or 300ms, not \(word)")
        }
        guard let first = digits.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9"),
            let number = Double(digits), number.isFinite, number * unit <= 1e6
        else { throw wrong(text, "needs a time from 0 to 1000000 s, not \(word)") }
        return number * unit
    }

    private static func wrong(_ text: String, _ reason: String) -> DeviceError {
        DeviceError(.invalidConfiguration, "The fault \"\(text)\" cannot be used: it \(reason).")
    }

    private static let errors: [String: Int32] = [
        "EPERM": EPERM, "ENOENT": ENOENT, "EIO": EIO, "ENXIO": ENXIO, "EBADF": EBADF, "EAGAIN": EAGAIN,
        "ENOMEM": ENOMEM, "EACCES": EACCES, "EBUSY": EBUSY, "ENODEV": ENODEV, "EINVAL": EINVAL, "EPIPE": EPIPE,
        "ENOSYS": ENOSYS, "ETIMEDOUT": ETIMEDOUT, "EREMOTEIO": 121,
    ]
}
