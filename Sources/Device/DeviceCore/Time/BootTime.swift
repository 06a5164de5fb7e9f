// SPDX-License-Identifier: Apache-2.0

/// A point in time on a clock that starts at boot and continues during suspend (CLOCK_BOOTTIME).
public struct BootTime: Sendable, Hashable, Comparable {
    /// The time since boot, in nanoseconds.
    public var nanoseconds: Int64

    /// Creates a time from nanoseconds since boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The start of the clock.
    public static let zero = BootTime(nanoseconds: 0)

    /// The latest possible time, used to mean "no deadline".
    package static let never = BootTime(nanoseconds: .max)

    /// The time since boot, in seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    package func seconds(since other: BootTime) -> Double {
        Double(nanoseconds.subtractingSaturated(other.nanoseconds)) / 1e9
    }

    /// Clamps the result to the range of the type. NaN counts as 0.
    package func advanced(bySeconds seconds: Double) -> BootTime {
        BootTime(nanoseconds: nanoseconds.addingSaturated(Int64(saturatingSeconds: seconds) ?? 0))
    }

    /// Returns true if the left-hand time is earlier.
    public static func < (left: BootTime, right: BootTime) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// A civil time, in nanoseconds since 1970-01-01T00:00:00Z, without leap seconds, for the years 1678 to 2261.
public struct WallTime: Sendable, Hashable, Comparable {
    /// The number of nanoseconds since 1970-01-01T00:00:00Z, negative for earlier times.
    public var nanoseconds: Int64

    /// Creates a time from nanoseconds since 1970-01-01T00:00:00Z.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Creates a time from seconds since ``epoch``. Times outside the range of the type are clamped to it. Returns nil
    /// if the number is not finite.
    public init?(seconds: Double) {
        guard seconds.isFinite, let nanoseconds = Int64(saturatingSeconds: seconds) else { return nil }
        self.nanoseconds = nanoseconds
    }

    /// The time 1970-01-01T00:00:00Z.
    public static let epoch = WallTime(nanoseconds: 0)

    /// The number of seconds since 1970-01-01T00:00:00Z, rounded to the nearest Double.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    package func seconds(since other: WallTime) -> Double {
        Double(nanoseconds.subtractingSaturated(other.nanoseconds)) / 1e9
    }

    /// Clamps the result to the range of the type. NaN counts as 0.
    package func advanced(bySeconds seconds: Double) -> WallTime {
        WallTime(nanoseconds: nanoseconds.addingSaturated(Int64(saturatingSeconds: seconds) ?? 0))
    }

    /// Returns true if the left-hand time is earlier.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension WallTime: CustomStringConvertible {
    /// The time in ISO 8601 format, in UTC, such as `2026-11-27T10:15:03.250Z`. If the time is not a whole number of
    /// milliseconds, it has nine decimals.
    public var description: String { CivilDate(self).iso8601(decimals: nanoseconds % 1_000_000 == 0 ? 3 : 9) }
}

extension Int64 {
    /// Converts seconds to nanoseconds, clamped to the range of Int64. Returns nil for NaN.
    package init?(saturatingSeconds seconds: Double) {
        guard !seconds.isNaN else { return nil }
        let scaled = (seconds * 1e9).rounded()
        // 9.2e18 is below Int64.max and exactly representable as a Double. Converting a larger value could trap.
        if scaled >= 9.2e18 {
            self = .max
        } else if scaled <= -9.2e18 {
            self = .min
        } else {
            self = Int64(scaled)
        }
    }

    @inlinable package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    @inlinable package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
