// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// A parsed message on a board's topic.
package enum OwnTracksMessage: Sendable {
    case location(OwnTracksLocation)
    /// The board's last will, which the broker publishes after losing its connection to the board.
    case will
    case other
    case malformed(String)

    /// The maximum size of a message, in bytes.
    package static let limit = 65_536

    package init(_ payload: UnsafeRawBufferPointer) {
        guard payload.count <= Self.limit else {
            self = .malformed("a message has \(payload.count) bytes, but the limit is \(Self.limit)")
            return
        }
        do throws(JSONError) {
            self = try Self.read(payload)
        } catch {
            self = .malformed("a message is not OwnTracks JSON (\(error))")
        }
    }

    private static func read(_ payload: UnsafeRawBufferPointer) throws(JSONError) -> OwnTracksMessage {
        var reader = JSONReader(payload)
        var location = OwnTracksLocation(latitude: .nan, longitude: .nan, time: .epoch)
        var type: String?
        var seconds = Double.nan
        var milliseconds: Int64?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("_type"): type = try reader.textIfPresent()?.string()
            case JSONText.word("lat"): location.latitude = try reader.doubleIfPresent()
            case JSONText.word("lon"): location.longitude = try reader.doubleIfPresent()
            case JSONText.word("tst"): seconds = try reader.doubleIfPresent()
            case JSONText.word("tst_ms"): milliseconds = try reader.int64IfPresent()
            case JSONText.word("acc"): location.accuracy = try reader.doubleIfPresent()
            case JSONText.word("alt"): location.altitude = try reader.doubleIfPresent()
            case JSONText.word("vac"): location.verticalAccuracy = try reader.doubleIfPresent()
            case JSONText.word("vel"): location.velocity = try reader.doubleIfPresent()
            case JSONText.word("cog"): location.course = try reader.doubleIfPresent()
            default: try reader.skipValue()
            }
        }
        try reader.finish()
        switch type {
        case "location": return validated(location, seconds: seconds, milliseconds: milliseconds)
        case "lwt": return .will
        case nil: return .malformed("a message has no _type")
        default: return .other
        }
    }

    /// Sets the location's time, and replaces out-of-range optional values with NaN. If you extend `read` to parse
    /// another optional value, validate it here.
    private static func validated(
        _ parsed: OwnTracksLocation, seconds: Double, milliseconds: Int64?
    ) -> OwnTracksMessage {
        var location = parsed
        // Comparisons with NaN are false, so this check also rejects missing values.
        guard abs(location.latitude) <= 90, abs(location.longitude) <= 180 else {
            return .malformed("lat and lon are not a valid position")
        }
        // The upper limit is a time in 2261, shortly before the end of `WallTime`'s range. The time 0 is not valid.
        guard seconds >= 1, seconds < 9.2e9, let whole = WallTime(seconds: seconds) else {
            return .malformed("tst is not a valid time in seconds since 1970")
        }
        location.time = whole
        if let milliseconds, milliseconds / 1000 == Int64(seconds) {
            location.time = WallTime(nanoseconds: milliseconds * 1_000_000)
        }
        if !(0..<1e9).contains(location.accuracy) { location.accuracy = .nan }
        if !(abs(location.altitude) < 1e9) { location.altitude = .nan }
        if !(0..<1e9).contains(location.verticalAccuracy) { location.verticalAccuracy = .nan }
        // Phones send -1 for an unknown velocity.
        if !(0..<1e6).contains(location.velocity) { location.velocity = .nan }
        if !(0...360).contains(location.course) { location.course = .nan }
        return .location(location)
    }
}
