// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// Stands in until SensorFusion has one: readings are used as the start calibration has them.
struct MagnetometerCalibrator: Sendable {
    let calibration: MagneticCalibration

    init(start: MagneticCalibration? = nil) {
        calibration = start ?? MagneticCalibration()
    }

    var candidate: MagneticCalibration { calibration }

    mutating func update(_ measured: SIMD3<Double>, attitude: Quaternion?, timestamp: Double) -> Bool { false }

    mutating func expectField(strength: Double, dip: Double) {}
}
