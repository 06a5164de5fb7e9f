// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A reading that takes part in a fit.
struct MagneticSample: Sendable, Equatable {
    var field: SIMD3<Double>
    /// From the device's axes to earth axes of arbitrary heading; identity when there is no gyroscope.
    var attitude: Quaternion
    /// Radians per second, device axes.
    var rate: SIMD3<Double>
    /// Samples of one window share one heading error of the attitude.
    var window: Int
    /// Counts up: which of two samples is older.
    var age: Int64
    /// Where the device pointed, as an index.
    var cell: Int
}
