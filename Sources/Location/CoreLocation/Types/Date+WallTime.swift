// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension WallTime {
    /// Seconds since 2001-01-01T00:00:00Z, as `Date` counts, with one rounding only.
    var sinceReferenceDate: Double {
        let (seconds, nanoseconds) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(seconds - 978_307_200) + Double(nanoseconds) / 1e9
    }
}
