// This source file is part of the swift-device-services project.
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

    /// The file in which Sensor Logger keeps its readings, without the ending; its columns behind those of time, with the
    /// components that they take; and the names of the components. What altitudes are relative to is not known here.
    var sensorLogger: (file: String, columns: StaticString, written: [Int?], read: [String]) {
        switch self {
        case .accelerometer: ("TotalAcceleration", "z,y,x", [2, 1, 0], ["x", "y", "z"])
        case .gyroscope: ("Gyroscope", "z,y,x", [2, 1, 0], ["x", "y", "z"])
        case .magnetometer: ("Magnetometer", "z,y,x", [2, 1, 0], ["x", "y", "z"])
        case .pressure: ("Barometer", "relativeAltitude,pressure", [nil, 0], ["pressure"])
        }
    }

    /// A reading in the unit that Sensor Logger writes.
    func sensorLoggerValue(_ value: SIMD3<Double>) -> SIMD3<Double> {
        switch self {
        case .accelerometer, .gyroscope: value
        case .magnetometer: SampleConventions.microtesla(gauss: value)
        case .pressure: [SampleConventions.hectopascal(kilopascal: value.x), 0, 0]
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
