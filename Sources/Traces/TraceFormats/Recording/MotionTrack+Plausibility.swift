// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension MotionTrack {
    /// The minimum number of readings for a remark.
    private static let minimumCount = 5

    /// Returns a remark about readings that are implausible on Earth, for example because of a wrong unit; nil if they
    /// are plausible.
    ///
    /// - At rest an accelerometer reads 9.8 m/s². The median magnitude of a carried device is between 4 and 40 m/s².
    /// - Gyroscopes of phones and boards measure up to 2000 degrees per second, which is 35 rad/s.
    /// - Air pressure is 31 kPa on Mount Everest and at most 108 kPa at sea level.
    /// - The Earth's magnetic field is 0.22 to 0.67 gauss. Near iron it may be several times that.
    ///
    /// - Parameter unitHint: Returns advice on how to set the unit of a quantity.
    func plausibilityRemark(unitHint: (_ quantity: String, _ unit: String) -> String) -> String? {
        guard count >= Self.minimumCount else { return nil }
        let sorted = magnitudes.sorted()
        let median = sorted[sorted.count / 2]
        func rounded(_ value: Double) -> String {
            value == 0
                ? "0"
                : value.magnitude < 0.001 || value.magnitude >= 1e6 ? "\(value)" : "\((value * 1000).rounded() / 1000)"
        }
        switch sensor.kind {
        case .accelerometer where median < 4:
            return
                "The acceleration has a median of \(rounded(median)) m/s²; at rest it should be 9.8. Is it in g, or without gravity? \(unitHint("accel.x", "g"))"
        case .accelerometer where median > 40:
            return
                "The acceleration has a median of \(rounded(median)) m/s²; at rest it should be 9.8. Is it in mg or cm/s²? \(unitHint("accel.x", "mg"))"
        case .gyroscope where sorted[sorted.count * 95 / 100] > 40:
            return
                "The angular rate reaches \(rounded(sorted[sorted.count * 95 / 100])) rad/s; gyroscopes measure up to about 35. Is it in degrees per second? \(unitHint("gyro.x", "deg/s"))"
        case .pressure where median > 120:
            return
                "The air pressure has a median of \(rounded(median)) kPa; on Earth it is 30 to 110. Is it in \(median > 10_000 ? "Pa" : "hPa")? \(unitHint("pressure", median > 10_000 ? "Pa" : "hPa"))"
        case .pressure where median < 25:
            return
                "The air pressure has a median of \(rounded(median)) kPa; on Earth it is 30 to 110. Is it in bar or another unit?"
        case .magnetometer where median > 5 || median < 0.02:
            return
                "The magnetic field has a median of \(rounded(median)) gauss; the Earth's is 0.22 to 0.67. Is it in another unit? \(unitHint("mag.x", median > 5 ? "nT" : "G"))"
        default: return nil
        }
    }

    /// The magnitudes of about a thousand readings, evenly sampled.
    private var magnitudes: [Double] {
        stride(from: 0, to: count, by: max(count / 1000, 1)).map { index in
            let value = values[index]
            return (value * value).sum().squareRoot()
        }
    }
}
