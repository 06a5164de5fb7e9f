// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// A parsed message on a board's topic.
package enum OwnTracksMessage: Sendable {
    case location(OwnTracksLocation)
    /// The board's last will, published after the board has lost its connection to the broker.
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

    /// The members of a message, which may occur in any order.
    private struct Fields {
        var type: String?
        var latitude = Double.nan
        var longitude = Double.nan
        var seconds = Double.nan
        var milliseconds: Int64?
        var accuracy = Double.nan
        var altitude = Double.nan
        var verticalAccuracy = Double.nan
        var velocity = Double.nan
        var course = Double.nan
    }

    private static func read(_ payload: UnsafeRawBufferPointer) throws(JSONError) -> OwnTracksMessage {
        var reader = JSONReader(payload)
        var fields = Fields()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("_type"): fields.type = try reader.textIfPresent()?.string()
            case JSONText.word("lat"): fields.latitude = try reader.doubleIfPresent()
            case JSONText.word("lon"): fields.longitude = try reader.doubleIfPresent()
            case JSONText.word("tst"): fields.seconds = try reader.doubleIfPresent()
            case JSONText.word("tst_ms"): fields.milliseconds = try reader.int64IfPresent()
            case JSONText.word("acc"): fields.accuracy = try reader.doubleIfPresent()
            case JSONText.word("alt"): fields.altitude = try reader.doubleIfPresent()
            case JSONText.word("vac"): fields.verticalAccuracy = try reader.doubleIfPresent()
            case JSONText.word("vel"): fields.velocity = try reader.doubleIfPresent()
            case JSONText.word("cog"): fields.course = try reader.doubleIfPresent()
            default: try reader.skipValue()
            }
        }
        try reader.finish()
        switch fields.type {
        case "location": return location(fields)
        case "lwt": return .will
        case nil: return .malformed("a message has no _type")
        default: return .other
        }
    }

    private static func location(_ fields: Fields) -> OwnTracksMessage {
        // Comparisons with NaN are false, so this check also rejects missing values.
        guard abs(fields.latitude) <= 90, abs(fields.longitude) <= 180 else {
            return .malformed("lat and lon are not a valid position")
        }
        // `WallTime` ends in 2261, and 0 is not a valid time.
        guard fields.seconds >= 1, fields.seconds < 9.2e9, let whole = WallTime(seconds: fields.seconds) else {
            return .malformed("tst is not a valid time in seconds since 1970")
        }
        var time = whole
        if let milliseconds = fields.milliseconds, milliseconds / 1000 == Int64(fields.seconds) {
            time = WallTime(nanoseconds: milliseconds * 1_000_000)
        }
        var location = OwnTracksLocation(latitude: fields.latitude, longitude: fields.longitude, time: time)
        if fields.accuracy >= 0, fields.accuracy < 1e9 { location.accuracy = fields.accuracy }
        if abs(fields.altitude) < 1e9 { location.altitude = fields.altitude }
        if fields.verticalAccuracy >= 0, fields.verticalAccuracy < 1e9 {
            location.verticalAccuracy = fields.verticalAccuracy
        }
        // Phones send -1 for an unknown velocity.
        if fields.velocity >= 0, fields.velocity < 1e6 { location.velocity = fields.velocity }
        if fields.course >= 0, fields.course <= 360 { location.course = fields.course }
        return .location(location)
    }
}
