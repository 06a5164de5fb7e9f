// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Whole nanoseconds written as decimal seconds, every digit kept.
enum NanosecondText {
    /// Appends seconds with all nine decimals.
    static func append(_ nanoseconds: Int64, to bytes: inout [UInt8]) {
        if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        bytes.append(contentsOf: String(seconds).utf8)
        bytes.append(UInt8(ascii: "."))
        var unit: UInt64 = 100_000_000
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / unit % 10))
            unit /= 10
        }
    }
}
