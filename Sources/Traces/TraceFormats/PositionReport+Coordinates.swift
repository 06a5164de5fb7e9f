// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension PositionReport {
    /// Latitude and longitude in degrees with at most seven decimals, for remarks.
    var coordinates: String {
        let (latitude, longitude) = ((latitude * 1e7).rounded() / 1e7, (longitude * 1e7).rounded() / 1e7)
        return "\(latitude), \(longitude)"
    }
}
