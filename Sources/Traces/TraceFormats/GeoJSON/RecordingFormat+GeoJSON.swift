// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

extension RecordingFormat {
    /// Positions as GeoJSON (RFC 7946) for viewers. A segment with a single position is written as a point. Any other
    /// segment is written as a line with its times in the `coordTimes` property, which many track viewers support. If
    /// all positions of a segment have heights, the coordinates include them. As the RFC requires, these are heights
    /// above the WGS 84 ellipsoid. A segment ends when the fix or the source is lost, and where the path crosses 180°
    /// longitude.
    package static let geojson = RecordingFormat(
        name: "geojson", fileExtensions: [".geojson"], supportsReceiverSelection: true, reportsDamage: true,
        writer: PathWriter.writer { (writer) throws(DeviceError) in try writer.writeGeoJSON() })
}

extension PathWriter {
    fileprivate mutating func writeGeoJSON() throws(DeviceError) -> [String] {
        file.append("{\"type\":\"FeatureCollection\",\"features\":[")
        var epochs = start
        var isFirst = true
        while let segment = segment(from: epochs, cutsAntimeridian: true) {
            file.append(isFirst ? "\n" : ",\n")
            isFirst = false
            epochs = try writeFeature(segment)
        }
        file.append("\n]}\n")
        return try close(epochs, format: "GeoJSON", altitude: "the ellipsoid")
    }

    private mutating func writeFeature(_ segment: Segment) throws(DeviceError) -> PositionEpochs {
        file.append("{\"type\":\"Feature\",\"properties\":{")
        if !options.name.isEmpty {
            var writer = JSONWriter()
            writer.string(options.name)
            file.append("\"name\":")
            file.bytes.append(contentsOf: writer.bytes)
            if segment.isTimed { file.append(",") }
        }
        // A line needs at least two positions.
        let isPoint = segment.count == 1
        if segment.isTimed { try writeTimes(segment, isPoint: isPoint) }
        file.append(
            isPoint
                ? "},\"geometry\":{\"type\":\"Point\",\"coordinates\":"
                : "},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[\n")
        let epochs = try forEach(segment) { writer, epoch, index in
            let height = epoch.report.altitudeAboveEllipsoid
            writer.countOmissions(of: epoch, altitude: height)
            writer.file.append(index > 0 ? ",\n[" : "[")
            writer.file.appendNumber(epoch.report.longitude, decimals: 9)
            writer.file.append(",")
            writer.file.appendNumber(epoch.report.latitude, decimals: 9)
            if segment.hasHeight {
                writer.file.append(",")
                writer.file.appendNumber(height, decimals: 4)
            }
            writer.file.append("]")
        }
        file.append(isPoint ? "}}" : "]}}")
        return epochs
    }

    /// Writes the time of a point, or the times of all positions of a line.
    private mutating func writeTimes(_ segment: Segment, isPoint: Bool) throws(DeviceError) {
        _ = try forEach(segment) { writer, epoch, index in
            guard let time = epoch.time else { return }
            if index == 0 {
                writer.file.append("\"time\":\"")
                writer.file.appendTime(time)
                writer.file.append(isPoint ? "\"" : "\",\"coordTimes\":[")
            }
            guard !isPoint else { return }
            writer.file.append(index > 0 ? ",\"" : "\"")
            writer.file.appendTime(time)
            writer.file.append("\"")
        }
        if !isPoint { file.append("]") }
    }
}
