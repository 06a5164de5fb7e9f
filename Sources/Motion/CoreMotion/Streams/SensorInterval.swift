// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an interval that a program wrote means for the sensor.
enum SensorInterval {
    /// Nobody waits for longer than a day; it also keeps the infinite interval a very slow one.
    static let longest: TimeInterval = 86_400

    /// Seconds between readings; 0 for the fastest that the sensor can do, which is what 0, less and NaN ask for.
    ///
    /// The source holds it to what the sensor offers.
    static func effective(_ interval: TimeInterval) -> TimeInterval {
        interval > 0 ? min(interval, longest) : 0
    }
}
