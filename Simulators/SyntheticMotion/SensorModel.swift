// SPDX-License-Identifier: Apache-2.0

/// A magnetometer or a barometer by name.
public struct SensorModel: Sendable, Hashable {
    /// The chip's name.
    public var name: String
    /// Its noise, in gauss or kPa.
    public var noise: SensorNoise

    /// A sensor of that name and noise.
    public init(name: String, noise: SensorNoise) {
        self.name = name
        self.noise = noise
    }

    /// One that reads the truth.
    public static let ideal = SensorModel(name: "ideal", noise: SensorNoise())

    /// Asahi Kasei AK8963, the magnetometer inside an MPU-9250: ±4,912 µT in steps of 0.15 µT (MPU-9250 product
    /// specification, PS-MPU-9250A-01, revision 1.0, table 3). The data sheet tells no noise: 0.05 µT/√Hz, which is 0.35
    /// µT at 100 Hz, is an assumption, and so is a walk of 0.002 µT in a second. The zero tolerance of ±500 steps is its
    /// own figure.
    public static let ak8963 = SensorModel(
        name: "ak8963",
        noise: SensorNoise(
            density: 0.05 * microtesla, biasTolerance: 500 * 0.15 * microtesla, biasWalk: 0.002 * microtesla,
            step: 0.15 * microtesla, range: 4912 * microtesla))

    /// Asahi Kasei AK09916, the magnetometer inside an ICM-20948: ±4,900 µT in steps of 0.15 µT, zero within ±2,000 steps
    /// (ICM-20948 data sheet, DS-000189, revision 1.3, table 3). Noise and walk are the assumptions made for ``ak8963``.
    public static let ak09916 = SensorModel(
        name: "ak09916",
        noise: SensorNoise(
            density: 0.05 * microtesla, biasTolerance: 2000 * 0.15 * microtesla, biasWalk: 0.002 * microtesla,
            step: 0.15 * microtesla, range: 4900 * microtesla))

    /// Bosch BMP280 with fourfold oversampling and no filter: steps of 0.66 Pa, absolute accuracy ±1 hPa (data sheet
    /// BST-BMP280-DS001, tables 2 and 4). 0.6 Pa/√Hz is an assumption from the heights of its table 7, and so is a walk
    /// of 0.05 Pa in a second. Its range ends at 110 kPa.
    public static let bmp280 = SensorModel(
        name: "bmp280",
        noise: SensorNoise(density: 0.0006, biasTolerance: 0.1, biasWalk: 0.00005, step: 0.00066, range: 110))

    /// The magnetometers that have a name.
    public static let magnetometers = [ideal, ak8963, ak09916]
    /// The barometers that have a name.
    public static let barometers = [ideal, bmp280]

    /// In gauss.
    private static let microtesla = 0.01
}

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

    var isValid: Bool {
        // Comparisons with NaN are false.
        density >= 0 && density <= 1e6 && biasTolerance >= 0 && biasTolerance <= 1e6 && biasWalk >= 0
            && biasWalk <= 1e6 && step >= 0 && step <= 1e6 && range > 0
    }
}
