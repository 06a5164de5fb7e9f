// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension Device {
    /// Seconds between the readings that batches ask for.
    static var accelerometerBatchInterval: Double { 1 / SecondOfReadings.greatestRate }

    /// The readings a second in batches: the sensor's greatest rate up to the limit, else what was measured.
    var accelerometerBatchFrequency: Int {
        guard let sensor = sensor(.accelerometer) else { return 0 }
        guard let rate = sensor.rates.greatest ?? motionSource.measuredRate(of: sensor.id), rate.isFinite else {
            return 0
        }
        return Int(max(0, min(rate, SecondOfReadings.greatestRate)).rounded())
    }
}
