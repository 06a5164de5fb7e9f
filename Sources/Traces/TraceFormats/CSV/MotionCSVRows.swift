// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Makes rows of readings: `t,gx,gy,gz,ax,ay,az,mx,my,mz,p`, without the columns of kinds that have no sensor.
///
/// Readings come in the order of time. Those of one time share a row; cells of sensors that were not read then are empty.
struct MotionCSVRows {
    /// The kinds in the order of the columns.
    static let kinds = [SensorKind.gyroscope] + SensorKind.allCases.filter { $0 != .gyroscope }

    /// Whole rows.
    private(set) var text = CSVWriter()
    private let sensors: [SensorDescription]
    private var time: Int64?
    private var values: [SIMD3<Double>?]

    /// Writes the header.
    ///
    /// - Parameter sensors: one of each kind that there is, in the order of the kinds.
    init(_ sensors: [SensorDescription]) {
        self.sensors = sensors
        values = sensors.map { _ in nil }
        text.cell("t")
        for sensor in sensors {
            for name in sensor.kind.csvColumns { text.cell(name) }
        }
        text.endRow()
    }

    /// Takes a reading in the sensor's own axes.
    ///
    /// - Parameter sensor: the sensor's place.
    mutating func take(_ value: SIMD3<Double>, of sensor: Int, at time: Int64) {
        if time != self.time { endRow() }
        self.time = time
        values[sensor] = value
    }

    /// Writes the row of the last time.
    mutating func endRow() {
        guard let time else { return }
        self.time = nil
        text.seconds(time)
        for (index, sensor) in sensors.enumerated() {
            let value = values[index].map { Self.siValue($0, sensor) }
            for axis in 0..<sensor.kind.csvColumns.count { text.number(value?[axis] ?? .nan) }
            values[index] = nil
        }
        text.endRow()
    }

    /// Hands over the rows so far.
    mutating func takeBytes() -> [UInt8] { text.takeBytes() }

    /// In the device's axes, and in microtesla.
    private static func siValue(_ value: SIMD3<Double>, _ sensor: SensorDescription) -> SIMD3<Double> {
        let value =
            sensor.kind.isVector && !sensor.mountMatrix.isIdentity ? sensor.mountMatrix.apply(to: value) : value
        return sensor.kind == .magnetometer ? SampleConventions.microtesla(gauss: value) : value
    }
}
