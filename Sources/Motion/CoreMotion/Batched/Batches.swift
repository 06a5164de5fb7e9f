// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What batches have in common.
enum Batches {
    /// Seconds of values in a batch.
    static let length = 1.0
    /// More batches than this do not wait: the oldest are dropped.
    static let limit = 16
    /// Accelerometer readings a second that are asked for at most, as on Apple's hardware; a faster sensor gives this many.
    static let accelerometerRate = 800.0
    /// Device motions a second that are asked for at most, as on Apple's hardware.
    static let deviceMotionRate = 200.0

    static var accelerometerInterval: Double { 1 / accelerometerRate }
    static var deviceMotionInterval: Double { 1 / deviceMotionRate }
}

extension Device {
    /// The values a second in batches: the sensor's greatest rate up to the limit, else what was measured.
    func batchFrequency(of kind: SensorKind, limit: Double) -> Int {
        guard let sensor = sensor(kind) else { return 0 }
        guard let rate = sensor.rates.greatest ?? motionSource.measuredRate(of: sensor.id), rate.isFinite else {
            return 0
        }
        return Int(max(0, min(rate, limit)).rounded())
    }
}
