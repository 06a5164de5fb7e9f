// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension FaultClause {
    /// The value of a fault that cannot be without one.
    package func neededValue() throws(DeviceError) -> String {
        guard let value, !value.isEmpty else { throw wrong("needs a value, as in \(name)=…") }
        return value
    }

    /// The value as a number in that range.
    package func number(in range: ClosedRange<Double>) throws(DeviceError) -> Double {
        guard let value, let number = Double(value), range.contains(number) else {
            throw wrong("needs a number from \(range.lowerBound) to \(range.upperBound), as in \(name)=…")
        }
        return number
    }

    /// The value as a whole number of at most a million in magnitude.
    package func wholeNumber() throws(DeviceError) -> Int {
        let value = try neededValue()
        guard let number = Int(value), number.magnitude <= 1_000_000 else {
            throw wrong("needs a whole number up to 1000000, not \"\(value.prefix(40))\"")
        }
        return number
    }

    /// The value as a time, in seconds.
    /// - Parameter isSigned: Whether it may go back, as in `-2s`.
    package func seconds(isSigned: Bool = false) throws(DeviceError) -> Double {
        guard let value else { throw wrong("needs a value, a time as in \(name)=300ms") }
        guard isSigned, let sign = value.first, sign == "-" || sign == "+" else {
            return try Self.seconds(value[...], of: text)
        }
        let seconds = try Self.seconds(value.dropFirst(), of: text)
        return sign == "-" ? -seconds : seconds
    }

    /// The value as numbers parted by slashes, as in `0.3/0/-0.1`.
    package func numbers(_ count: Int) throws(DeviceError) -> [Double] {
        let words = (value ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Double($0) }.filter { $0.magnitude <= 1e9 }
        guard words.count == count, numbers.count == count else {
            throw wrong("needs \(count) numbers with slashes between them, as in \(name)=0.3/0/-0.1")
        }
        return numbers
    }

    /// Refuses a value where none belongs.
    package func refuseValue() throws(DeviceError) {
        if value != nil { throw wrong("takes no value") }
    }

    /// Refuses a duration for what does not last.
    package func refuseDuration() throws(DeviceError) {
        if duration != nil { throw wrong("takes no duration, for it does not end by itself") }
    }
}
