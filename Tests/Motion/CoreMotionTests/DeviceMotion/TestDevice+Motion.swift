// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension TestDevice {
    /// Feeds evenly spaced readings of a device that lies face up with its top edge pointing north. Each timestamp has
    /// a reading of every sensor that the device has.
    func feedRest(count: Int, rate: Double, from seconds: Double = 0) {
        let kinds = hub.sensors.map(\.kind)
        for index in 0..<count {
            let time = seconds + Double(index) / rate
            if kinds.contains(.accelerometer) { feed(.accelerometer, [0, 0, 9.80665], at: time) }
            if kinds.contains(.magnetometer) { feed(.magnetometer, [0, 0.2, -0.43], at: time) }
            if kinds.contains(.gyroscope) { feed(.gyroscope, [0, 0, 0], at: time) }
        }
    }
}
