// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Where the readings stand in a row.
struct MotionCSVColumns {
    /// Seconds; nil when rows are evenly spaced.
    var time: Int?
    /// Three columns each, or none.
    var gyroscope: [Int] = []
    var accelerometer: [Int] = []
    var magnetometer: [Int] = []
    var pressure: Int?
    /// What has to be added to the accelerometer's columns.
    var gravity: [Int] = []

    /// Finds the columns of a kind in a header.
    init(_ layout: MotionCSVLayout, _ reader: borrowing CSVReader) throws(DeviceError) {
        switch layout {
        case .si, .iio:
            gyroscope = try Self.axes("g", reader)
            accelerometer = try Self.axes("a", reader)
            magnetometer = try Self.axes("m", reader)
            pressure = reader.column("p")
        case .broad:
            gyroscope = try Self.axes("g", reader)
            accelerometer = try Self.axes("a", reader)
            magnetometer = try Self.axes("m", reader)
        case .motionSense:
            gyroscope = try Self.axes("r", reader)
            accelerometer = try Self.axes("u", reader)
            gravity = try Self.axes("g", reader)
        }
        time = reader.header.firstIndex { MotionCSVLayout.timeColumns.contains($0) }
        guard gyroscope.count + accelerometer.count + magnetometer.count > 0 || pressure != nil else {
            throw reader.place(nil).error(
                "no column holds motion readings. They are called t, gx, gy, gz, ax, ay, az, mx, my, mz.")
        }
    }

    /// The three axes of one letter, or none of them.
    private static func axes(_ letter: String, _ reader: borrowing CSVReader) throws(DeviceError) -> [Int] {
        var found: [Int] = []
        var missing: [String] = []
        for axis in ["x", "y", "z"] {
            if let column = reader.column(letter + axis) {
                found.append(column)
            } else {
                missing.append(letter + axis)
            }
        }
        guard found.isEmpty || missing.isEmpty else {
            throw reader.place(nil).error(
                "the header lacks \(missing.joined(separator: " and ")): a sensor has three axes. Add or remove columns."
            )
        }
        return found
    }
}
