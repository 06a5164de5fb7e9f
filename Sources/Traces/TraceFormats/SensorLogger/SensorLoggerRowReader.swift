// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads one file of Sensor Logger row by row. Columns are identified by name.
struct SensorLoggerRowReader {
    /// The earliest time in nanoseconds that counts as civil time. Smaller values are times since an unknown start.
    static let earliestCivilTime: Int64 = 1_000_000_000_000_000

    var reader: CSVReader
    private let timeColumn: Int?
    private let elapsedColumn: Int?
    private let start: Int64

    /// Reads the header of a file.
    ///
    /// - Parameter start: The origin of `seconds_elapsed` in nanoseconds since 1970. Used for rows without `time`.
    init(_ bytes: UnsafeRawBufferPointer, name: String, start: Int64) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        timeColumn = reader.column("time")
        elapsedColumn = reader.column("seconds_elapsed")
        guard timeColumn != nil || elapsedColumn != nil else {
            throw reader.position(ofColumn: nil).error(
                "there is neither a column time nor a column seconds_elapsed. Is it a Sensor Logger file?")
        }
        self.start = start
    }

    /// Returns the index of a required column. `name` is spelled as in the app.
    func column(_ name: String) throws(DeviceError) -> Int {
        guard let column = reader.column(name.lowercased()) else {
            throw reader.position(ofColumn: nil).error("there is no column \(name). Is it a Sensor Logger file?")
        }
        return column
    }

    /// Returns the time of the row in nanoseconds since 1970.
    func time() throws(DeviceError) -> Int64 {
        if let timeColumn, let value = try reader.decimal(timeColumn)?.scaled(byPowerOfTen: 0) { return value }
        if let elapsedColumn, let value = try reader.decimal(elapsedColumn)?.scaled(byPowerOfTen: 9) {
            return start.addingSaturated(value)
        }
        throw reader.position(ofColumn: timeColumn ?? elapsedColumn).error(
            "the row has readings but no time in nanoseconds since 1970. Add the time, or remove the row.")
    }
}
