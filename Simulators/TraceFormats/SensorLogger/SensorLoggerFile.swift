// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads one sensor's file of Sensor Logger: `time,seconds_elapsed,z,y,x`, found by name and not by order.
struct SensorLoggerFile {
    private var reader: CSVReader
    private let time: Int?
    private let elapsed: Int?
    private let values: [Int]
    private let start: Int64

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - columns: the names of the values, in the order in which they are wanted.
    ///   - start: nanoseconds since 1970 that `seconds_elapsed` counts from, where there is no `time`.
    init(
        _ bytes: UnsafeRawBufferPointer, name: String, columns: [String], start: Int64
    ) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        time = reader.column("time")
        elapsed = reader.column("seconds_elapsed")
        guard time != nil || elapsed != nil else {
            throw reader.place(nil).error(
                "there is no column time and none seconds_elapsed. Is it a file of Sensor Logger?")
        }
        var found: [Int] = []
        for column in columns {
            guard let index = reader.column(column) else {
                throw reader.place(nil).error("there is no column \(column). Is it a file of Sensor Logger?")
            }
            found.append(index)
        }
        values = found
        self.start = start
    }

    /// The next row with all its values, its time in nanoseconds since 1970; nil at the end.
    ///
    /// A last row without a line end counts only when nothing is missing in it.
    mutating func next() throws(DeviceError) -> (time: Int64, value: SIMD3<Double>)? {
        while try reader.next() {
            if reader.isOpenEnded, reader.cells.count < reader.header.count { return nil }
            var value = SIMD3<Double>.zero
            var isWhole = true
            for (axis, column) in values.enumerated() {
                guard let number = try reader.number(column) else {
                    isWhole = false
                    break
                }
                value[axis] = number
            }
            guard isWhole else { continue }
            return (try rowTime(), value)
        }
        return nil
    }

    private func rowTime() throws(DeviceError) -> Int64 {
        if let time, let number = try reader.decimal(time), let value = number.scaled(byPowerOfTen: 0) { return value }
        if let elapsed, let number = try reader.decimal(elapsed), let value = number.scaled(byPowerOfTen: 9) {
            return start.addingSaturated(value)
        }
        throw reader.place(time ?? elapsed).error(
            "the row has readings and no time, which is in nanoseconds since 1970. Fill it in, or remove the row.")
    }
}
