// SPDX-License-Identifier: Apache-2.0

/// A model of a magnetometer or a barometer.
public struct SensorModel: Sendable, Hashable {
    /// The name of the chip.
    public var name: String
    /// The noise, in gauss or kPa.
    public var noise: SensorNoise

    /// Creates a sensor.
    public init(name: String, noise: SensorNoise) {
        self.name = name
        self.noise = noise
    }

    /// A sensor without noise.
    public static let ideal = SensorModel(name: "ideal", noise: SensorNoise())

    /// Asahi Kasei AK8963, the magnetometer in the MPU-9250: ±4,912 µT in steps of 0.15 µT, zero offset ±500 LSB
    /// (MPU-9250 product specification, PS-MPU-9250A-01, revision 1.0, table 3). The data sheet does not specify the
    /// noise. The density of 0.05 µT/√Hz, equivalent to 0.35 µT at 100 Hz, and the random walk of 0.002 µT/√s are
    /// assumptions.
    public static let ak8963 = SensorModel(
        name: "ak8963",
        noise: SensorNoise(
            density: 0.05 * microtesla, biasTolerance: 500 * 0.15 * microtesla, biasWalk: 0.002 * microtesla,
            step: 0.15 * microtesla, range: 4912 * microtesla))

    /// Asahi Kasei AK09916, the magnetometer in the ICM-20948: ±4,900 µT in steps of 0.15 µT, zero offset ±2,000 LSB
    /// (ICM-20948 data sheet, DS-000189, revision 1.3, table 3). Noise and random walk are the assumptions for
    /// ``ak8963``.
    public static let ak09916 = SensorModel(
        name: "ak09916",
        noise: SensorNoise(
            density: 0.05 * microtesla, biasTolerance: 2000 * 0.15 * microtesla, biasWalk: 0.002 * microtesla,
            step: 0.15 * microtesla, range: 4900 * microtesla))

    /// Bosch BMP280 with oversampling ×4 and no filter: steps of 0.66 Pa, absolute accuracy ±1 hPa, range up to 110 kPa
    /// (data sheet BST-BMP280-DS001, tables 2 and 4). The noise density of 0.6 Pa/√Hz is an assumption based on the
    /// altitudes in table 7 of the data sheet. The random walk of 0.05 Pa/√s is an assumption too.
    public static let bmp280 = SensorModel(
        name: "bmp280",
        noise: SensorNoise(density: 0.0006, biasTolerance: 0.1, biasWalk: 0.00005, step: 0.00066, range: 110))

    /// The predefined magnetometers.
    public static let magnetometers = [ideal, ak8963, ak09916]
    /// The predefined barometers.
    public static let barometers = [ideal, bmp280]

    /// One microtesla in gauss.
    private static let microtesla = 0.01
}

/// The errors of a sensor's readings, in the unit of its kind: m/s², rad/s, gauss or kPa.
///
/// A reading is the sum of the true value, a constant bias, a random walk of the bias and white noise. It is rounded to
/// the step size and clamped to the range. Each axis has independent noise.
public struct SensorNoise: Sendable, Hashable {
    /// The white noise as a one-sided spectral density, in units per √Hz, as in data sheets. At a sampling rate r, the
    /// standard deviation of a reading is density · √(r / 2), as with an ideal low-pass filter at half the rate. The
    /// Allan deviation over t seconds is density / √(2 t).
    public var density = 0.0
    /// The maximum zero offset after power-up, in units. ``MotionOptions/biasFraction`` determines the fraction that is
    /// used.
    public var biasTolerance = 0.0
    /// The random walk of the bias: the standard deviation of its change in one second, in units. It grows with the
    /// square root of time.
    public var biasWalk = 0.0
    /// The step size of the converter, in units; 0 for no quantization.
    public var step = 0.0
    /// The largest reading, in units; infinity for no limit. The smallest reading is one step below the negated value,
    /// as in two's complement.
    public var range = Double.infinity

    /// Creates a model without noise.
    public init() {}

    /// Creates a model.
    public init(
        density: Double, biasTolerance: Double = 0, biasWalk: Double = 0, step: Double = 0, range: Double = .infinity
    ) {
        self.density = density
        self.biasTolerance = biasTolerance
        self.biasWalk = biasWalk
        self.step = step
        self.range = range
    }

    var isValid: Bool {
        // Comparisons with NaN are false.
        density >= 0 && density <= 1e6 && biasTolerance >= 0 && biasTolerance <= 1e6 && biasWalk >= 0
            && biasWalk <= 1e6 && step >= 0 && step <= 1e6 && range > 0
    }
}
