// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Encodes readings as rows of text: `t,gx,gy,gz,ax,ay,az,mx,my,mz,p`. Readings must be in chronological order.
/// Readings with the same time share a row. If a sensor has no reading at that time, its cells are empty.
struct MotionCSVEncoder {
    static let kinds = [SensorKind.gyroscope] + SensorKind.allCases.filter { $0 != .gyroscope }
    private(set) var bytes: [UInt8]
    private let sensors: [SensorDescription]
    /// The time of the pending row, and each sensor's reading at that time. `time` is nil if no row is pending.
    private var time: Int64?
    private var values: [SIMD3<Double>?]

    /// Creates an encoder. The sensors must be sorted in the order of ``kinds``, with at most one of each kind.
    init(_ sensors: [SensorDescription]) {
        self.sensors = sensors
        values = sensors.map { _ in nil }
        bytes = Array((["t"] + sensors.flatMap(\.kind.csvColumns)).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
    }

    mutating func append(_ value: SIMD3<Double>, of sensor: Int, at time: Int64) {
        if time != self.time { endRow() }
        self.time = time
        values[sensor] = value
    }

    /// Appends the pending row. The time is written in seconds with nine decimals, and values in their shortest decimal
    /// form.
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

    mutating func drain() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Converts a reading to the device's axes, and a magnetic field to microtesla.
    private static func siValue(_ value: SIMD3<Double>, _ sensor: SensorDescription) -> SIMD3<Double> {
        let value = sensor.kind.isVector && !sensor.mountMatrix.isIdentity ? sensor.mountMatrix.apply(to: value) : value
        return sensor.kind == .magnetometer ? SampleConventions.microtesla(gauss: value) : value
    }
}

extension RecordingFormat {
    /// Motion readings as CSV in the layout ``MotionCSVLayout/si``. Columns of missing sensors are omitted. The mount
    /// matrix is applied, so values are in the device's axes. Only the first sensor of each kind is written.
    package static let csv = RecordingFormat(
        name: "csv", title: "motion CSV", fileExtensions: [".csv"], reportsDamage: true, detect: sniff, read: read,
        writer: write)

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
        if MotionCSVLayout(columns: input.columns) != nil { return .likely }
        return input.mayBeTable && input.name.lowercased().hasSuffix(".csv") && !input.containsNMEASentences
            ? .nameOnly : nil
    }

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        .recording(try Recording(csv: try input.bytes(), name: input.name, options: options.csv))
    }

    private static func write(
        _ trace: TraceFile, to path: String, options: ExportOptions
    ) throws(DeviceError) -> [String] {
        var readings = try SortedReadings(trace)
        let written = MotionCSVEncoder.kinds.compactMap { kind in
            readings.sensors.firstIndex { $0.description.kind == kind && $0.count > 0 }
        }
        var columns: [Int?] = readings.sensors.map { _ in nil }
        for (column, sensor) in written.enumerated() { columns[sensor] = column }
        var rows = MotionCSVEncoder(written.map { readings.sensors[$0].description })
        var others = 0
        var file = try ExportFile(path: path, options)
        while let reading = readings.next() {
            guard let column = columns[reading.sensor] else {
                others += 1
                continue
            }
            rows.append(reading.value, of: column, at: reading.time)
            if rows.bytes.count > 1 << 15 {
                file.bytes.append(contentsOf: rows.drain())
                try file.flushIfLarge()
            }
        }
        rows.endRow()
        file.bytes.append(contentsOf: rows.drain())
        try file.close()
        var remarks = readings.remarks
        remarks.appendRemark(
            count: others, "readings of further sensors were omitted, because CSV contains one sensor of each kind.")
        if let start = readings.start {
            remarks.append(
                "The start time \(CivilDate(start).iso8601(decimals: 3)) was omitted, because times in CSV are relative to it."
            )
        }
        return remarks
    }
}
