// SPDX-License-Identifier: Apache-2.0

/// Separates an acceleration into gravity and user acceleration with a low-pass filter, without a gyroscope.
///
/// Gravity is the low-pass filtered acceleration, and the user acceleration is the difference, so that their sum equals
/// the input except for rounding. The outputs have the unit, axes and sign of the input.
///
/// A low-pass filter cannot distinguish rotation from acceleration. While a device rotates, the estimated gravity lags
/// behind, and the difference appears as user acceleration. An acceleration that lasts longer than the time constant,
/// as in a car that speeds up, appears as gravity. With a gyroscope, use an attitude filter instead. This type is for
/// boards with only an accelerometer.
///
/// The default time constant is 0.2 s. It corresponds to the common smoothing factor of 0.1 at 50 Hz (0.19 s). On
/// stairs, compared with the gravity reported by an iPhone in a trouser pocket, the direction is off by 18 degrees with
/// 0.05 s, by 15 degrees with 0.2 s, and not improved by values up to 1 s, whereas the lag during rotation grows with
/// the time constant.
///
/// The first sample is used as gravity. An acceleration with an infinite or NaN component is ignored: both parts remain
/// unchanged, initially zero. If only the interval is zero, negative or NaN, gravity remains unchanged, and the user
/// acceleration is the acceleration minus gravity.
public struct GravitySeparator: SampleFilter {
    // Exactly one of the filters is not nil.
    private var onePole: LowPassFilter?
    private var butterworth: ButterworthLowPassFilter?

    /// The two parts of the last sample; both are zero before the first sample.
    public private(set) var value = SeparatedAcceleration(gravity: .zero, userAcceleration: .zero)

    /// Creates a separator with a one-pole filter.
    ///
    /// - Parameter timeConstant: The time constant in seconds, see ``LowPassFilter/init(timeConstant:startingAt:)``.
    public init(timeConstant: Double = 0.2) { onePole = LowPassFilter(timeConstant: timeConstant) }

    /// Creates a separator with a second-order Butterworth filter.
    ///
    /// A Butterworth filter removes shaking and steps from gravity better than a one-pole filter, but lags more when
    /// the device rotates.
    ///
    /// - Parameter cutoff: The cutoff frequency in hertz, see ``ButterworthLowPassFilter/init(cutoff:startingAt:)``.
    public init(butterworthCutoff cutoff: Double) { butterworth = ButterworthLowPassFilter(cutoff: cutoff) }

    /// Processes an acceleration measured by the accelerometer and returns its two parts. The interval is the time
    /// since the previous sample in seconds; it is ignored for the first sample.
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

/// An acceleration separated into two parts, in the unit and sign of the input.
public struct SeparatedAcceleration: Sendable, Equatable {
    /// The slowly changing part, gravity.
    public var gravity: SIMD3<Double>

    /// The remaining part, the acceleration that the user gives to the device.
    public var userAcceleration: SIMD3<Double>

    package init(gravity: SIMD3<Double>, userAcceleration: SIMD3<Double>) {
        (self.gravity, self.userAcceleration) = (gravity, userAcceleration)
    }
}
