// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads one file of Sensor Logger row by row. Columns are found by name and not by order.
struct SensorLoggerRows {
    /// Smaller times, in nanoseconds, are not since 1970.
    static let earliest: Int64 = 1_000_000_000_000_000

    var reader: CSVReader
    private let timeColumn: Int?
    private let elapsedColumn: Int?
    private let start: Int64

    /// Reads the header.
    ///
    /// - Parameter start: nanoseconds since 1970 that `seconds_elapsed` counts from, where there is no `time`.
    init(_ bytes: UnsafeRawBufferPointer, name: String, start: Int64) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        timeColumn = reader.column("time")
        elapsedColumn = reader.column("seconds_elapsed")
        guard timeColumn != nil || elapsedColumn != nil else {
            throw reader.place(nil).error(
                "there is no column time and none seconds_elapsed. Is it a file of Sensor Logger?")
        }
        self.start = start
    }

    /// A column that has to be there, by its name as the app writes it.
    func column(_ name: String) throws(DeviceError) -> Int {
        guard let column = reader.column(name.lowercased()) else {
            throw reader.place(nil).error("there is no column \(name). Is it a file of Sensor Logger?")
        }
        return column
    }

    /// Nanoseconds since 1970 of the row.
    func time() throws(DeviceError) -> Int64 {
        if let timeColumn, let value = try reader.decimal(timeColumn)?.scaled(byPowerOfTen: 0) { return value }
        if let elapsedColumn, let value = try reader.decimal(elapsedColumn)?.scaled(byPowerOfTen: 9) {
            return start.addingSaturated(value)
        }
        throw reader.place(timeColumn ?? elapsedColumn).error(
            "the row has readings and no time, which is in nanoseconds since 1970. Fill it in, or remove the row.")
    }
}
