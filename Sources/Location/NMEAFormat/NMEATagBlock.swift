// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// What a tag block says: `s:` the source, `c:` seconds or milliseconds since 1970.
package struct NMEATagBlock {
    private(set) var source: UnsafeRawBufferPointer?
    private(set) var time: WallTime?

    init(_ bytes: UnsafeRawBufferPointer) {
        for field in bytes.split(separator: UInt8(ascii: ",")) {
            guard field.count > 2, field[field.startIndex + 1] == UInt8(ascii: ":") else { continue }
            let value = UnsafeRawBufferPointer(rebasing: field.dropFirst(2))
            switch field[field.startIndex] {
            case UInt8(ascii: "s"): source = value
            case UInt8(ascii: "c"): time = Self.time(value)
            default: break
            }
        }
    }

    /// An instant of seconds or milliseconds since 1970: digits and nothing else. Nil for other text, and for what no
    /// clock can show.
    package static func time(_ value: UnsafeRawBufferPointer) -> WallTime? {
        var digits = DecimalDigits()
        // Beyond this, in the year 5138, they are milliseconds.
        guard digits.readWhole(value) else { return nil }
        let isMilliseconds = digits.mantissa >= 100_000_000_000
        let unit: Int64 = isMilliseconds ? 1_000_000 : 1_000_000_000
        guard let count = Int64(exactly: digits.mantissa), count <= Int64.max / unit else { return nil }
        return WallTime(nanoseconds: count * unit)
    }
}
