// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Makes rows of readings: `t,gx,gy,gz,ax,ay,az,mx,my,mz,p`, without the columns of kinds that have no sensor.
///
/// Readings come in the order of time. Those of one time share a row; cells of sensors that were not read then are empty.
struct MotionCSVRows {
    /// The kinds in the order of the columns.
    static let kinds = [SensorKind.gyroscope] + SensorKind.allCases.filter { $0 != .gyroscope }

    /// Whole rows that were not handed over.
    private(set) var bytes: [UInt8]
    private let sensors: [SensorDescription]
    private var time: Int64?
    private var values: [SIMD3<Double>?]

    /// Writes the header.
    ///
    /// - Parameter sensors: one of each kind that there is, in the order of the kinds.
    init(_ sensors: [SensorDescription]) {
        self.sensors = sensors
        values = sensors.map { _ in nil }
        bytes = Array((["t"] + sensors.flatMap(\.kind.csvColumns)).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
    }

    /// Takes a reading in the sensor's own axes.
    ///
    /// - Parameter sensor: the sensor's place.
    mutating func take(_ value: SIMD3<Double>, of sensor: Int, at time: Int64) {
        if time != self.time { endRow() }
        self.time = time
        values[sensor] = value
    }

    /// Writes the row of the last time: seconds with nine decimals, then numbers in the shortest form.
    mutating func endRow() {
        guard let time else { return }
        self.time = nil
        TraceSeconds.append(time, to: &bytes)
        for (index, sensor) in sensors.enumerated() {
            let value = values[index].map { Self.siValue($0, sensor) }
            for axis in 0..<sensor.kind.csvColumns.count {
                bytes.append(UInt8(ascii: ","))
                if let number = value?[axis], number.isFinite { bytes.append(contentsOf: number.description.utf8) }
            }
            values[index] = nil
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Hands over the rows so far.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// In the device's axes, and in microtesla.
    private static func siValue(_ value: SIMD3<Double>, _ sensor: SensorDescription) -> SIMD3<Double> {
        let value =
            sensor.kind.isVector && !sensor.mountMatrix.isIdentity ? sensor.mountMatrix.apply(to: value) : value
        return sensor.kind == .magnetometer ? SampleConventions.microtesla(gauss: value) : value
    }
}

extension RecordingFormat {
    /// Motion readings as CSV: `t,gx,gy,gz,ax,ay,az,mx,my,mz`, and `p` when there is air pressure; columns of sensors that
    /// are missing are left out.
    ///
    /// Seconds since the start, rad/s, proper acceleration in m/s² (+9.81 on the axis that points up), microtesla, kPa,
    /// in the axes of the device: a mount matrix is applied. There is one row for each time at which a sensor was read;
    /// the cells of sensors that were not read at that time are empty, so that nothing is invented. The first sensor of
    /// each kind is written. Numbers are in the shortest form that reads back as the same value.
    public static let csv = RecordingFormat(
        name: "csv", title: "CSV of motion", endings: [".csv"], tellsDamage: true, sniff: sniff, read: read,
        writer: write)

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> Likeness? {
        if MotionCSVLayout(columns: input.columns) != nil { return .likely }
        // A table may contain NMEA sentences in one of its columns.
        return input.isTable && input.name.lowercased().hasSuffix(".csv") && !input.holdsSentences ? .named : nil
    }

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        .recording(try Recording(csv: try input.bytes(), name: input.name, options: options.csv))
    }

    private static func write(
        _ trace: TraceFile, to path: String, options: ExportOptions
    ) throws(DeviceError) -> [String] {
        var readings = try MeasuredReadings(trace)
        // The first sensor of each kind that was read.
        let written = MotionCSVRows.kinds.compactMap { kind in
            readings.sensors.firstIndex { $0.description.kind == kind && $0.count > 0 }
        }
        var columns: [Int?] = readings.sensors.map { _ in nil }
        for (column, sensor) in written.enumerated() { columns[sensor] = column }
        var rows = MotionCSVRows(written.map { readings.sensors[$0].description })
        var others = 0
        var file = try ExportFile(path: path, options)
        while let reading = readings.next() {
            guard let column = columns[reading.sensor] else {
                others += 1
                continue
            }
            rows.take(reading.value, of: column, at: reading.time)
            if rows.bytes.count > 1 << 15 {
                file.bytes.append(contentsOf: rows.takeBytes())
                try file.flushIfLarge()
            }
        }
        rows.endRow()
        file.bytes.append(contentsOf: rows.takeBytes())
        try file.close()
        var remarks = readings.remarks
        remarks.tell(others, "readings of further sensors were left out: CSV has one of each kind.")
        if let start = readings.start {
            remarks.append(
                "The start, \(CivilDate(start).iso8601(decimals: 3)), was left out: times in CSV count from it.")
        }
        return remarks
    }
}
