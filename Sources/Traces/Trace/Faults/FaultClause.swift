// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The moment at which a fault happens.
public enum FaultMoment: Sendable, Hashable {
    /// Immediately.
    case start
    /// The number of seconds after the start.
    case seconds(Double)
    /// Before the reading with this index; the first reading is 0.
    case reading(Int64)
}

/// One fault of a list in text form: `name[=value][(target)][@when[+duration]]`, as in
/// `stuck=3(accelerometer)@2.5s+300ms`.
///
/// This type defines the common syntax. The code that injects the faults defines the names, values and targets.
package struct FaultClause: Sendable, Hashable {
    /// The maximum length of a list in bytes.
    package static let maximumLength = 10_000

    /// The complete text of the fault, for messages.
    package let text: String
    /// The name of the fault.
    package let name: String
    /// The text after the equals sign; nil if there is none.
    package let value: String?
    /// The device or sensor to which the fault applies; nil for all.
    package let target: String?
    /// The moment at which the fault happens.
    package let moment: FaultMoment
    /// The duration in seconds; nil if the text contains none.
    package let duration: Double?

    /// Parses a list of faults separated by commas. Throws an error if the list is empty, because a test without faults
    /// is most likely a mistake.
    ///
    /// - Parameter counting: The unit of the number after `#` in messages, for example "a sample"; nil if `#` is not
    ///   supported.
    package static func list(_ text: String, counting: String? = nil) throws(DeviceError) -> [FaultClause] {
        guard text.utf8.count <= maximumLength else {
            throw DeviceError(.invalidConfiguration, "The list of faults is longer than \(maximumLength) bytes.")
        }
        var clauses: [FaultClause] = []
        for word in text.split(separator: ",") { clauses.append(try FaultClause(word, counting: counting)) }
        guard !clauses.isEmpty else { throw error(text, "names no fault") }
        return clauses
    }

    /// Parses one fault.
    package init(_ word: Substring, counting: String? = nil) throws(DeviceError) {
        var rest = word.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        let text = String(rest.prefix(Self.maximumLength))
        var moment = FaultMoment.start
        var duration: Double?
        // The target may contain an "@".
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
                throw Self.error(text, "names no device or sensor in its parentheses")
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

    /// Creates the error for a fault that cannot be used.
    package func error(_ reason: String) -> DeviceError { Self.error(text, reason) }

    /// Creates the error for a fault with this text that cannot be used.
    package static func error(_ text: String, _ reason: String) -> DeviceError {
        DeviceError(.invalidConfiguration, "The fault \"\(text.prefix(200))\" is invalid: it \(reason).")
    }

    private static func moment(
        _ word: Substring, _ counting: String?, of text: String
    ) throws(DeviceError) -> FaultMoment {
        guard word.first == "#" else { return .seconds(try seconds(word, of: text)) }
        guard let counting else { throw error(text, "needs a time such as 2.5s, because # is not supported here") }
        guard let number = Int64(word.dropFirst()), number >= 0 else {
            throw error(text, "needs the number of \(counting) after #")
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
            throw error(text, "needs a time with a unit, such as 2.5s or 300ms, not \"\(word.prefix(40))\"")
        }
        guard let first = digits.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9"),
            let number = Double(digits), number.isFinite, number * unit <= 1e6
        else { throw error(text, "needs a time from 0 to 1000000 s, not \"\(word.prefix(40))\"") }
        return number * unit
    }
}
