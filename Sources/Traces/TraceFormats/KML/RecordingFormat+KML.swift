// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension RecordingFormat {
    /// Positions as KML 2.2 for viewers. Each segment is written as a line. If all its positions have times, it is also
    /// written as a track (Google's `gx:Track`). Altitudes are above mean sea level. If any position in a segment has
    /// no altitude, the segment is clamped to the ground.
    package static let kml = RecordingFormat(
        name: "kml", fileExtensions: [".kml"], supportsReceiverSelection: true, reportsDamage: true,
        writer: PathWriter.writer { (writer) throws(DeviceError) in try writer.writeKML() })
}

extension PathWriter {
    fileprivate mutating func writeKML() throws(DeviceError) -> [String] {
        file.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>
            """)
        file.element("name", options.name)
        file.append("\n<Folder><name>Path</name>\n")
        var epochs = start
        var isTimed = false
        while let segment = segment(from: epochs, cutsAntimeridian: true) {
            if segment.isTimed { isTimed = true }
            epochs = try writeLine(segment)
        }
        file.append("</Folder>\n")
        if isTimed {
            file.append("<Folder><name>Track</name>\n")
            var tracks = start
            while let segment = segment(from: tracks) { tracks = try writeTrack(segment) }
            file.append("</Folder>\n")
        }
        file.append("</Document>\n</kml>\n")
        return try close(epochs, format: "KML", altitude: "mean sea level")
    }

    private mutating func writeMode(_ segment: Segment) {
        file.append("<altitudeMode>")
        file.append(segment.hasAltitude ? "absolute" : "clampToGround")
        file.append("</altitudeMode>\n")
    }

    private mutating func writeLine(_ segment: Segment) throws(DeviceError) -> PositionEpochs {
        // A line needs at least two positions.
        let isPoint = segment.count == 1
        file.append(isPoint ? "<Placemark><Point>" : "<Placemark><LineString>")
        writeMode(segment)
        file.append("<coordinates>\n")
        let epochs = try forEach(segment) { writer, epoch, _ in
            writer.countOmissions(of: epoch, altitude: epoch.report.altitudeAboveSeaLevel)
            writer.writeCoordinates(epoch, segment, separator: UInt8(ascii: ","))
            writer.file.append("\n")
        }
        file.append(isPoint ? "</coordinates></Point></Placemark>\n" : "</coordinates></LineString></Placemark>\n")
        return epochs
    }

    private mutating func writeTrack(_ segment: Segment) throws(DeviceError) -> PositionEpochs {
        guard segment.isTimed else { return try forEach(segment) { _, _, _ in } }
        file.append("<Placemark><gx:Track>")
        writeMode(segment)
        // The schema requires all times to precede all coordinates.
        _ = try forEach(segment) { writer, epoch, _ in
            guard let time = epoch.time else { return }
            writer.file.append("<when>")
            writer.file.appendTime(time)
            writer.file.append("</when>\n")
        }
        let epochs = try forEach(segment) { writer, epoch, _ in
            writer.file.append("<gx:coord>")
            writer.writeCoordinates(epoch, segment, separator: UInt8(ascii: " "))
            writer.file.append("</gx:coord>\n")
        }
        file.append("</gx:Track></Placemark>\n")
        return epochs
    }

    private mutating func writeCoordinates(_ epoch: PositionEpochs.Epoch, _ segment: Segment, separator: UInt8) {
        file.appendNumber(epoch.report.longitude, decimals: 9)
        file.bytes.append(separator)
        file.appendNumber(epoch.report.latitude, decimals: 9)
        guard segment.hasAltitude else {
            // Viewers expect track coordinates to have three components.
            if separator == UInt8(ascii: " ") { file.append(" 0") }
            return
        }
        file.bytes.append(separator)
        file.appendNumber(epoch.report.altitudeAboveSeaLevel, decimals: 4)
    }
}
