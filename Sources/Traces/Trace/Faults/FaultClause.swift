// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The moment at which a fault occurs.
public enum FaultMoment: Sendable, Hashable {
    /// The fault occurs at the start.
    case start
    /// The fault occurs after this number of seconds.
    case seconds(Double)
    /// The fault occurs before the reading with this index, counted from 0.
    case reading(Int64)
}

/// A fault written as `name[=value][(target)][@when[+duration]]`, for example `stuck=3(accelerometer)@2.5s+300ms`.
///
/// This type defines the common syntax. The code that injects the faults defines the names, values and targets.
package struct FaultClause: Sendable, Hashable {
    /// The maximum length of a list in bytes.
    package static let maximumLength = 10_000
    /// The full text of the fault, to be quoted in error messages.
    package let text: String
    package let name: String
    package let value: String?
    /// The affected device or sensor, or nil if all are affected.
    package let target: String?
    package let moment: FaultMoment
    /// The duration in seconds, or nil if none is given.
    package let duration: Double?

    /// Parses a comma-separated list of faults. An empty list is an error, because it is probably a mistake.
    ///
    /// - Parameters:
    ///   - counting: The kind of item that the number after `#` refers to, as worded in error messages, for example
    ///     "a report", or nil if `#` is not supported.
    ///   - start: The civil time at the start, from which dates are measured, or nil if dates are not supported.
    package static func list(
        _ text: String, counting: String? = nil, start: WallTime? = nil
    ) throws(DeviceError) -> [FaultClause] {
        guard text.utf8.count <= maximumLength else {
            throw DeviceError(.invalidConfiguration, "The list of faults is longer than \(maximumLength) bytes.")
        }
        var clauses: [FaultClause] = []
        for word in text.split(separator: ",") {
            clauses.append(try FaultClause(word, counting: counting, start: start))
        }
        guard !clauses.isEmpty else { throw error(text, "names no fault") }
        return clauses
    }

    package init(_ word: Substring, counting: String? = nil, start: WallTime? = nil) throws(DeviceError) {
        var rest = word.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        let text = String(rest.prefix(Self.maximumLength))
        var moment = FaultMoment.start
        var duration: Double?
        // Searches for "@" only after the closing parenthesis, because the target may contain "@" as well.
        let tail = rest[(rest.lastIndex(of: ")") ?? rest.startIndex)...]
        if let at = tail.lastIndex(of: "@") {
            let parts = rest[rest.index(after: at)...].split(
                separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
            moment = try Self.moment(parts.first ?? "", counting, start, of: text)
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
        (self.target, self.moment, self.duration) = (target, moment, duration)
    }

    package func error(_ reason: String) -> DeviceError { Self.error(text, reason) }

    /// Returns the error for a fault whose name is none of the given names.
    package func unknownName(among names: [String]) -> DeviceError {
        var error = error("is not one of \(names.joined(separator: ", "))")
        error.message += NameSuggestion.question(name, among: names)
        return error
    }

    package static func error(_ text: String, _ reason: String) -> DeviceError {
        DeviceError(.invalidConfiguration, "The fault \"\(text.prefix(200))\" is invalid: it \(reason).")
    }

    private static func moment(
        _ word: Substring, _ counting: String?, _ start: WallTime?, of text: String
    ) throws(DeviceError) -> FaultMoment {
        if let date = TimeText.date(word) {
            guard let start, date >= start else {
                let reason = start == nil ? "which is unknown here" : "because the date is before it"
                throw error(text, "needs a time since the start, \(reason), such as \(TimeText.durationForms)")
            }
            return .seconds(date.seconds(since: start))
        }
        guard word.first == "#" else { return .seconds(try seconds(word, of: text)) }
        guard let counting else {
            throw error(text, "needs a time such as \(TimeText.durationForms), because # is not supported here")
        }
        guard let number = Int64(word.dropFirst()), number >= 0 else {
            throw error(text, "needs the number of \(counting) after #")
        }
        return .reading(number)
    }

    static func seconds(_ word: Substring, of text: String) throws(DeviceError) -> Double {
        guard let seconds = TimeText.seconds(word) else {
            throw error(text, "needs a time such as \(TimeText.durationForms), not \"\(word.prefix(40))\"")
        }
        guard seconds <= 1e6 else {
            throw error(text, "needs a time from 0 to 1000000 s, not \"\(word.prefix(40))\"")
        }
        return seconds
    }
}

extension FaultClause {
    package func requiredValue() throws(DeviceError) -> String {
        guard let value, !value.isEmpty else { throw error("needs a value, as in \(name)=…") }
        return value
    }

    package func number(in range: ClosedRange<Double>) throws(DeviceError) -> Double {
        guard let value, let number = Double(value), range.contains(number) else {
            throw error("needs a number from \(range.lowerBound) to \(range.upperBound), as in \(name)=…")
        }
        return number
    }

    /// Returns the value as an integer whose magnitude is at most 1,000,000.
    package func integer() throws(DeviceError) -> Int {
        let value = try requiredValue()
        guard let number = Int(value), number.magnitude <= 1_000_000 else {
            throw error("needs an integer of at most 1000000, not \"\(value.prefix(40))\"")
        }
        return number
    }

    /// Returns the value in seconds. A sign, as in `-2s`, is allowed only if `isSigned` is true.
    package func seconds(isSigned: Bool = false) throws(DeviceError) -> Double {
        guard let value else { throw error("needs a value that is a time, as in \(name)=300ms") }
        guard isSigned, let sign = value.first, sign == "-" || sign == "+" else {
            return try Self.seconds(value[...], of: text)
        }
        let seconds = try Self.seconds(value.dropFirst(), of: text)
        return sign == "-" ? -seconds : seconds
    }

    /// Parses the value as numbers separated by slashes, as in `0.3/0/-0.1`. The maximum magnitude is 1e9.
    package func numbers(_ count: Int) throws(DeviceError) -> [Double] {
        let words = (value ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Double($0) }.filter { $0.magnitude <= 1e9 }
        guard words.count == count, numbers.count == count else {
            throw error("needs \(count) numbers separated by slashes, as in \(name)=0.3/0/-0.1")
        }
        return numbers
    }

    package func requireNoValue() throws(DeviceError) { if value != nil { throw error("accepts no value") } }

    package func requireNoDuration() throws(DeviceError) {
        if duration != nil { throw error("accepts no duration, because it is instantaneous") }
    }
}
