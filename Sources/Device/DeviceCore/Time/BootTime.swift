// SPDX-License-Identifier: Apache-2.0

/// A point on the clock that starts at boot and goes on through suspend (CLOCK_BOOTTIME), in nanoseconds.
public struct BootTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// The point that many nanoseconds after boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The start of the clock.
    public static let zero = BootTime(nanoseconds: 0)

    /// Later than everything; used for "no deadline".
    public static let never = BootTime(nanoseconds: .max)

    /// Seconds since boot.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Seconds from the other point to this one.
    public func seconds(since other: BootTime) -> Double {
        Double(nanoseconds.subtractingSaturated(other.nanoseconds)) / 1e9
    }

    /// The point that many seconds later, held at the ends of the range; what is not a number counts as no change.
    public func advanced(bySeconds seconds: Double) -> BootTime {
        BootTime(nanoseconds: nanoseconds.addingSaturated(Int64(saturatingSeconds: seconds) ?? 0))
    }

    /// True when the first point is the earlier.
    public static func < (left: BootTime, right: BootTime) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// An instant of civil time: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The range is the years 1678 to 2261. It needs no Foundation; the frameworks convert it to `Date`.
public struct WallTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since 1970-01-01T00:00:00Z; negative before.
    public var nanoseconds: Int64

    /// The instant that many nanoseconds after 1970-01-01T00:00:00Z.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The instant that many seconds after 1970-01-01T00:00:00Z, held at the ends of the range; nil when not finite.
    public init?(seconds: Double) {
        guard seconds.isFinite, let nanoseconds = Int64(saturatingSeconds: seconds) else { return nil }
        self.nanoseconds = nanoseconds
    }

    /// 1970-01-01T00:00:00Z.
    public static let epoch = WallTime(nanoseconds: 0)

    /// Seconds since 1970-01-01T00:00:00Z, rounded to the nearest Double.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Seconds from the other instant to this one; negative when this one is earlier.
    public func seconds(since other: WallTime) -> Double {
        Double(nanoseconds.subtractingSaturated(other.nanoseconds)) / 1e9
    }

    /// The instant that many seconds later, held at the ends of the range; what is not a number counts as no change.
    public func advanced(bySeconds seconds: Double) -> WallTime {
        WallTime(nanoseconds: nanoseconds.addingSaturated(Int64(saturatingSeconds: seconds) ?? 0))
    }

    /// True when the first instant is the earlier.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }
}

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
