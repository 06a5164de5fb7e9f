// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension Recording {
    /// Reads a table of motion readings and positions whose columns a map names.
    ///
    /// An empty cell, or NaN, is no reading; a row that has only some axes of a sensor gives no reading of it. Lines that
    /// begin with # are comments. Where rows of motion readings repeat the position before, it counts once a second.
    /// Positions without speed or course get those of the way between them.
    ///
    /// - Parameters:
    ///   - table: the file, in UTF-8.
    ///   - name: what to call it in messages.
    ///   - columns: what its columns hold.
    /// - Throws: an error of code `invalidTrace` that names the line and the column, and says what to write instead.
    public init(table: [UInt8], name: String, columns: CSVColumnMap) throws(DeviceError) {
        self = try table.borrowed { (bytes) throws(DeviceError) -> Recording in
            var reader = try CSVTableReader(bytes, name: name, map: columns)
            return try reader.read()
        }
    }
}
