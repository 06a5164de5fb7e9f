// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension CivilDate {
    /// `2026-11-21T03:05:09.000Z`: milliseconds, and more digits where they are not zero.
    var timestamp: String {
        var (fraction, decimals) = (nanosecond, 9)
        while decimals > 3, fraction % 10 == 0 { (fraction, decimals) = (fraction / 10, decimals - 1) }
        return iso8601(decimals: decimals)
    }

    /// `2026-11-21`
    var date: String { String(iso8601(decimals: 0).prefix(10)) }

    /// `03:05:09`
    var timeOfDay: String { String(iso8601(decimals: 0).dropFirst(11).dropLast()) }

    /// `03:05:09.1`
    var timeOfDayWithTenths: String { "\(timeOfDay).\(nanosecond / 100_000_000)" }
}
