// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads a position file from Sensor Logger. All columns except the coordinates are optional.
struct SensorLoggerLocation {
    private static let names: [(quantity: CSVQuantity, name: String)] = [
        (.lat, "latitude"), (.lon, "longitude"), (.altHAE, "altitude"), (.altMSL, "altitudeabovemeansealevel"),
        (.speed, "speed"), (.course, "bearing"), (.horizontalAccuracy, "horizontalaccuracy"),
        (.verticalAccuracy, "verticalaccuracy"), (.speedAccuracy, "speedaccuracy"),
        (.courseAccuracy, "bearingaccuracy"),
    ]

    private var rows: SensorLoggerRowReader
    private var columns: [CSVQuantity: Int] = [:]
    private let isWatch: Bool
    private let isIOS: Bool
    private(set) var rowsOutOfRange = 0
    var remarks: [String] { rows.reader.remarks }

    /// If `isWatch` is true, the file is from a watch, and `altitude` is above mean sea level. If `isIOS` is true, the
    /// file is from iOS, and a negative accuracy means that the value is invalid.
    init(_ rows: SensorLoggerRowReader, isWatch: Bool, isIOS: Bool) throws(DeviceError) {
        (self.rows, self.isWatch, self.isIOS) = (rows, isWatch, isIOS)
        for (quantity, name) in Self.names { columns[quantity] = rows.reader.column(name) }
        guard columns[.lat] != nil, columns[.lon] != nil else {
            throw rows.reader.error("the column latitude or longitude is missing. Is it a Sensor Logger file?")
        }
    }

    /// Returns the next position and its time in nanoseconds since 1970, or nil at the end of the file.
    mutating func next() throws(DeviceError) -> (time: Int64, report: PositionReport)? {
        while try rows.reader.next() {
            var report = PositionReport()
            report.latitude = try number(.lat)
            report.longitude = try number(.lon)
            guard report.hasValidCoordinates else {
                rowsOutOfRange += 1
                continue
            }
            let time = try rows.time()
            // A time before `earliestCivilTime` is relative to an unknown origin, so the civil time is unknown.
            report.time = time >= SensorLoggerRowReader.earliestCivilTime ? WallTime(nanoseconds: time) : nil
            for quantity in CSVQuantity.ofPositions { report.set(quantity, try value(quantity)) }
            report.setMode()
            if isIOS, try number(.horizontalAccuracy) < 0 { report.mode = .none }
            return (time, report)
        }
        return nil
    }

    /// Returns true if any position contains a speed or course. Reads rows, so it must be called on a copy.
    mutating func containsMotion() throws(DeviceError) -> Bool {
        while let (_, report) = try next() {
            if !report.speed.isNaN || !report.track.isNaN { return true }
        }
        return false
    }

    private func number(_ quantity: CSVQuantity) throws(DeviceError) -> Double {
        try rows.reader.value(columns[quantity])
    }

    /// Returns the value of a quantity as gpsd would report it, or NaN if it is unknown.
    private func value(_ quantity: CSVQuantity) throws(DeviceError) -> Double {
        let number = try number(quantity)
        switch quantity {
        case .horizontalAccuracy, .verticalAccuracy, .speedAccuracy, .courseAccuracy:
            // Android writes 0 for an unknown accuracy.
            return number > 0 ? number : .nan
        case .altMSL, .altHAE:
            // On iOS, an altitude is valid only if its accuracy is positive.
            if isIOS, try self.number(.verticalAccuracy) <= 0 { return .nan }
            guard isWatch else { return number }
            guard quantity == .altMSL else { return .nan }
            let above = try self.number(.altHAE)
            return above.isNaN ? number : above
        default: return number
        }
    }
}
