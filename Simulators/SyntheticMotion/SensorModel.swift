// SPDX-License-Identifier: Apache-2.0

/// A model of a magnetometer or a barometer.
public struct SensorModel: Sendable, Hashable {
    package var name: String
    /// The noise, in gauss or kPa.
    package var noise: SensorNoise

    /// A sensor without noise.
    public static let ideal = SensorModel(name: "ideal", noise: SensorNoise())

    /// Asahi Kasei AK8963, the magnetometer in the MPU-9250: ±4,912 µT in steps of 0.15 µT, zero offset ±500 LSB
    /// (MPU-9250 product specification, PS-MPU-9250A-01, revision 1.0, table 3). The noise density of 0.05 µT/√Hz and
    /// the random walk of 0.002 µT/√s are assumptions.
    public static let ak8963 = SensorModel(
        name: "ak8963",
        noise: SensorNoise(
            density: 0.05 * microtesla, biasTolerance: 500 * 0.15 * microtesla, biasWalk: 0.002 * microtesla,
            step: 0.15 * microtesla, range: 4912 * microtesla))

    /// Asahi Kasei AK09916, the magnetometer in the ICM-20948: ±4,900 µT in steps of 0.15 µT, zero offset ±2,000 LSB
    /// (ICM-20948 data sheet, DS-000189, revision 1.3, table 3). The noise is that of ``ak8963``.
    public static let ak09916 = SensorModel(
        name: "ak09916",
        noise: SensorNoise(
            density: 0.05 * microtesla, biasTolerance: 2000 * 0.15 * microtesla, biasWalk: 0.002 * microtesla,
            step: 0.15 * microtesla, range: 4900 * microtesla))

    /// Bosch BMP280 with oversampling ×4 and no filter: steps of 0.66 Pa, absolute accuracy ±1 hPa, range up to 110 kPa
    /// (data sheet BST-BMP280-DS001, tables 2 and 4). The noise density of 0.6 Pa/√Hz (based on table 7) and the random
    /// walk of 0.05 Pa/√s are assumptions.
    public static let bmp280 = SensorModel(
        name: "bmp280",
        noise: SensorNoise(density: 0.0006, biasTolerance: 0.1, biasWalk: 0.00005, step: 0.00066, range: 110))

    package static let magnetometers = [ideal, ak8963, ak09916]
    package static let barometers = [ideal, bmp280]

    /// One microtesla in gauss.
    private static let microtesla = 0.01
}

/// The errors of a sensor's readings, in the sensor's unit (m/s², rad/s, gauss or kPa).
///
/// A reading is the sum of the true value, a constant bias, a random walk of the bias and white noise. The sum is
/// rounded to the step size and clamped to the range. Each axis has independent noise.
package struct SensorNoise: Sendable, Hashable {
    /// The one-sided spectral density of the white noise, in the sensor's unit per √Hz. At a sampling rate r, the
    /// standard deviation of a reading is density · √(r / 2). The Allan deviation over t seconds is density / √(2 t).
    package var density = 0.0
    /// The maximum zero offset after power-up, in the sensor's unit. ``MotionOptions/biasFraction`` scales it.
    package var biasTolerance = 0.0
    /// The random walk of the bias, as the standard deviation of its change within one second, in the sensor's unit.
    package var biasWalk = 0.0
    /// The step size of the converter in the sensor's unit, or 0 for no quantization.
    package var step = 0.0
    /// The largest reading, in the sensor's unit. The smallest reading is one step below the negative of this value, as
    /// in two's complement.
    package var range = Double.infinity

    var isValid: Bool {
        // All comparisons with NaN are false, so NaN is rejected.
        [density, biasTolerance, biasWalk, step].allSatisfy { $0 >= 0 && $0 <= 1e6 } && range > 0
    }
}

/// An accelerometer and a gyroscope on one chip, sometimes with a magnetometer in the same package.
///
/// The values are typical data sheet values for the smallest ranges, ±2 g and ±250 °/s. The random walk of the bias is
/// an assumption: after one minute, its standard deviation is 0.002 °/s for gyroscopes and 0.1 mg for accelerometers.
public struct InertialUnit: Sendable, Hashable {
    /// The name of the chip in the kernel driver.
    package var name: String
    /// The noise of the accelerometer, in m/s².
    package var accelerometer: SensorNoise
    /// The noise of the gyroscope, in rad/s.
    package var gyroscope: SensorNoise
    /// The magnetometer in the same package, if any.
    package var magnetometer: SensorModel?

    /// A chip whose sensors, including the magnetometer, have no noise.
    public static let ideal = InertialUnit(
        name: "ideal", accelerometer: SensorNoise(), gyroscope: SensorNoise(), magnetometer: .ideal)

    /// InvenSense MPU-6050. Accelerometer: 400 µg/√Hz, zero offset ±50 mg, 16,384 LSB/g. Gyroscope: 0.005 °/s/√Hz, zero
    /// offset ±20 °/s, 131 LSB/(°/s). No magnetometer. Source: PS-MPU-6000A-00, revision 3.4, tables 6.1 and 6.2.
    public static let mpu6050 = InertialUnit(
        name: "mpu6050", micrograms: 400, milligrams: 50, degrees: 0.005, zeroDegrees: 20, stepsPerDegree: 131)

    /// InvenSense MPU-9250. Accelerometer: 300 µg/√Hz, zero offset ±60 mg, 16,384 LSB/g. Gyroscope: 0.01 °/s/√Hz, zero
    /// offset ±5 °/s, 131 LSB/(°/s). Magnetometer: AK8963. Source: PS-MPU-9250A-01, revision 1.0, tables 1 and 2.
    public static let mpu9250 = InertialUnit(
        name: "mpu9250", micrograms: 300, milligrams: 60, degrees: 0.01, zeroDegrees: 5, stepsPerDegree: 131,
        magnetometer: .ak8963)

    /// InvenSense ICM-20948. Accelerometer: 230 µg/√Hz, zero offset ±25 mg, 16,384 LSB/g. Gyroscope: 0.015 °/s/√Hz,
    /// zero offset ±5 °/s, 131 LSB/(°/s). Magnetometer: AK09916. Source: DS-000189, revision 1.3, tables 1 and 2.
    public static let icm20948 = InertialUnit(
        name: "icm20948", micrograms: 230, milligrams: 25, degrees: 0.015, zeroDegrees: 5, stepsPerDegree: 131,
        magnetometer: .ak09916)

    /// Bosch BMI160. Accelerometer: 180 µg/√Hz, zero offset ±40 mg, 16,384 LSB/g. Gyroscope: 0.007 °/s/√Hz, zero offset
    /// ±3 °/s, 131.2 LSB/(°/s). No magnetometer. Source: BST-BMI160-DS000, tables of electrical characteristics.
    public static let bmi160 = InertialUnit(
        name: "bmi160", micrograms: 180, milligrams: 40, degrees: 0.007, zeroDegrees: 3, stepsPerDegree: 131.2)

    package static let all = [ideal, mpu6050, mpu9250, icm20948, bmi160]

    static let standardGravity = 9.80665
}

extension InertialUnit {
    fileprivate init(
        name: String, micrograms: Double, milligrams: Double, degrees: Double, zeroDegrees: Double,
        stepsPerDegree: Double, magnetometer: SensorModel? = nil
    ) {
        let g = Self.standardGravity
        let degree = Double.pi / 180
        let minute = 60.0.squareRoot()
        self.init(
            name: name,
            accelerometer: SensorNoise(
                density: micrograms * 1e-6 * g, biasTolerance: milligrams * 1e-3 * g, biasWalk: 1e-4 * g / minute,
                step: g / 16384, range: 32767 * g / 16384),
            gyroscope: SensorNoise(
                density: degrees * degree, biasTolerance: zeroDegrees * degree, biasWalk: 0.002 * degree / minute,
                step: degree / stepsPerDegree, range: 32767 * degree / stepsPerDegree),
            magnetometer: magnetometer)
    }
}
