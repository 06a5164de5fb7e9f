// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The file and column names of each sensor kind in other programs' formats.
extension SensorKind {
    /// The column names of this kind in a table of motion readings, `t,gx,gy,gz,…`.
    var csvColumns: [String] {
        switch self {
        case .gyroscope: ["gx", "gy", "gz"]
        case .accelerometer: ["ax", "ay", "az"]
        case .magnetometer: ["mx", "my", "mz"]
        case .pressure: ["p"]
        }
    }

    var csvQuantities: [CSVQuantity] {
        switch self {
        case .accelerometer: [.accelX, .accelY, .accelZ]
        case .gyroscope: [.gyroX, .gyroY, .gyroZ]
        case .magnetometer: [.magX, .magY, .magZ]
        case .pressure: [.pressure]
        }
    }

    /// The name of the file in which Sensor Logger stores readings of this kind, and the names of its value columns.
    var sensorLogger: (file: String, columns: [String]) {
        switch self {
        case .accelerometer: ("TotalAcceleration.csv", ["x", "y", "z"])
        case .gyroscope: ("Gyroscope.csv", ["x", "y", "z"])
        case .magnetometer: ("Magnetometer.csv", ["x", "y", "z"])
        case .pressure: ("Barometer.csv", ["pressure"])
        }
    }

    /// Converts a Sensor Logger value to the unit that sources deliver.
    func reading(ofSensorLogger value: SIMD3<Double>, _ convention: SampleConvention) -> SIMD3<Double> {
        switch self {
        case .accelerometer: SampleConventions.acceleration(value, from: convention)
        case .gyroscope: value
        case .magnetometer: SampleConventions.gauss(microtesla: value)
        case .pressure: [SampleConventions.kilopascal(hectopascal: value.x), 0, 0]
        }
    }
}
