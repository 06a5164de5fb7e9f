// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

extension OwnTracksLocation {
    /// Encodes the location as one line of JSON.
    ///
    /// Numbers that OwnTracks documents as integers are written as integers, because its apps reject others. Accuracies
    /// are rounded up, so that no position appears more accurate than it is. `tst` is in seconds. The additional
    /// `tst_ms` is an extension of this package in milliseconds, for boards that report more than once per second.
    ///
    /// - Parameter tracker: The two characters that maps display (`tid`).
    package func json(tracker: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "location")
            writer.memberUnlessEmpty("tid", tracker)
            writer.key("lat")
            writer.fixed(latitude, decimals: 8)
            writer.key("lon")
            writer.fixed(longitude, decimals: 8)
            let milliseconds = time.nanoseconds.flooredQuotient(1_000_000)
            writer.member("tst", milliseconds.flooredQuotient(1000))
            if milliseconds % 1000 != 0 { writer.member("tst_ms", milliseconds) }
            writer.memberIfPresent("acc", Self.rounded(accuracy, .up, minimum: 0))
            writer.memberIfPresent("alt", Self.rounded(altitude, .toNearestOrAwayFromZero))
            writer.memberIfPresent("vac", Self.rounded(verticalAccuracy, .up, minimum: 0))
            writer.memberIfPresent("vel", Self.rounded(velocity, .toNearestOrAwayFromZero, minimum: 0))
            if let course = Self.rounded(course, .toNearestOrAwayFromZero, minimum: 0), course <= 360 {
                writer.member("cog", course % 360)
            }
        }
        return writer.bytes
    }

    /// Returns the rounded value; nil if it is NaN, less than `least` or greater than 1e9.
    private static func rounded(
        _ value: Double, _ rule: FloatingPointRoundingRule, minimum least: Double = -1e9
    ) -> Int64? {
        let rounded = value.rounded(rule)
        return value >= least && rounded <= 1e9 ? Int64(rounded) : nil
    }
}

extension Int64 {
    /// Returns the quotient, rounded toward negative infinity.
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

/// The message that the broker publishes if the connection of a board is lost (`"_type":"lwt"`).
package enum OwnTracksWill {
    /// Encodes the message.
    ///
    /// - Parameter connected: The time at which the board connected.
    package static func json(connected: WallTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "lwt")
            writer.member("tst", connected.nanoseconds.flooredQuotient(1_000_000_000))
        }
        return writer.bytes
    }
}
