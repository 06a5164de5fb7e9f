// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What tables of readings call each kind of sensor: the table of what only other programs' formats know of kinds.
extension SensorKind {
    /// The columns of a table of motion readings, `t,gx,gy,gz,…`.
    var csvColumns: [String] {
        switch self {
        case .gyroscope: ["gx", "gy", "gz"]
        case .accelerometer: ["ax", "ay", "az"]
        case .magnetometer: ["mx", "my", "mz"]
        case .pressure: ["p"]
        }
    }

    /// The quantities of a table with a header that are its axes.
    var csvQuantities: [CSVQuantity] {
        switch self {
        case .accelerometer: [.accelX, .accelY, .accelZ]
        case .gyroscope: [.gyroX, .gyroY, .gyroZ]
        case .magnetometer: [.magX, .magY, .magZ]
        case .pressure: [.pressure]
        }
    }

    /// The file in which Sensor Logger keeps its readings, and its columns of them.
    var sensorLogger: (file: String, columns: [String]) {
        switch self {
        case .accelerometer: ("TotalAcceleration.csv", ["x", "y", "z"])
        case .gyroscope: ("Gyroscope.csv", ["x", "y", "z"])
        case .magnetometer: ("Magnetometer.csv", ["x", "y", "z"])
        case .pressure: ("Barometer.csv", ["pressure"])
        }
    }

    /// A reading from what Sensor Logger wrote, whose sign of acceleration depends on the phone.
    func reading(ofSensorLogger value: SIMD3<Double>, _ convention: SampleConvention) -> SIMD3<Double> {
        switch self {
        case .accelerometer: SampleConventions.acceleration(value, from: convention)
        case .gyroscope: value
        case .magnetometer: SampleConventions.gauss(microtesla: value)
        case .pressure: [SampleConventions.kilopascal(hectopascal: value.x), 0, 0]
        }
    }
}
