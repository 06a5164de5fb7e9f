// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The columns of a phyphox table, identified by their names and by the units that follow in parentheses.
struct PhyphoxColumns {
    /// The column of each quantity. If several columns contain the same quantity, the first is used. Acceleration
    /// includes gravity and follows Android's sign convention on all platforms.
    private(set) var columns: [CSVQuantity: TableRowConverter.Column] = [:]
    private var linearAxes: Set<Int> = []
    /// Words in several languages that identify acceleration without gravity.
    private static let linearWords = ["linea", "linéa", "without g", "ohne g", "sans g"]

    /// Finds the columns in a header, which must be in lower case. If column names contain only the axis, the table
    /// name `sheet` shows whether acceleration includes gravity. Returns nil if there is no column of times in seconds,
    /// or no column of a known quantity.
    init?(_ header: [String], sheet: String) {
        for (index, name) in header.enumerated() { addColumn(name, index, sheet) }
        let hasOthers = !linearAxes.isEmpty || columns.keys.contains { $0 != .time && $0 != .sats }
        guard columns[.time] != nil, hasOthers else { return nil }
    }

    var hasLinear: Bool { linearAxes.count == 3 }

    func has(_ kind: SensorKind) -> Bool { kind.csvQuantities.allSatisfy { columns[$0] != nil } }

    mutating func remove(_ quantities: [CSVQuantity]) { for quantity in quantities { columns[quantity] = nil } }

    private mutating func addColumn(_ name: String, _ index: Int, _ sheet: String) {
        func found(_ quantity: CSVQuantity, _ unit: CSVUnit? = nil) {
            if columns[quantity] == nil { columns[quantity] = TableRowConverter.Column(index: index, unit: unit) }
        }
        guard name != "satellites" else { return found(.sats) }
        guard let (quantity, unit) = Self.splitName(name) else { return }
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
        // The micro sign, the Greek letter mu, and the UTF-8 micro sign misread as Latin-1 (in lower case).
        case "\u{b5}t", "\u{3bc}t", "\u{e2}\u{b5}t", "ut":
            if let axis { found(SensorKind.magnetometer.csvQuantities[axis], CSVUnit("uT", 1, 100)) }
        case "hpa": found(.pressure, CSVUnit("hPa", 1, 10))
        default: if let positionQuantity = Self.positionQuantity(quantity, unit) { found(positionQuantity) }
        }
    }

    private static func positionQuantity(_ quantity: String, _ unit: String) -> CSVQuantity? {
        switch quantity {
        case "latitude": .lat
        case "longitude": .lon
        case "direction": .course
        case "velocity" where unit == "m/s", "speed" where unit == "m/s": .speed
        case "height" where unit == "m", "altitude" where unit == "m": .altMSL
        case "height wgs84" where unit == "m", "altitude wgs84" where unit == "m": .altHAE
        // Accuracies are always in metres, although some exports label the vertical accuracy as degrees.
        case "horizontal accuracy": .horizontalAccuracy
        case "vertical accuracy": .verticalAccuracy
        default: nil
        }
    }

    /// Splits a column name such as `acceleration x (m/s^2)` into its quantity and unit.
    private static func splitName(_ name: String) -> (quantity: String, unit: String)? {
        guard name.utf8.count <= 200, name.hasSuffix(")"), let open = name.lastIndex(of: "(") else { return nil }
        var quantity = name[..<open]
        while quantity.last == " " { quantity.removeLast() }
        return (String(quantity), String(name[name.index(after: open)...].dropLast()))
    }

    private static func axis(_ quantity: String) -> Int? {
        let letter = quantity.split(separator: " ").last
        return letter.flatMap { ["x", "y", "z"].firstIndex(of: String($0)) }
    }
}
