// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A reading of a motion stream, ready to be printed.
struct MotionReading {
    /// One number of it.
    struct Value {
        let name: String
        let number: Double
        let unit: String

        init(_ name: String, _ number: Double, unit: String) {
            self.name = name
            self.number = number
            self.unit = unit
        }
    }

    let stream: StreamName
    /// Seconds since boot.
    let timestamp: TimeInterval
    let values: [Value]

    init(stream: StreamName, timestamp: TimeInterval, values: [Value]) {
        self.stream = stream
        self.timestamp = timestamp
        self.values = values
    }

    /// A reading of three axes.
    init(stream: StreamName, timestamp: TimeInterval, x: Double, y: Double, z: Double) {
        let unit = stream.unit
        self.init(
            stream: stream, timestamp: timestamp,
            values: [Value("x", x, unit: unit), Value("y", y, unit: unit), Value("z", z, unit: unit)])
    }

    /// The length of the vector, where it is one.
    var magnitude: Double? {
        guard stream != .pressure else { return nil }
        return values.reduce(0) { $0 + $1.number * $1.number }.squareRoot()
    }
}

extension StreamName {
    /// The unit of its readings.
    var unit: String {
        switch self {
        case .accelerometer: "g"
        case .gyro: "rad/s"
        case .magnetometer: "µT"
        case .pressure: "kPa"
        case .location, .heading, .orientation, .deviceMotion, .accessories: ""
        }
    }

    /// A reading that fills a bar from the middle to its end.
    var span: Double {
        switch self {
        case .accelerometer: 2
        case .gyro: 5
        case .magnetometer: 100
        case .pressure, .location, .heading, .orientation, .deviceMotion, .accessories: 1
        }
    }
}
