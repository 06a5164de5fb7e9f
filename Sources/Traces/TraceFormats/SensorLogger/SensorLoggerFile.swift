// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads one sensor's file of Sensor Logger: `time,seconds_elapsed,z,y,x`, found by name and not by order.
struct SensorLoggerFile {
    private var reader: CSVReader
    private let time: SensorLoggerTime
    private let values: [Int]

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
        time = try SensorLoggerTime(reader, start: start)
        var found: [Int] = []
        for column in columns {
            guard let index = reader.column(column) else {
                throw reader.place(nil).error("there is no column \(column). Is it a file of Sensor Logger?")
            }
            found.append(index)
        }
        values = found
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
            return (try time.of(reader), value)
        }
        return nil
    }
}
