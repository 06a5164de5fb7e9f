// SPDX-License-Identifier: Apache-2.0

/// Separates an acceleration into gravity and user acceleration with a low-pass filter, for boards without a gyroscope.
/// With a gyroscope, use an ``AttitudeFilter`` instead.
///
/// Gravity is the low-pass-filtered acceleration, and the user acceleration is the remainder. The outputs have the
/// unit, axes and sign of the input. A low-pass filter cannot distinguish rotation from acceleration. While a device
/// rotates, the estimated gravity lags behind. A sustained acceleration, as in a car that is speeding up, appears as
/// gravity.
///
/// The default time constant is 0.2 s. The common smoothing factor of 0.1 has a similar time constant at 50 Hz, 0.19 s.
/// Smaller values make the direction of gravity less accurate. Values up to 1 s do not improve the direction, but
/// increase the lag during rotation.
///
/// The first sample is used as gravity. An acceleration with an infinite or NaN component leaves both parts unchanged.
/// If the interval is zero, negative or NaN, gravity remains unchanged, and the user acceleration is the acceleration
/// minus gravity.
public struct GravitySeparator: SampleFilter {
    // Exactly one of the filters is not nil.
    private var onePole: LowPassFilter?
    private var butterworth: ButterworthLowPassFilter?
    /// The two parts of the latest acceleration. Both are zero before the first sample.
    public private(set) var value = SeparatedAcceleration(gravity: .zero, userAcceleration: .zero)

    /// Creates a separator with a one-pole filter.
    ///
    /// - Parameter timeConstant: The time constant in seconds. See ``LowPassFilter/init(timeConstant:startingAt:)``.
    public init(timeConstant: Double = 0.2) { onePole = LowPassFilter(timeConstant: timeConstant) }

    /// Creates a separator with a second-order Butterworth filter. It removes shaking and steps from gravity better
    /// than a one-pole filter, but lags more when the device rotates.
    ///
    /// - Parameter cutoff: The cutoff frequency in hertz. See ``ButterworthLowPassFilter/init(cutoff:startingAt:)``.
    public init(butterworthCutoff cutoff: Double) { butterworth = ButterworthLowPassFilter(cutoff: cutoff) }

    /// Processes an acceleration and returns its two parts. `interval`, the time since the previous sample in seconds,
    /// is ignored for the first sample.
    public mutating func update(_ total: SIMD3<Double>, interval: Double) -> SeparatedAcceleration {
        let gravity =
            onePole?.update(total, interval: interval) ?? butterworth?.update(total, interval: interval) ?? .zero
        let rest = total - gravity
        guard rest.isFinite else { return value }
        value = SeparatedAcceleration(gravity: gravity, userAcceleration: rest)
        return value
    }

    /// Resets the separator. Gravity starts from `start`, or from the next sample if `start` is nil, infinite or NaN.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        onePole?.reset(to: start)
        butterworth?.reset(to: start)
        value = SeparatedAcceleration(gravity: .zero, userAcceleration: .zero)
    }
}

/// An acceleration separated into two parts, which have the unit and sign of the input.
public struct SeparatedAcceleration: Sendable, Equatable {
    /// The slowly changing part of the acceleration.
    public var gravity: SIMD3<Double>
    /// The remaining part of the acceleration, which the user imparts to the device.
    public var userAcceleration: SIMD3<Double>

    package init(gravity: SIMD3<Double>, userAcceleration: SIMD3<Double>) {
        (self.gravity, self.userAcceleration) = (gravity, userAcceleration)
    }
}
