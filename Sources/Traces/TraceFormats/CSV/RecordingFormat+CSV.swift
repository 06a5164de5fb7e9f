// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

extension RecordingFormat {
    /// Positions and motion readings as a table (``ExportOptions/table``). Positions have the columns of
    /// ``PositionColumns``, and motion readings those of the layout ``MotionCSVLayout/si``. Columns of missing sensors
    /// are omitted. The mount matrix is applied, so readings are in the device's axes. Only the first sensor of each
    /// kind is written.
    package static let csv = RecordingFormat(
        name: "csv", title: "CSV of positions or motion", fileExtensions: [".csv"], supportsReceiverSelection: true,
        reportsDamage: true, detect: sniff, read: read,
        writer: { (trace, path, options) throws(DeviceError) in
            try trace.bytes.withUnsafeBytes { (bytes) throws(DeviceError) in
                var export = try CSVExport(trace, bytes, options)
                return try export.write(to: path)
            }
        })

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
        if PositionColumns.areContained(in: input.columns) || MotionCSVLayout(columns: input.columns) != nil {
            return .likely
        }
        return input.mayBeTable && input.name.lowercased().hasSuffix(".csv") && !input.containsNMEASentences
            ? .nameOnly : nil
    }

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        if options.csv.layout == nil, let map = CSVColumnMap(exportedColumns: input.columns) {
            return .recording(try Recording(table: try input.bytes(), name: input.name, columns: map))
        }
        return .recording(try Recording(csv: try input.bytes(), name: input.name, options: options.csv))
    }
}

/// Writes a trace as a table.
private struct CSVExport {
    private let bytes: UnsafeRawBufferPointer
    private let options: ExportOptions
    /// The positions, or nil if the table contains none. A receiver without a time is placed by `clock`.
    private var positions: PositionEpochs?
    private var clock = ReportClock()
    private var readings: SortedReadings?
    /// The group of columns of each sensor, or nil if the sensor is not written.
    private var groups: [Int?] = []
    private var rows: CSVRowEncoder
    private var omittedReadingCount = 0

    /// - Parameter bytes: The bytes of the trace, which must remain valid while the table is written.
    init(_ trace: TraceFile, _ bytes: UnsafeRawBufferPointer, _ options: ExportOptions) throws(DeviceError) {
        (self.bytes, self.options) = (bytes, options)
        var columns: [[String]] = []
        if options.table != .motion {
            let epochs = PositionEpochs(trace, receiver: options.receiver, includesMissing: true)
            var probe = epochs
            while positions == nil, let epoch = probe.next(bytes) { if epoch.report.hasFix { positions = epochs } }
            if positions != nil { columns.append(PositionColumns.all.map(\.name)) }
        }
        if options.table == .positions, positions == nil { throw PathWriter.missingPositions(trace, options) }
        if options.table != .positions {
            do throws(DeviceError) { readings = try SortedReadings(trace) } catch {
                if options.table == .motion { throw error }
                guard positions != nil else {
                    throw .invalidTrace("\(trace.name) contains neither positions nor motion readings to write.")
                }
            }
        }
        let sensors = readings?.sensors ?? []
        groups = sensors.map { _ in nil }
        for kind in CSVRowEncoder.kinds {
            guard let sensor = sensors.firstIndex(where: { $0.description.kind == kind && $0.count > 0 }) else {
                continue
            }
            groups[sensor] = columns.count
            columns.append(kind.csvColumns)
        }
        rows = CSVRowEncoder(columns: columns)
    }

    mutating func write(to path: String) throws(DeviceError) -> [String] {
        var file = try ExportFile(path: path, options)
        var position = nextPosition()
        var reading = readings?.next()
        while position != nil || reading != nil {
            if let (epoch, time) = position, time <= reading?.time ?? .max {
                rows.append(epoch, to: 0, at: time)
                position = nextPosition()
            } else if let current = reading {
                append(current)
                reading = readings?.next()
            }
            guard rows.bytes.count > 1 << 15 else { continue }
            file.bytes.append(contentsOf: rows.drain())
            try file.flushIfLarge()
        }
        rows.endRow()
        file.bytes.append(contentsOf: rows.drain())
        try file.close()
        return remarks
    }

    private mutating func nextPosition() -> (epoch: PositionEpochs.Epoch, time: Int64)? {
        while let epoch = positions?.next(bytes) {
            clock.advance(to: epoch.time)
            guard epoch.report.mode != .unknown else { continue }
            return (epoch, (epoch.arrival ?? clock.elapsed).addingSaturated(readings?.shift ?? 0))
        }
        return nil
    }

    private mutating func append(_ reading: SortedReadings.Reading) {
        guard let group = groups[reading.sensor], let sensor = readings?.sensors[reading.sensor] else {
            omittedReadingCount += 1
            return
        }
        rows.append(reading.value, of: sensor.description, to: group, at: reading.time)
    }

    private var remarks: [String] {
        var remarks = positions.map { $0.assembler.remarks } ?? []
        if let readings {
            remarks += readings.remarks
            remarks.appendRemark(
                count: omittedReadingCount,
                "readings of further sensors were omitted, because CSV contains one sensor of each kind.")
        } else if let positions {
            remarks += positions.diagnostics.remarks
        }
        if let positions {
            if !options.isDamageReported { remarks += positions.damage.remarks }
            remarks += positions.skippedContent.remarks(without: readings == nil ? [.skies] : [.skies, .readings])
        } else if let readings {
            remarks += readings.skippedContent.remarks()
            if let start = readings.start {
                remarks.append(
                    "The start time \(CivilDate(start).iso8601(decimals: 3)) was omitted, because times in CSV are relative to it."
                )
            }
        }
        return remarks
    }
}
