// SPDX-License-Identifier: Apache-2.0

/// An accelerometer and a gyroscope in one chip, some with a magnetometer beside them, by name.
///
/// The figures are typical ones of data sheets at the smallest ranges of the chips, ±2 g and ±250 °/s. No data sheet tells
/// how the bias walks: 0.002 °/s in a minute for gyroscopes and 0.1 mg in a minute for accelerometers are assumptions, of
/// the size that long measurements at rest show.
public struct InertialUnit: Sendable, Hashable {
    /// The chip's name, as the kernel's driver has it.
    public var name: String
    /// In m/s².
    public var accelerometer: SensorNoise
    /// In rad/s.
    public var gyroscope: SensorNoise
    /// The magnetometer in the same case; nil when there is none.
    public var magnetometer: SensorModel?

    /// A chip of these parts.
    public init(name: String, accelerometer: SensorNoise, gyroscope: SensorNoise, magnetometer: SensorModel? = nil) {
        self.name = name
        self.accelerometer = accelerometer
        self.gyroscope = gyroscope
        self.magnetometer = magnetometer
    }

    /// One that reads the truth, with a magnetometer that does.
    public static let ideal = InertialUnit(
        name: "ideal", accelerometer: SensorNoise(), gyroscope: SensorNoise(), magnetometer: .ideal)

    /// InvenSense MPU-6050: 400 µg/√Hz, zero within ±50 mg, 16,384 steps a g; 0.005 °/s/√Hz, zero within ±20 °/s, 131
    /// steps for 1 °/s (PS-MPU-6000A-00, revision 3.4, tables 6.1 and 6.2). No magnetometer.
    public static let mpu6050 = InertialUnit(
        name: "mpu6050", micrograms: 400, milligrams: 50, degrees: 0.005, zeroDegrees: 20, stepsPerDegree: 131)

    /// InvenSense MPU-9250: 300 µg/√Hz, zero within ±60 mg, 16,384 steps a g; 0.01 °/s/√Hz, zero within ±5 °/s, 131 steps
    /// for 1 °/s (PS-MPU-9250A-01, revision 1.0, tables 1 and 2). With an AK8963.
    public static let mpu9250 = InertialUnit(
        name: "mpu9250", micrograms: 300, milligrams: 60, degrees: 0.01, zeroDegrees: 5, stepsPerDegree: 131,
        magnetometer: .ak8963)

    /// InvenSense ICM-20948: 230 µg/√Hz, zero within ±25 mg, 16,384 steps a g; 0.015 °/s/√Hz, zero within ±5 °/s, 131
    /// steps for 1 °/s (DS-000189, revision 1.3, tables 1 and 2). With an AK09916.
    public static let icm20948 = InertialUnit(
        name: "icm20948", micrograms: 230, milligrams: 25, degrees: 0.015, zeroDegrees: 5, stepsPerDegree: 131,
        magnetometer: .ak09916)

    /// Bosch BMI160: 180 µg/√Hz, zero within ±40 mg, 16,384 steps a g; 0.007 °/s/√Hz, zero within ±3 °/s, 131.2 steps for
    /// 1 °/s (BST-BMI160-DS000, tables of electrical characteristics). No magnetometer.
    public static let bmi160 = InertialUnit(
        name: "bmi160", micrograms: 180, milligrams: 40, degrees: 0.007, zeroDegrees: 3, stepsPerDegree: 131.2)

    /// The chips that have a name.
    public static let all = [ideal, mpu6050, mpu9250, icm20948, bmi160]

    /// A g in m/s².
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
