// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Detects unsupported file types by their first bytes, and explains how to convert such files.
enum UnsupportedFileDetector {
    /// The offset and the magic bytes of each file type, with conversion advice. PATH stands for the file's path.
    private static let kinds: [(offset: Int, bytes: [UInt8], advice: String)] = [
        (
            0, Array("SQLite format 3\0".utf8),
            "an SQLite database, such as a rosbag2 file. Convert it to MCAP: ros2 bag convert -i PATH -o OPTIONS.yaml, with storage_id: mcap in the options"
        ),
        (0, Array("#ROSBAG V".utf8), "a ROS 1 bag. Convert it to MCAP: mcap convert PATH out.mcap"),
        (0, [0x0a, 0x0d, 0x0d, 0x0a], packets), (0, [0xd4, 0xc3, 0xb2, 0xa1], packets),
        (0, [0xa1, 0xb2, 0xc3, 0xd4], packets),
        (
            0, Array("@DEV ".utf8),
            "an ioctl dump. Run the program under umockdev instead: umockdev-run --ioctl=NODE=PATH"
        ),
        (8, Array(".FIT".utf8), "a FIT file. Convert it to GPX: gpsbabel -i garmin_fit -f PATH -o gpx -F out.gpx"),
        (0, [0x50, 0x4b, 0x03, 0x04], "a zip archive. Unpack it, and specify the directory: unzip PATH -d DIRECTORY"),
    ]

    private static let packets =
        "a packet capture. Run the program under umockdev instead: umockdev-run --pcap=DEVICE=PATH"

    private static let geoJSON =
        "GeoJSON, which may lack times. Convert it to GPX: gpsbabel -i geojson -f PATH -o gpx -F out.gpx"

    static func error(_ prefix: some Collection<UInt8>, _ path: String) -> DeviceError? {
        // The first 4096 bytes suffice to detect every type.
        let bytes = Array(prefix.prefix(4096))
        guard let advice = advice(bytes) else { return nil }
        return DeviceError(.notSupported, "\(path) is \(advice.replacing("PATH", with: path))")
    }

    private static func advice(_ bytes: [UInt8]) -> String? {
        if let kind = kinds.first(where: { bytes.dropFirst($0.offset).starts(with: $0.bytes) }) { return kind.advice }
        let text = bytes.drop { [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }
        if text.first == UInt8(ascii: "<") { return advice(onXML: bytes) }
        guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else { return nil }
        // JSON members may be in any order, and white space may be anywhere.
        let plain = text.prefix(512).filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let isSupported = plain.starts(with: "{\"format\"".utf8) || plain.starts(with: "{\"class\"".utf8)
        if isSupported { return nil }
        if plain.contains("\"type\":\"Feature".utf8) { return geoJSON }
        return phoneKeys.contains { plain.contains($0.utf8) } ? phoneJSON : nil
    }

    /// JSON keys written by the phone apps Sensor Logger, Google Timeline and GPSLogger.
    private static let phoneKeys = [
        "\"sensor\":", "\"seconds_elapsed\":", "\"loggingTime", "\"locationTimestamp", "\"accelerometer",
        "\"latitudeE7\":", "\"gyroscope", "\"latitude\":",
    ]
    private static let phoneJSON =
        "a JSON log of a phone app, which is not supported. Export CSV instead: Sensor Logger and phyphox offer it, and the directory unpacked from their archive can be read directly. Tables of other apps need a column map (--columns)"

    private static func advice(onXML bytes: [UInt8]) -> String? {
        switch XMLReader.rootName(of: bytes) {
        case "kml": "KML, which may lack times. Convert it to GPX: gpsbabel -i kml -f PATH -o gpx -F out.gpx"
        case "TrainingCenterDatabase":
            "a Garmin Training Center file. Convert it to GPX: gpsbabel -i gtrnctr -f PATH -o gpx -F out.gpx"
        default: nil
        }
    }
}
