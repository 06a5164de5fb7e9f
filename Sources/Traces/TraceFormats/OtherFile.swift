// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Files that are not read here, known by how they begin, and the program that makes of them what is.
enum OtherFile {
    /// What the bytes at that place are, and what to do; PATH stands for the file's.
    private static let kinds: [(place: Int, bytes: [UInt8], advice: String)] = [
        (
            0, Array("SQLite format 3\0".utf8),
            "an SQLite database, as rosbag2 writes them. Make MCAP of it: ros2 bag convert -i PATH -o OPTIONS.yaml, with storage_id: mcap in the options"
        ),
        (
            0, Array("#ROSBAG V".utf8),
            "a bag of ROS 1. Make MCAP of it: mcap convert PATH out.mcap"
        ),
        (0, [0x0a, 0x0d, 0x0d, 0x0a], packets), (0, [0xd4, 0xc3, 0xb2, 0xa1], packets),
        (0, [0xa1, 0xb2, 0xc3, 0xd4], packets),
        (
            0, Array("@DEV ".utf8),
            "a dump of ioctls. Run the program under umockdev itself: umockdev-run --ioctl=NODE=PATH"
        ),
        (8, Array(".FIT".utf8), "a FIT file. Make GPX of it: gpsbabel -i garmin_fit -f PATH -o gpx -F out.gpx"),
        (
            0, [0x50, 0x4b, 0x03, 0x04],
            "a zip archive. Unpack it, and name the folder: unzip PATH -d FOLDER"
        ),
    ]

    private static let packets =
        "a capture of packets. Run the program under umockdev itself: umockdev-run --pcap=DEVICE=PATH"

    private static let geoJSON =
        "GeoJSON, which need not have times. Make GPX of it: gpsbabel -i geojson -f PATH -o gpx -F out.gpx"

    /// The error for a file that begins so; nil for one that may be read.
    static func error(_ prefix: some Collection<UInt8>, _ path: String) -> DeviceError? {
        // No kind is told by more.
        let bytes = Array(prefix.prefix(4096))
        guard let advice = advice(bytes) else { return nil }
        return DeviceError(.notSupported, "\(path) is \(advice.replacing("PATH", with: path))")
    }

    private static func advice(_ bytes: [UInt8]) -> String? {
        if let kind = kinds.first(where: { bytes.dropFirst($0.place).starts(with: $0.bytes) }) { return kind.advice }
        let text = bytes.drop { [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }
        if text.first == UInt8(ascii: "<") { return advice(onXML: bytes) }
        guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else { return nil }
        // Of the members' order nothing is said, and blanks may stand anywhere.
        let plain = text.prefix(512).filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let isOurs = plain.starts(with: "{\"format\"".utf8) || plain.starts(with: "{\"class\"".utf8)
        if isOurs { return nil }
        if plain.contains("\"type\":\"Feature".utf8) { return geoJSON }
        return phoneKeys.contains { plain.contains($0.utf8) } ? phoneJSON : nil
    }

    /// Keys in the JSON of phone apps: Sensor Logger, Google Timeline and GPSLogger.
    private static let phoneKeys = [
        "\"sensor\":", "\"seconds_elapsed\":", "\"loggingTime", "\"locationTimestamp", "\"accelerometer",
        "\"latitudeE7\":",
        "\"gyroscope", "\"latitude\":",
    ]
    private static let phoneJSON =
        "a phone's log in JSON, which is not read. Record or export it as CSV: Sensor Logger and phyphox have it among their export formats, and the folder that their archive unpacks to is read as it is. Tables of other apps need a map of their columns (--columns)"

    /// The root element tells.
    private static func advice(onXML bytes: [UInt8]) -> String? {
        var xml = XMLReader(MemorySource(bytes), name: "")
        do throws(DeviceError) {
            guard try xml.next() == .start else { return nil }
        } catch {
            return nil
        }
        if xml.isNamed("kml") {
            return "KML, which need not have times. Make GPX of it: gpsbabel -i kml -f PATH -o gpx -F out.gpx"
        }
        if xml.isNamed("TrainingCenterDatabase") {
            return "a file of Garmin's Training Center. Make GPX of it: gpsbabel -i gtrnctr -f PATH -o gpx -F out.gpx"
        }
        return nil
    }
}
