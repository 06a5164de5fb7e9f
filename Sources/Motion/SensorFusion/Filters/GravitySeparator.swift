// SPDX-License-Identifier: Apache-2.0

/// Splits an acceleration into gravity and the rest by a low-pass filter, without a gyroscope.
///
/// Gravity is the low-passed acceleration and the user's part is the difference, so that the two add up to what was
/// given, to the last rounding. Unit, axes and sign are the caller's.
///
/// A low-pass filter cannot tell a turning device from an accelerated one: while a device turns, its gravity lags
/// behind, and the lag shows up as user acceleration; what lasts longer than the time constant, such as a car that
/// speeds up, leaks into gravity. With a gyroscope use an attitude filter instead; this one is for boards that have
/// an accelerometer alone.
///
/// The default time constant is 0.2 s. It is what the well-known smoothing factor of 0.1 amounts to at 50 Hz (0.19 s).
/// Compared with the gravity that an iPhone reported in a trouser pocket, on stairs the direction is 18 degrees off
/// with 0.05 s, 15 with 0.2 s, and no better up to 1 s, whereas the lag when turning grows with the time constant.
///
/// The first sample counts as gravity. A total with an infinite or NaN component is not taken and the parts stay as
/// they were, zero at first. When only the interval is zero, negative or NaN, gravity stays and the user's part is the
/// total minus it.
public struct GravitySeparator: Sendable, Equatable {
    // There is one of the two.
    private var onePole: LowPassFilter?
    private var butterworth: ButterworthLowPassFilter?

    /// The two parts of the last sample; both zero as long as there was none.
    public private(set) var value = SeparatedAcceleration(gravity: .zero, userAcceleration: .zero)

    /// Creates a separator with a one-pole filter.
    ///
    /// - Parameter timeConstant: Seconds, see ``LowPassFilter/init(timeConstant:startingAt:)``.
    public init(timeConstant: Double = 0.2) { onePole = LowPassFilter(timeConstant: timeConstant) }

    /// Creates a separator with a second-order Butterworth filter.
    ///
    /// It keeps shaking and steps out of gravity better than one pole, and lags more when the device turns.
    ///
    /// - Parameter cutoff: Hertz, see ``ButterworthLowPassFilter/init(cutoff:startingAt:)``.
    public init(butterworthCutoff cutoff: Double) { butterworth = ButterworthLowPassFilter(cutoff: cutoff) }

    /// Takes a total acceleration and returns its two parts.
    ///
    /// - Parameters:
    ///   - total: What the accelerometer measured.
    ///   - interval: Seconds since the sample before it; of no account for the first.
    public mutating func update(_ total: SIMD3<Double>, interval: Double) -> SeparatedAcceleration {
        let gravity =
            onePole?.update(total, interval: interval) ?? butterworth?.update(total, interval: interval) ?? .zero
        let rest = total - gravity
        guard rest.isFinite else { return value }
        value = SeparatedAcceleration(gravity: gravity, userAcceleration: rest)
        return value
    }

    /// Forgets all samples.
    public mutating func reset() {
        onePole?.reset()
        butterworth?.reset()
        value = SeparatedAcceleration(gravity: .zero, userAcceleration: .zero)
    }
}

/// An acceleration in two parts, in the unit and the sign in which it was given.
public struct SeparatedAcceleration: Sendable, Equatable {
    /// The part that lasts: gravity.
    public var gravity: SIMD3<Double>

    /// The rest: what whoever holds the device does to it.
    public var userAcceleration: SIMD3<Double>

    /// Creates the two parts.
    public init(gravity: SIMD3<Double>, userAcceleration: SIMD3<Double>) {
        self.gravity = gravity
        self.userAcceleration = userAcceleration
    }
}
