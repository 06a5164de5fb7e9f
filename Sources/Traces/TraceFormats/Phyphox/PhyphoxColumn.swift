// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a column of phyphox holds, told from its name and the unit in brackets behind it.
enum PhyphoxColumn: Hashable {
    /// Seconds since the experiment began.
    case time
    /// m/s², with gravity, in Android's sign on all systems; the axis is 0 to 2.
    case acceleration(Int)
    /// m/s², without gravity.
    case linearAcceleration(Int)
    /// rad/s
    case rate(Int)
    /// Microtesla
    case field(Int)
    /// Hectopascal
    case pressure
    /// Degrees
    case latitude, longitude, direction
    /// Metres above mean sea level.
    case altitude
    /// Metres above the ellipsoid.
    case altitudeWGS84
    /// m/s
    case speed
    /// Metres. Some exports label the vertical one in degrees, which it never is.
    case horizontalAccuracy, verticalAccuracy
    /// A count.
    case satellites

    /// Words that sensors without gravity have in their names, in several languages.
    private static let linearWords = ["linea", "linéa", "without g", "ohne g", "sans g"]

    /// The column of a name in lower case; nil when it is none that is read.
    ///
    /// - Parameter sheet: the name of the table in lower case. Where it names the sensor the columns are called by their
    ///   axes only.
    init?(_ name: String, sheet: String) {
        guard name != "satellites" else {
            self = .satellites
            return
        }
        guard let (quantity, unit) = Self.parts(name) else { return nil }
        switch unit {
        case "s":
            self = .time
        case "m/s^2", "m/s²":
            guard let axis = Self.axis(quantity) else { return nil }
            let isLinear = Self.linearWords.contains { quantity.contains($0) || sheet.contains($0) }
            self = isLinear ? .linearAcceleration(axis) : .acceleration(axis)
        case "rad/s":
            guard let axis = Self.axis(quantity) else { return nil }
            self = .rate(axis)
        // The micro sign, the Greek letter, and what becomes of the former when its bytes are taken for Latin-1.
        case "\u{b5}t", "\u{3bc}t", "\u{e2}\u{b5}t", "ut":
            guard let axis = Self.axis(quantity) else { return nil }
            self = .field(axis)
        case "hpa":
            self = .pressure
        default:
            guard let place = Self.place(quantity, unit) else { return nil }
            self = place
        }
    }

    private static func place(_ quantity: String, _ unit: String) -> PhyphoxColumn? {
        switch quantity {
        case "latitude": .latitude
        case "longitude": .longitude
        case "direction": .direction
        case "velocity" where unit == "m/s", "speed" where unit == "m/s": .speed
        case "height" where unit == "m", "altitude" where unit == "m": .altitude
        case "height wgs84" where unit == "m", "altitude wgs84" where unit == "m": .altitudeWGS84
        case "horizontal accuracy": .horizontalAccuracy
        case "vertical accuracy": .verticalAccuracy
        default: nil
        }
    }

    /// Whether columns, in lower case, are those of phyphox: seconds, and something that is read.
    static func areThere(in header: [String], sheet: String) -> Bool {
        let columns = header.compactMap { PhyphoxColumn($0, sheet: sheet) }
        return columns.contains(.time) && columns.contains { $0 != .time && $0 != .satellites }
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
