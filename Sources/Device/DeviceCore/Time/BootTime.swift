// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A point on the clock that starts at boot and goes on through suspend (CLOCK_BOOTTIME), in nanoseconds.
public struct BootTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// The point that many nanoseconds after boot.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

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
