// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A fix as two NMEA 0183 sentences, GGA and RMC, which nearly every program can read.
///
/// Each sentence ends with a checksum. A line that was truncated or filled with zeros by a power failure is therefore
/// detected.
package enum NMEARecord {
    /// Returns the sentences for a location.
    package static func bytes(_ location: CLLocation) -> [UInt8] {
        let (date, time) = stamp(location.timestamp)
        let coordinate = location.coordinate
        let position =
            degrees(coordinate.latitude, "NS", width: 2) + "," + degrees(coordinate.longitude, "EW", width: 3)
        let used = location.satellites.filter(\.isUsed).count
        // Unknown fields stay empty. Altitudes are written even if their accuracy is unknown.
        let (sea, ellipsoid) = (location.altitudeAboveSeaLevel, location.altitudeAboveEllipsoid)
        let altitude = sea.map { String(format: "%.1f", $0) } ?? ""
        let separation = sea.flatMap { sea in ellipsoid.map { String(format: "%.1f", $0 - sea) } } ?? ""
        // One knot is 1852 m/h.
        let speed = location.speed >= 0 ? String(format: "%.2f", location.speed * 3600 / 1852) : ""
        let course = location.course >= 0 ? String(format: "%.1f", location.course) : ""
        let sentences = [
            "GPGGA,\(time),\(position),1,\(String(format: "%02d", used)),,\(altitude),M,\(separation),M,,",
            "GPRMC,\(time),A,\(position),\(speed),\(course),\(date),,",
        ]
        return sentences.flatMap { Array(String(format: "$\($0)*%02X\r\n", checksum($0.utf8)).utf8) }
    }

    /// Returns the range of the last complete record, or nil if there is none. The bytes after it are incomplete.
    package static func last(in bytes: [UInt8]) -> Range<Int>? {
        var end: Int?
        for index in bytes.indices.reversed() where index == 0 || bytes[index - 1] == UInt8(ascii: "\n") {
            guard let newline = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) else { continue }
            let line = bytes[index..<newline]
            if let end, isWhole(line, "$GPGGA,") { return index..<end }
            end = isWhole(line, "$GPRMC,") ? newline + 1 : nil
        }
        return nil
    }

    private static func isWhole(_ line: ArraySlice<UInt8>, _ beginning: String) -> Bool {
        guard line.starts(with: beginning.utf8), let star = line.lastIndex(of: UInt8(ascii: "*")) else { return false }
        return line[star...].elementsEqual(String(format: "*%02X\r", checksum(line[..<star].dropFirst())).utf8)
    }

    private static func checksum(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 ^ Int($1) } }

    /// Returns degrees and minutes, with a resolution of 2 cm. Uses integers, so that minutes never round up to 60.
    private static func degrees(_ angle: Double, _ signs: String, width: Int) -> String {
        let parts = Int((abs(angle) * 60 * 100_000).rounded())
        let (minutes, rest) = (parts / 100_000 % 60, parts % 100_000)
        return String(format: "%0\(width)d%02d.%05d,", parts / 6_000_000, minutes, rest)
            + (angle < 0 ? signs.suffix(1) : signs.prefix(1))
    }

    /// Returns the date and the time of day in UTC.
    private static func stamp(_ date: Date) -> (date: String, time: String) {
        let hundredths = Int((date.timeIntervalSince1970 * 100).rounded())
        var (seconds, day) = (time_t(hundredths / 100), tm())
        gmtime_r(&seconds, &day)
        return (
            String(format: "%02d%02d%02d", day.tm_mday, day.tm_mon + 1, day.tm_year % 100),
            String(format: "%02d%02d%02d.%02d", day.tm_hour, day.tm_min, day.tm_sec, hundredths % 100)
        )
    }
}
