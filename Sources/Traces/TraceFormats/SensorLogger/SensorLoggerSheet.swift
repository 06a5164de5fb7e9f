// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// One file of Sensor Logger that is being written.
final class SensorLoggerSheet {
    /// The name of the file without its ending, which is what Metadata.csv calls the sensor.
    let name: String
    private var file: ExportFile
    private let origin: Int64
    private var count = 0
    private var first: Int64 = 0
    private var last: Int64 = 0

    /// Makes the file and writes its header.
    ///
    /// - Parameters:
    ///   - columns: those behind the two of time.
    ///   - origin: nanoseconds since 1970 at time zero.
    init(_ name: String, columns: StaticString, folder: String, overwrite: Bool, origin: Int64) throws(DeviceError) {
        self.name = name
        self.origin = origin
        file = try ExportFile(path: "\(folder)/\(name).csv", overwrite: overwrite)
        file.text("time,seconds_elapsed,")
        file.text(columns)
        file.text("\n")
    }

    /// Begins a row with its two times.
    ///
    /// - Parameter time: nanoseconds since the start.
    func begin(_ time: Int64) {
        if count == 0 { first = time }
        last = time
        count += 1
        file.bytes.append(contentsOf: String(origin.addingSaturated(time)).utf8)
        file.text(",")
        NanosecondText.append(time, to: &file.bytes)
    }

    /// Adds a number in the shortest form that reads back as the same value; an empty cell when it is not finite.
    func number(_ value: Double) {
        file.text(",")
        guard value.isFinite else { return }
        var text = value.description
        text.withUTF8 { file.bytes.append(contentsOf: $0) }
    }

    /// Adds a number with at most so many decimals; an empty cell, or the number that stands for what is not known, when
    /// it is not finite.
    func number(_ value: Double, decimals: Int, unknown: StaticString = "") {
        file.text(",")
        if value.magnitude < 1e15 { file.number(value, decimals: decimals) } else { file.text(unknown) }
    }

    /// Adds a word.
    func word(_ text: String) {
        file.text(",")
        file.bytes.append(contentsOf: text.utf8)
    }

    /// Ends the row.
    func end() throws(DeviceError) {
        file.text("\n")
        try file.flushIfLarge()
    }

    /// Writes what is left.
    func close() throws(DeviceError) { try file.close() }

    /// Milliseconds from row to row; 0 when there are not two.
    var period: Int64 {
        guard count > 1 else { return 0 }
        let span = last.subtractingSaturated(first)
        return Int64((Double(span) / Double(count - 1) / 1e6).rounded())
    }
}
