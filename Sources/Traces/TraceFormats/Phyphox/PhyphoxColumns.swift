// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Where a table of phyphox holds what, told from the names of its columns and the units in brackets behind them.
struct PhyphoxColumns {
    /// The first column of each quantity. Acceleration is with gravity, in Android's sign on all systems.
    private(set) var columns: [CSVQuantity: TableRows.Column] = [:]
    /// The axes of acceleration without gravity.
    private var linearAxes: Set<Int> = []

    /// Words that sensors without gravity have in their names, in several languages.
    private static let linearWords = ["linea", "linéa", "without g", "ohne g", "sans g"]

    /// Finds the columns in a header, in lower case; nil for a table without seconds, or without anything that is read.
    ///
    /// - Parameter sheet: the name of the table in lower case. Where it names the sensor the columns are called by their
    ///   axes only.
    init?(_ header: [String], sheet: String) {
        for (index, name) in header.enumerated() { take(name, index, sheet) }
        let hasOthers = !linearAxes.isEmpty || columns.keys.contains { $0 != .time && $0 != .sats }
        guard columns[.time] != nil, hasOthers else { return nil }
    }

    /// True when there is acceleration without gravity.
    var hasLinear: Bool { linearAxes.count == 3 }

    /// True when there are all columns of a sensor.
    func has(_ kind: SensorKind) -> Bool { kind.csvQuantities.allSatisfy { columns[$0] != nil } }

    /// Passes over what is not wanted.
    mutating func remove(_ quantities: [CSVQuantity]) { for quantity in quantities { columns[quantity] = nil } }

    private mutating func take(_ name: String, _ index: Int, _ sheet: String) {
        func found(_ quantity: CSVQuantity, _ unit: CSVUnit? = nil) {
            if columns[quantity] == nil { columns[quantity] = TableRows.Column(index: index, unit: unit) }
        }
        guard name != "satellites" else { return found(.sats) }
        guard let (quantity, unit) = Self.parts(name) else { return }
        let axis = Self.axis(quantity)
        switch unit {
        case "s": found(.time)
        case "m/s^2", "m/s²":
            guard let axis else { return }
            if Self.linearWords.contains(where: { quantity.contains($0) || sheet.contains($0) }) {
                linearAxes.insert(axis)
            } else {
                found(SensorKind.accelerometer.csvQuantities[axis])
            }
        case "rad/s": if let axis { found(SensorKind.gyroscope.csvQuantities[axis]) }
        // The micro sign, the Greek letter, and what becomes of the former when its bytes are taken for Latin-1.
        case "\u{b5}t", "\u{3bc}t", "\u{e2}\u{b5}t", "ut":
            if let axis { found(SensorKind.magnetometer.csvQuantities[axis], CSVUnit("uT", 1, 100)) }
        case "hpa": found(.pressure, CSVUnit("hPa", 1, 10))
        default: if let place = Self.place(quantity, unit) { found(place) }
        }
    }

    private static func place(_ quantity: String, _ unit: String) -> CSVQuantity? {
        switch quantity {
        case "latitude": .lat
        case "longitude": .lon
        case "direction": .course
        case "velocity" where unit == "m/s", "speed" where unit == "m/s": .speed
        case "height" where unit == "m", "altitude" where unit == "m": .altMSL
        case "height wgs84" where unit == "m", "altitude wgs84" where unit == "m": .altHAE
        // Metres. Some exports label the vertical one in degrees, which it never is.
        case "horizontal accuracy": .horizontalAccuracy
        case "vertical accuracy": .verticalAccuracy
        default: nil
        }
    }

    /// `acceleration x (m/s^2)` in two.
    private static func parts(_ name: String) -> (quantity: String, unit: String)? {
        guard name.utf8.count <= 200, name.hasSuffix(")"), let open = name.lastIndex(of: "(") else { return nil }
        var quantity = name[..<open]
        while quantity.last == " " { quantity.removeLast() }
        return (String(quantity), String(name[name.index(after: open)...].dropLast()))
    }

    /// The axis that stands at the end, alone or behind a blank.
    private static func axis(_ quantity: String) -> Int? {
        let letter = quantity.split(separator: " ").last
        return letter.flatMap { ["x", "y", "z"].firstIndex(of: String($0)) }
    }
}
