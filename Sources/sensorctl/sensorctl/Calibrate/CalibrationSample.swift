// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A reading on its way to a calibration.
struct CalibrationSample: Sendable {
    var kind: SensorKind
    /// m/s², rad/s or gauss.
    var value: SIMD3<Double>
    /// Seconds on the device's clock.
    var seconds: Double
}
