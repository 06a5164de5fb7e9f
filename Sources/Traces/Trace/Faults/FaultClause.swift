// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// When a fault happens.
public enum FaultMoment: Sendable, Hashable {
    /// At once.
    case start
    /// That many seconds after the start.
    case seconds(Double)
    /// Before that reading, the first being 0.
    case reading(Int64)
}

/// One fault of a list that somebody has written: `name[=value][(target)][@when[+duration]]`, as in
/// `stuck=3(accelerometer)@2.5s+300ms`.
///
/// What names, values and targets mean is for those that bring faults about; that they look the same everywhere is kept
/// here.
package struct FaultClause: Sendable, Hashable {
    /// The longest list, in bytes.
    package static let maximumLength = 10_000

    /// The whole text, for messages.
    package let text: String
    /// What happens.
    package let name: String
    /// What stands behind the equals sign; nil without one.
    package let value: String?
    /// What it happens to; nil for everything.
    package let target: String?
    /// When it happens.
    package let moment: FaultMoment
    /// For how many seconds; nil when that is not said.
    package let duration: Double?

    /// Reads a list, whose faults are parted by commas. One without any is an error: a slip must not look like a test.
    /// - Parameter counting: what the number behind # counts: "a sample". Nil where nothing is counted.
    package static func list(_ text: String, counting: String? = nil) throws(DeviceError) -> [FaultClause] {
        guard text.utf8.count <= maximumLength else {
            throw DeviceError(.invalidConfiguration, "The list of faults is longer than \(maximumLength) bytes.")
        }
        var clauses: [FaultClause] = []
        for word in text.split(separator: ",") { clauses.append(try FaultClause(word, counting: counting)) }
        guard !clauses.isEmpty else { throw wrong(text, "names no fault") }
        return clauses
    }

    /// Reads one fault.
    package init(_ word: Substring, counting: String? = nil) throws(DeviceError) {
        var rest = word.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        let text = String(rest.prefix(Self.maximumLength))
        var moment = FaultMoment.start
        var duration: Double?
        // The name of what it happens to may have an @ in it.
        let tail = rest[(rest.lastIndex(of: ")") ?? rest.startIndex)...]
        if let at = tail.lastIndex(of: "@") {
            let parts = rest[rest.index(after: at)...].split(
                separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
            moment = try Self.moment(parts.first ?? "", counting, of: text)
            if parts.count == 2 { duration = try Self.seconds(parts[1], of: text) }
            rest = rest[..<at]
        }
        var target: String?
        if rest.last == ")" {
            guard let open = rest.firstIndex(of: "("), rest.distance(from: open, to: rest.endIndex) > 2 else {
                throw Self.wrong(text, "names no device or sensor between its parentheses")
            }
            target = String(rest[rest.index(after: open)...].dropLast())
            rest = rest[..<open]
        }
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        self.text = text
        name = String(parts.first ?? "")
        value = parts.count == 2 ? String(parts[1]) : nil
        self.target = target
        self.moment = moment
        self.duration = duration
    }

    /// The error of a fault that cannot be used.
    package func wrong(_ reason: String) -> DeviceError { Self.wrong(text, reason) }

    /// The error of a fault that cannot be used, written so.
    package static func wrong(_ text: String, _ reason: String) -> DeviceError {
        DeviceError(.invalidConfiguration, "The fault \"\(text.prefix(200))\" cannot be used: it \(reason).")
    }

    private static func moment(
        _ word: Substring, _ counting: String?, of text: String
    ) throws(DeviceError) -> FaultMoment {
        guard word.first == "#" else { return .seconds(try seconds(word, of: text)) }
        guard let counting else { throw wrong(text, "needs a time such as 2.5s, for nothing is counted here") }
        guard let number = Int64(word.dropFirst()), number >= 0 else {
            throw wrong(text, "needs the number of \(counting) behind #")
        }
        return .reading(number)
    }

    static func seconds(_ word: Substring, of text: String) throws(DeviceError) -> Double {
        let digits: Substring
        let unit: Double
        if word.hasSuffix("ms") {
            (digits, unit) = (word.dropLast(2), 1e-3)
        } else if word.hasSuffix("s") {
            (digits, unit) = (word.dropLast(), 1)
        } else {
            throw wrong(text, "needs a time with its unit, such as 2.5s or 300ms, not \"\(word.prefix(40))\"")
        }
        guard let first = digits.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9"),
            let number = Double(digits), number.isFinite, number * unit <= 1e6
        else { throw wrong(text, "needs a time from 0 to 1000000 s, not \"\(word.prefix(40))\"") }
        return number * unit
    }
}
