// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension FaultClause {
    /// Returns the value; throws an error if it is missing or empty.
    package func requiredValue() throws(DeviceError) -> String {
        guard let value, !value.isEmpty else { throw error("needs a value, as in \(name)=…") }
        return value
    }

    /// Returns the value as a number in the range.
    package func number(in range: ClosedRange<Double>) throws(DeviceError) -> Double {
        guard let value, let number = Double(value), range.contains(number) else {
            throw error("needs a number from \(range.lowerBound) to \(range.upperBound), as in \(name)=…")
        }
        return number
    }

    /// Returns the value as an integer of magnitude 1,000,000 or less.
    package func integer() throws(DeviceError) -> Int {
        let value = try requiredValue()
        guard let number = Int(value), number.magnitude <= 1_000_000 else {
            throw error("needs an integer of at most 1000000, not \"\(value.prefix(40))\"")
        }
        return number
    }

    /// Returns the value as a time in seconds.
    ///
    /// - Parameter isSigned: Whether the value may have a sign, as in `-2s`.
    package func seconds(isSigned: Bool = false) throws(DeviceError) -> Double {
        guard let value else { throw error("needs a value that is a time, as in \(name)=300ms") }
        guard isSigned, let sign = value.first, sign == "-" || sign == "+" else {
            return try Self.seconds(value[...], of: text)
        }
        let seconds = try Self.seconds(value.dropFirst(), of: text)
        return sign == "-" ? -seconds : seconds
    }

    /// Returns the value as numbers separated by slashes, as in `0.3/0/-0.1`. The maximum magnitude is 1e9.
    package func numbers(_ count: Int) throws(DeviceError) -> [Double] {
        let words = (value ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Double($0) }.filter { $0.magnitude <= 1e9 }
        guard words.count == count, numbers.count == count else {
            throw error("needs \(count) numbers separated by slashes, as in \(name)=0.3/0/-0.1")
        }
        return numbers
    }

    /// Throws an error if the fault has a value.
    package func requireNoValue() throws(DeviceError) {
        if value != nil { throw error("accepts no value") }
    }

    /// Throws an error if the fault has a duration. Called for faults that do not end by themselves.
    package func requireNoDuration() throws(DeviceError) {
        if duration != nil { throw error("accepts no duration, because it is instantaneous") }
    }
}
