// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Writes reports as gpsd does: compact JSON, its order of keys, its decimals, and nothing of what is not known.
///
/// Each function returns one line without a line end. Numbers that are not finite or 1e15 and more are left out.
public enum GPSDEncoder {
    /// Adds members to an object.
    struct Members {
        var writer = JSONWriter()

        init(_ name: StaticString) {
            writer.beginObject()
            writer.member("class", name.description)
        }

        mutating func text(_ key: StaticString, _ value: String) { writer.memberUnlessEmpty(key, value) }

        mutating func time(_ key: StaticString, _ value: WallTime?) {
            writer.memberIfPresent(key, value.map { CivilDate($0).iso8601(decimals: 3) })
        }

        mutating func number(_ key: StaticString, _ value: Double, decimals: Int) {
            guard value.magnitude < FixedDecimal.limit else { return }
            writer.key(key)
            writer.fixed(value, decimals: decimals)
        }

        mutating func count(_ key: StaticString, _ value: Int32) { writer.member(key, value) }

        /// Below zero stands for a number that the report does not have.
        mutating func countIfKnown(_ key: StaticString, _ value: Int32) {
            if value >= 0 { count(key, value) }
        }

        mutating func flag(_ key: StaticString, _ value: Bool) { writer.member(key, value) }

        consuming func line() -> [UInt8] {
            writer.endObject()
            return writer.bytes
        }
    }
}
