// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads one table of phyphox row by row.
struct PhyphoxSheet {
    private var reader: CSVReader
    private let columns: [PhyphoxColumn: Int]
    private let time: Int
    /// Rows with numbers in them and no time.
    private(set) var timeless = 0

    /// Reads the header; nil when it is no table of phyphox.
    ///
    /// - Parameters:
    ///   - name: what to call the file in messages.
    ///   - sheet: the table's name, which may say what sensor it is of.
    init?(_ bytes: UnsafeRawBufferPointer, name: String, sheet: String) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        reader.allowsDecimalComma = true
        try reader.readHeader(allowsRepeatedNames: true)
        let sheet = sheet.lowercased()
        var found: [PhyphoxColumn: Int] = [:]
        for (index, name) in reader.header.enumerated() {
            guard let column = PhyphoxColumn(name, sheet: sheet), found[column] == nil else { continue }
            found[column] = index
        }
        guard let time = found[.time], PhyphoxColumn.areThere(in: reader.header, sheet: sheet) else { return nil }
        columns = found
        self.time = time
    }

    /// True when there is that column.
    func has(_ column: PhyphoxColumn) -> Bool { columns[column] != nil }

    /// True when there are all three axes.
    func hasVector(_ column: (Int) -> PhyphoxColumn) -> Bool { (0..<3).allSatisfy { has(column($0)) } }

    /// Goes to the next row that has a time, which is returned in nanoseconds of the experiment; nil at the end.
    mutating func next() throws(DeviceError) -> Int64? {
        while try reader.next() {
            // A last row without a line end was cut off when something is missing in it.
            if reader.isOpenEnded, reader.cells.count < reader.header.count { return nil }
            guard let number = try reader.decimal(time) else {
                // Columns of different lengths are filled up with NaN.
                if reader.cells.indices.contains(where: { $0 != time && !isEmpty($0) }) { timeless += 1 }
                continue
            }
            guard let time = number.scaled(byPowerOfTen: 9) else {
                throw reader.place(time).error(
                    "the time \"\(reader.text(time).prefix(40))\" is out of range; it is in seconds.")
            }
            return time
        }
        return nil
    }

    private func isEmpty(_ index: Int) -> Bool {
        let text = reader.text(index)
        return text.isEmpty || text.lowercased() == "nan"
    }

    /// A number of this row; NaN when there is none.
    func number(_ column: PhyphoxColumn) throws(DeviceError) -> Double {
        guard let index = columns[column] else { return .nan }
        return try reader.number(index) ?? .nan
    }

    /// Three numbers of this row; nil when one of them is missing.
    func vector(_ column: (Int) -> PhyphoxColumn) throws(DeviceError) -> SIMD3<Double>? {
        let value = SIMD3(try number(column(0)), try number(column(1)), try number(column(2)))
        return value.x.isNaN || value.y.isNaN || value.z.isNaN ? nil : value
    }

    /// The position of this row; nil when there is none.
    func position() throws(DeviceError) -> PositionReport? {
        var report = PositionReport()
        report.latitude = try number(.latitude)
        report.longitude = try number(.longitude)
        guard report.latitude.magnitude <= 90, report.longitude.magnitude <= 180 else { return nil }
        report.altitudeMSL = try number(.altitude)
        report.altitudeHAE = try number(.altitudeWGS84)
        report.geoidSeparation = report.altitudeHAE - report.altitudeMSL
        // iOS has numbers below zero for what is not known.
        report.speed = try known(.speed)
        let direction = try known(.direction)
        report.track = direction <= 360 ? direction : .nan
        report.horizontalError = try known(.horizontalAccuracy)
        report.verticalError = try known(.verticalAccuracy)
        report.mode =
            report.altitudeMSL.isNaN && report.altitudeHAE.isNaN ? .twoDimensional : .threeDimensional
        return report
    }

    private func known(_ column: PhyphoxColumn) throws(DeviceError) -> Double {
        let value = try number(column)
        return value >= 0 ? value : .nan
    }

    /// The satellites of this row; nil when they are not told.
    func satellites() throws(DeviceError) -> Int32? {
        let value = try number(.satellites)
        return value >= 0 && value <= 1000 ? Int32(value) : nil
    }
}
