// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// An instant of civil time: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The range is the years 1678 to 2261. It needs no Foundation; the frameworks convert it to `Date`.
public struct WallTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since 1970-01-01T00:00:00Z; negative before.
    public var nanoseconds: Int64

    /// The instant that many nanoseconds after 1970-01-01T00:00:00Z.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

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
