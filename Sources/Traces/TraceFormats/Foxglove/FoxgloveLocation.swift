// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A message of the schema foxglove.LocationFix, as it is, whatever it was encoded in.
struct FoxgloveLocation {
    var time: WallTime?
    var frame = ""
    /// In degrees; NaN where the message has none.
    var latitude = Double.nan
    /// In degrees; NaN where the message has none.
    var longitude = Double.nan
    /// In metres; NaN where the message has none.
    var altitude = Double.nan
    /// In radians; NaN where the message has none.
    var heading = Double.nan
    /// East, north and up, in m/s; NaN where the message has none.
    var velocity = SIMD3<Double>(repeating: .nan)
    /// The covariance in m², row by row; nine numbers, or none that mean something.
    private(set) var covariance: [Double] = []
    /// 0 is one that is not known.
    var isCovarianceKnown = false

    /// Adds one of the covariance's numbers; more than nine are as wrong as ten.
    mutating func addCovariance(_ number: Double) {
        if covariance.count < 10 { covariance.append(number) }
    }

    /// The stamp of a message; nil outside of what a clock shows.
    static func time(seconds: Int64?, nanoseconds: Int64) -> WallTime? {
        guard let seconds, (0...9_000_000_000).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
            return nil
        }
        return WallTime(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
    }
}
