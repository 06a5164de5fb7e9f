// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension TraceExport {
    /// Writes motion readings as CSV, in the form of ``Recording/csv()``, at the times at which they were measured.
    ///
    /// - Parameters:
    ///   - path: The file; "-" is standard output.
    ///   - overwrite: Whether a file of that name may be replaced.
    /// - Returns: remarks: what CSV cannot hold.
    /// - Throws: An error when there are no motion readings in the trace, or when the file cannot be written.
    public static func writeCSV(
        _ trace: TraceFile, to path: String, overwrite: Bool = false
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
        var file = try ExportFile(path: path, overwrite: overwrite)
        while let reading = readings.next() {
            guard let column = columns[reading.sensor] else {
                others += 1
                continue
            }
            rows.take(reading.value, of: column, at: reading.time)
            if rows.text.bytes.count > 1 << 15 {
                file.bytes.append(contentsOf: rows.takeBytes())
                try file.flushIfLarge()
            }
        }
        rows.endRow()
        file.bytes.append(contentsOf: rows.takeBytes())
        try file.close()
        var remarks = readings.remarks
        if others > 0 {
            remarks.append("\(others) readings of further sensors were left out: CSV has one of each kind.")
        }
        if let start = readings.start {
            remarks.append(
                "The start, \(CivilDate(start).iso8601(decimals: 3)), was left out: times in CSV count from it.")
        }
        return remarks
    }
}
