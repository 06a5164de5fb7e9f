// SPDX-License-Identifier: Apache-2.0

/// An accelerometer and a gyroscope in one chip, some with a magnetometer in the same package.
///
/// The values are typical values from data sheets at the smallest ranges of the chips, ±2 g and ±250 °/s. Data sheets
/// do not specify the random walk of the bias. The assumed standard deviations after one minute are 0.002 °/s for
/// gyroscopes and 0.1 mg for accelerometers, similar to long measurements at rest.
public struct InertialUnit: Sendable, Hashable {
    /// The name of the chip in the kernel driver.
    public var name: String
    /// The noise of the accelerometer, in m/s².
    public var accelerometer: SensorNoise
    /// The noise of the gyroscope, in rad/s.
    public var gyroscope: SensorNoise
    /// The magnetometer in the same package; nil if there is none.
    public var magnetometer: SensorModel?

    /// Creates a chip.
    public init(name: String, accelerometer: SensorNoise, gyroscope: SensorNoise, magnetometer: SensorModel? = nil) {
        self.name = name
        self.accelerometer = accelerometer
        self.gyroscope = gyroscope
        self.magnetometer = magnetometer
    }

    /// A chip without noise, including its magnetometer.
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

    /// The predefined chips.
    public static let all = [ideal, mpu6050, mpu9250, icm20948, bmi160]

    /// Standard gravity, in m/s².
    static let standardGravity = 9.80665

    private init(
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
