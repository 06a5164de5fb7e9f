// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// Nanoseconds for a number of seconds, held at the ends of the range; nil when it is not a number.
    package init?(saturatingSeconds seconds: Double) {
        guard !seconds.isNaN else { return nil }
        let scaled = (seconds * 1e9).rounded()
        // 9.2e18 is below Int64.max and exactly representable: beyond it a conversion could trap.
        if scaled >= 9.2e18 {
            self = .max
        } else if scaled <= -9.2e18 {
            self = .min
        } else {
            self = Int64(scaled)
        }
    }

    /// The sum, held at the ends of the range.
    @inlinable package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, held at the ends of the range.
    @inlinable package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
