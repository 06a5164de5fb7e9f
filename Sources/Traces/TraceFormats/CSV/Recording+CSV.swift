// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension Recording {
    /// Reads a CSV file of motion readings; ``MotionCSVLayout`` lists the kinds.
    ///
    /// Columns may stand in any order and more may be there. An empty cell, or NaN, is no reading; a row that has only
    /// some axes of a sensor gives no reading of it. Lines that begin with # are comments. Separators are commas,
    /// semicolons or tabs; decimal commas are refused. Times may start anywhere; seconds since 1970 become ``start``.
    ///
    /// - Parameters:
    ///   - csv: the file, in UTF-8.
    ///   - name: what to call it in messages.
    ///   - options: what the file does not say.
    /// - Throws: an error of code `invalidTrace` that names the line and the column, and says how to mend it.
    public init(csv: [UInt8], name: String, options: MotionCSVOptions = .init()) throws(DeviceError) {
        self = try csv.borrowed { (bytes) throws(DeviceError) in
            var reader = try MotionCSVReader(bytes, name: name, options: options)
            return try reader.read()
        }
    }

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

    /// The names of the columns of a CSV file, in lower case; empty when it has no header that can be read.
    static func csvColumns(of bytes: UnsafeRawBufferPointer) -> [String] {
        do throws(DeviceError) {
            var reader = try CSVReader(bytes, name: "")
            try reader.readHeader()
            return reader.header
        } catch {
            return []
        }
    }
}
