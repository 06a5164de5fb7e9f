// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import SensorFusion

/// The device's attitude, computed once for all who ask: one filter and one calibrator.
///
/// It runs while somebody has subscribed. States reach subscribers on the motion source's threads, in order.
public final class MotionEngine: Sendable {
    private let source: any MotionSource

    /// The engine of that device.
    public static func of(_ device: Device) -> MotionEngine {
        device.component(MotionEngine.self) { MotionEngine(device: $0) }
    }

    init(device: Device) {
        source = device.motionSource
    }

    /// Hands states to the closure, on the motion source's threads and in order, until the subscription ends.
    public func subscribe(
        _ request: FusionRequest, receive: @escaping @Sendable (FusionEvent) -> Void
    ) -> Subscription {
        Subscription {}
    }

    /// True when the device has what it takes now: an accelerometer; for an attitude a gyroscope as well; for a heading
    /// a magnetometer as well (without a gyroscope, accelerometer and magnetometer do).
    public func isAvailable(_ need: FusionRequest.Need) -> Bool {
        false
    }

    /// How far the calibration of the magnetometer has come.
    public var magneticCalibration: MagneticCalibration { MagneticCalibration() }

    /// Radians per second, the gyroscope's bias as it is known now, and the standard deviation of each axis; nil before
    /// the first sample.
    public var gyroscopeBias: (bias: SIMD3<Double>, sigma: Double)? { nil }
}
