// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

extension RecordingFormat {
    /// Positions as GeoJSON (RFC 7946) for viewers: a line for each segment without a loss of positions, with its times
    /// in the property `coordTimes`, which many track viewers support. The format can only be written.
    ///
    /// Coordinates are longitude, latitude and, if all positions of a segment have it, the height above the WGS 84
    /// ellipsoid in metres, as the RFC requires. Altitudes above mean sea level are omitted if the geoid separation is
    /// unknown. A segment ends where the path crosses 180 degrees of longitude.
    public static let geojson = RecordingFormat(
        name: "geojson", endings: [".geojson"], hasOneReceiver: true, tellsDamage: true,
        writer: { (trace, path, options) throws(DeviceError) in
            try PathWriter.write(trace, to: path, options) { (writer) throws(DeviceError) in
                try writer.writeGeoJSON()
            }
        })
}

extension PathWriter {
    fileprivate mutating func writeGeoJSON() throws(DeviceError) -> [String] {
        file.text("{\"type\":\"FeatureCollection\",\"features\":[")
        var epochs = start
        var isFirst = true
        while let stretch = stretch(from: epochs, cutsAntimeridian: true) {
            file.text(isFirst ? "\n" : ",\n")
            isFirst = false
            epochs = try writeFeature(stretch)
        }
        file.text("\n]}\n")
        return try close(epochs, format: "GeoJSON", altitude: "the ellipsoid")
    }

    private mutating func writeFeature(_ stretch: Stretch) throws(DeviceError) -> PositionEpochs {
        file.text("{\"type\":\"Feature\",\"properties\":{")
        if !options.name.isEmpty {
            var writer = JSONWriter()
            writer.string(options.name)
            file.text("\"name\":")
            file.bytes.append(contentsOf: writer.bytes)
            if stretch.isTimed { file.text(",") }
        }
        // A line needs at least two positions.
        let isPoint = stretch.count == 1
        if stretch.isTimed { try writeTimes(stretch, isPoint: isPoint) }
        file.text(
            isPoint
                ? "},\"geometry\":{\"type\":\"Point\",\"coordinates\":"
                : "},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[\n")
        let epochs = try forEach(stretch) { writer, epoch, index in
            let height = epoch.report.altitudeAboveEllipsoid
            writer.note(epoch, altitude: height)
            writer.file.text(index > 0 ? ",\n[" : "[")
            writer.file.number(epoch.report.longitude, decimals: 9)
            writer.file.text(",")
            writer.file.number(epoch.report.latitude, decimals: 9)
            if stretch.hasHeight {
                writer.file.text(",")
                writer.file.number(height, decimals: 4)
            }
            writer.file.text("]")
        }
        file.text(isPoint ? "}}" : "]}}")
        return epochs
    }

    /// Writes the time of the first position, and for a line the times of all positions.
    private mutating func writeTimes(_ stretch: Stretch, isPoint: Bool) throws(DeviceError) {
        _ = try forEach(stretch) { writer, epoch, index in
            guard let time = epoch.time else { return }
            if index == 0 {
                writer.file.text("\"time\":\"")
                writer.file.time(time)
                writer.file.text(isPoint ? "\"" : "\",\"coordTimes\":[")
            }
            guard !isPoint else { return }
            writer.file.text(index > 0 ? ",\"" : "\"")
            writer.file.time(time)
            writer.file.text("\"")
        }
        if !isPoint { file.text("]") }
    }
}
