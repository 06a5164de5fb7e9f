// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How the readings of a sensor differ from the truth, in the unit of its kind: m/s², rad/s, gauss or kPa.
///
/// A reading is the truth, and a constant bias, and a bias that walks, and white noise; then it is rounded to steps and
/// held within the range. Each axis has noise of its own.
public struct SensorNoise: Sendable, Hashable {
    /// White noise: the one-sided spectral density, in units per root hertz, as data sheets have it. At a sampling rate r
    /// the standard deviation of a reading is density · √(r / 2), as if a filter let through all below half the rate, and
    /// the Allan deviation over t seconds is density / √(2 t).
    public var density = 0.0
    /// How far the zero may be off when the sensor is switched on, in units. ``MotionOptions/biasFraction`` says how
    /// much of it comes true.
    public var biasTolerance = 0.0
    /// How the bias walks: the standard deviation of its change in one second, which grows with the root of time.
    public var biasWalk = 0.0
    /// The size of a step of the converter, in units; 0 for none.
    public var step = 0.0
    /// The greatest reading, in units; infinity for none. The least is one step below its negative, as two's complement
    /// has it.
    public var range = Double.infinity

    /// No noise at all.
    public init() {}

    /// A sensor of these figures.
    public init(
        density: Double, biasTolerance: Double = 0, biasWalk: Double = 0, step: Double = 0, range: Double = .infinity
    ) {
        self.density = density
        self.biasTolerance = biasTolerance
        self.biasWalk = biasWalk
        self.step = step
        self.range = range
    }

    /// True when all figures can be used.
    var isValid: Bool {
        // Comparisons with NaN are false.
        density >= 0 && density <= 1e6 && biasTolerance >= 0 && biasTolerance <= 1e6 && biasWalk >= 0
            && biasWalk <= 1e6 && step >= 0 && step <= 1e6 && range > 0
    }
}
