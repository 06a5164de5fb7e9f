// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A text format with one waypoint per line: `latitude,longitude[,altitude[,speed[,pause]]]`.
///
///     # latitude and longitude in degrees, altitude in metres, speed in m/s, pause in seconds
///     48.1370,11.5750,520,1.4
///     48.1379,11.5762,,,120
///     48.1370,11.5750
///
/// Fields are separated by commas, semicolons, tabs or spaces. If they are separated by commas or semicolons, fields
/// can be empty. An empty altitude or speed is copied from the preceding waypoint, and an empty pause means 0. An
/// optional first line with column names (lat, lon, alt, speed, pause or their long forms) determines the order of the
/// columns. Empty lines and # comments are ignored.
package enum WaypointList {
    /// The maximum length of a line, in bytes.
    private static let maximumLine = 1_000

    private enum Column {
        case latitude, longitude, altitude, speed, pause

        init?(_ name: Substring) {
            switch name.lowercased() {
            case "lat", "latitude": self = .latitude
            case "lon", "lng", "long", "longitude": self = .longitude
            case "alt", "altitude", "ele", "elevation": self = .altitude
            case "speed": self = .speed
            case "pause": self = .pause
            default: return nil
            }
        }

        static let standard: [Column] = [.latitude, .longitude, .altitude, .speed, .pause]
    }

    /// Returns true if the first line that is neither empty nor a comment is a waypoint or a valid header.
    package static func isWaypointList(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let line = nextLine(&rest) {
            guard let fields = fields(line), !fields.isEmpty else {
                if line.count > maximumLine || isBinary(line) { return false }
                continue
            }
            if let columns = columns(fields) { return columns.contains(.latitude) && columns.contains(.longitude) }
            return (2...5).contains(fields.count) && fields.allSatisfy { $0.isEmpty || number($0) != nil }
        }
        return false
    }

    /// Parses waypoints from UTF-8 text. Error messages contain `name`, the number of the invalid line, and the reason.
    package static func read(_ bytes: [UInt8], name: String) throws(DeviceError) -> [Waypoint] {
        let name = TerminalSanitizer.sanitized(name)
        var waypoints: [Waypoint] = []
        var order = Column.standard
        var isFirst = true
        var rest = bytes[...]
        var lineNumber = 0
        while let line = nextLine(&rest) {
            lineNumber += 1
            func fail(_ what: String) -> DeviceError {
                DeviceError(.invalidTrace, "\(name), line \(lineNumber): \(what)")
            }
            guard let fields = fields(line) else {
                throw fail("this is not a list of waypoints: a line has at most \(maximumLine) bytes of UTF-8.")
            }
            guard !fields.isEmpty else { continue }
            if isFirst, let columns = columns(fields) {
                guard columns.contains(.latitude), columns.contains(.longitude) else {
                    throw fail("the column names lack lat or lon.")
                }
                order = columns
                isFirst = false
                continue
            }
            isFirst = false
            guard (2...order.count).contains(fields.count) else {
                throw fail("the line has \(fields.count) fields, but a waypoint is lat,lon[,alt[,speed[,pause]]].")
            }
            var waypoint = Waypoint(latitude: .nan, longitude: .nan)
            for (column, field) in zip(order, fields) where !field.isEmpty {
                guard let value = number(field) else {
                    throw fail(
                        "\"\(TerminalSanitizer.sanitized(String(field.prefix(40))))\" is not a number. Write digits and a decimal point."
                    )
                }
                switch column {
                case .latitude: waypoint.latitude = value
                case .longitude: waypoint.longitude = value
                case .altitude: waypoint.altitude = value
                case .speed: waypoint.speed = value
                case .pause: waypoint.pause = value
                }
            }
            guard abs(waypoint.latitude) <= 90, abs(waypoint.longitude) <= 360 else {
                throw fail("latitude and longitude must be in degrees, from -90 to 90 and from -360 to 360.")
            }
            guard waypoints.count < MotionRoute.maximumCount else {
                throw fail("there are more than \(MotionRoute.maximumCount) waypoints. Split the route into parts.")
            }
            waypoints.append(waypoint)
        }
        guard !waypoints.isEmpty else {
            throw DeviceError(
                .invalidTrace, "\(name) contains no waypoints. Write one per line: lat,lon[,alt[,speed[,pause]]].")
        }
        return waypoints
    }

    /// Removes and returns the next line without its line ending, or returns nil at the end of the text.
    private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[min(end + 1, rest.endIndex)...]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    private static func isBinary(_ line: ArraySlice<UInt8>) -> Bool { String(validating: line, as: UTF8.self) == nil }

    /// Returns the fields of a line, an empty array for an empty line or a comment, or nil for an invalid line.
    private static func fields(_ line: ArraySlice<UInt8>) -> [Substring]? {
        guard line.count <= maximumLine, var text = String(validating: line, as: UTF8.self)?[...] else { return nil }
        if text.unicodeScalars.first == "\u{feff}" { text = Substring(text.unicodeScalars.dropFirst()) }
        text = trimmed(text)
        guard !text.isEmpty, text.first != "#" else { return [] }
        for separator in [",", ";"] as [Character] where text.contains(separator) {
            var fields = text.split(separator: separator, omittingEmptySubsequences: false).map(trimmed)
            // A trailing separator does not start another field.
            if fields.count > 2, fields.last?.isEmpty == true { fields.removeLast() }
            return fields
        }
        return text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// Returns the columns of a header, or nil if the line contains an unknown or duplicate name.
    private static func columns(_ fields: [Substring]) -> [Column]? {
        let columns = fields.compactMap { Column($0) }
        return columns.count == fields.count && Set(columns).count == columns.count ? columns : nil
    }

    private static func number(_ text: Substring) -> Double? {
        // `Double` would also accept "nan", "infinity" and hexadecimal numbers.
        let isDecimal = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains($0)
        }
        guard isDecimal, let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
