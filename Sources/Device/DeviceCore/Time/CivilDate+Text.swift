// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CivilDate {
    /// Appends the time as gpsd, GPX and GeoJSON have it: `2021-06-16T23:46:05.800Z`. What the decimals do not show is
    /// cut off.
    /// - Parameter decimals: 0 to 9.
    package func appendISO8601(decimals: Int, to bytes: inout [UInt8]) {
        Self.append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        Self.append(hour, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(minute, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(second, digits: 2, to: &bytes)
        if decimals > 0 {
            bytes.append(UInt8(ascii: "."))
            var fraction = Int(nanosecond)
            for _ in min(decimals, 9)..<9 { fraction /= 10 }
            Self.append(fraction, digits: min(decimals, 9), to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    /// The same as a text of its own.
    package func iso8601(decimals: Int) -> String {
        var bytes: [UInt8] = []
        appendISO8601(decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a number with zeros before it, and not more than the last digits of it.
    package static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<max(digits, 1) { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: abs(value) / divisor % 10))
            divisor /= 10
        }
    }
}
