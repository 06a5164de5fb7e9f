// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

/// Encodes a table whose first column, `t`, contains times. The other columns form groups, such as a sensor's axes. Cells
/// must be appended in chronological order. Cells with the same time share a row. If a group has no cells at that time,
/// its columns are empty.
struct CSVRowEncoder {
    private(set) var bytes: [UInt8]
    private let emptyCells: [[UInt8]]
    /// The time of the pending row, or nil if no row is pending.
    private var time: Int64?
    /// The cells of the pending row, each preceded by a comma. A group without cells has an empty array.
    private var cells: [[UInt8]]

    init(columns: [[String]]) {
        bytes = Array((["t"] + columns.joined()).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
        emptyCells = columns.map { $0.map { _ in UInt8(ascii: ",") } }
        cells = columns.map { _ in [] }
    }

    /// Appends the cells of a group. The closure appends a comma and the text of each cell.
    mutating func append(to group: Int, at time: Int64, _ write: (inout [UInt8]) -> Void) {
        if time != self.time || !cells[group].isEmpty { endRow() }
        self.time = time
        write(&cells[group])
    }

    /// Appends the pending row. The time is written in seconds with nine decimals.
    mutating func endRow() {
        guard let time else { return }
        self.time = nil
        TraceSeconds.append(time, to: &bytes)
        for group in cells.indices {
            bytes.append(contentsOf: cells[group].isEmpty ? emptyCells[group] : cells[group])
            cells[group].removeAll(keepingCapacity: true)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func drain() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }
}

extension CSVRowEncoder {
    /// The order of the sensors' columns.
    static let kinds = [SensorKind.gyroscope] + SensorKind.allCases.filter { $0 != .gyroscope }

    /// Appends a motion reading, with the numbers in their shortest decimal form.
    mutating func append(_ value: SIMD3<Double>, of sensor: SensorDescription, to group: Int, at time: Int64) {
        let value = Self.siValue(value, sensor)
        append(to: group, at: time) { cells in
            for axis in 0..<sensor.kind.csvColumns.count {
                cells.append(UInt8(ascii: ","))
                if value[axis].isFinite { cells.append(contentsOf: value[axis].description.utf8) }
            }
        }
    }

    /// Converts a reading to the device's axes, and a magnetic field to microtesla.
    private static func siValue(_ value: SIMD3<Double>, _ sensor: SensorDescription) -> SIMD3<Double> {
        let value = sensor.kind.isVector && !sensor.mountMatrix.isIdentity ? sensor.mountMatrix.apply(to: value) : value
        return sensor.kind == .magnetometer ? SampleConventions.microtesla(gauss: value) : value
    }

    /// Appends a position in the columns of ``PositionColumns``.
    mutating func append(_ epoch: PositionEpochs.Epoch, to group: Int, at time: Int64) {
        append(to: group, at: time) { cells in
            for column in PositionColumns.all {
                cells.append(UInt8(ascii: ","))
                if column.quantity == .fixTime {
                    guard let time = epoch.report.time else { continue }
                    let decimals = time.nanoseconds % 1_000_000 == 0 ? 3 : 9
                    CivilDate(time).appendISO8601(decimals: decimals, to: &cells)
                } else {
                    let value = PositionColumns.value(of: column.quantity, in: epoch)
                    if value.magnitude < FixedDecimal.limit { cells.appendNumber(value, decimals: 9) }
                }
            }
        }
    }
}
