// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

extension OwnTracksLocation {
    /// The message, one line of JSON.
    ///
    /// Whole numbers stand where OwnTracks documents whole numbers, because its apps refuse others. An accuracy is rounded
    /// up, so that no position looks better than it is. `tst` is in whole seconds, too; `tst_ms` beside it is ours and has
    /// the milliseconds, for boards that report more often than once a second.
    ///
    /// - Parameter tracker: two characters that a map shows (`tid`).
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
            writer.memberIfPresent("acc", Self.whole(accuracy, .up, from: 0))
            writer.memberIfPresent("alt", Self.whole(altitude, .toNearestOrAwayFromZero))
            writer.memberIfPresent("vac", Self.whole(verticalAccuracy, .up, from: 0))
            writer.memberIfPresent("vel", Self.whole(velocity, .toNearestOrAwayFromZero, from: 0))
            if let course = Self.whole(course, .toNearestOrAwayFromZero, from: 0), course <= 360 {
                writer.member("cog", course % 360)
            }
        }
        return writer.bytes
    }

    /// The whole number; nil for what is none, too small, or so large that it means nothing.
    private static func whole(
        _ value: Double, _ rule: FloatingPointRoundingRule, from least: Double = -1e9
    ) -> Int64? {
        let rounded = value.rounded(rule)
        return value >= least && rounded <= 1e9 ? Int64(rounded) : nil
    }
}

extension Int64 {
    /// The quotient, rounded down also below zero.
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

/// What a broker publishes in the name of a board whose connection has broken off (`"_type":"lwt"`).
package enum OwnTracksWill {
    /// - Parameter connected: when the board connected.
    package static func json(connected: WallTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "lwt")
            writer.member("tst", connected.nanoseconds.flooredQuotient(1_000_000_000))
        }
        return writer.bytes
    }
}
