// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Where the rows of a file of Sensor Logger have their times.
struct SensorLoggerTime {
    /// Smaller times, in nanoseconds, are not since 1970.
    static let earliest: Int64 = 1_000_000_000_000_000

    private let time: Int?
    private let elapsed: Int?
    private let start: Int64

    /// Finds the columns in a header.
    ///
    /// - Parameter start: nanoseconds since 1970 that `seconds_elapsed` counts from, where there is no `time`.
    init(_ reader: borrowing CSVReader, start: Int64) throws(DeviceError) {
        time = reader.column("time")
        elapsed = reader.column("seconds_elapsed")
        guard time != nil || elapsed != nil else {
            throw reader.place(nil).error(
                "there is no column time and none seconds_elapsed. Is it a file of Sensor Logger?")
        }
        self.start = start
    }

    /// Nanoseconds since 1970 of the row that was read last.
    func of(_ reader: borrowing CSVReader) throws(DeviceError) -> Int64 {
        if let time, let number = try reader.decimal(time), let value = number.scaled(byPowerOfTen: 0) { return value }
        if let elapsed, let number = try reader.decimal(elapsed), let value = number.scaled(byPowerOfTen: 9) {
            return start.addingSaturated(value)
        }
        throw reader.place(time ?? elapsed).error(
            "the row has readings and no time, which is in nanoseconds since 1970. Fill it in, or remove the row.")
    }
}
