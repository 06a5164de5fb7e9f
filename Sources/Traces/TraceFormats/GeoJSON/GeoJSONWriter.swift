// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Writes positions as a GeoJSON FeatureCollection.
struct GeoJSONWriter: ~Copyable {
    private var file: ExportFile
    private let path: PositionPath
    private var losses = PositionPath.Losses()

    init(_ file: consuming ExportFile, _ path: PositionPath) {
        self.file = file
        self.path = path
    }

    /// Writes all of it, and returns remarks.
    mutating func write() throws(DeviceError) -> [String] {
        file.text("{\"type\":\"FeatureCollection\",\"features\":[")
        var epochs = path.epochs
        var isFirst = true
        while let stretch = path.stretch(from: epochs, cutsAntimeridian: true) {
            file.text(isFirst ? "\n" : ",\n")
            isFirst = false
            epochs = try writeFeature(stretch)
        }
        file.text("\n]}\n")
        try file.close()
        return path.remarks(losses, epochs, format: "GeoJSON", altitude: "the ellipsoid")
    }

    private mutating func writeFeature(_ stretch: PositionPath.Stretch) throws(DeviceError) -> PositionEpochs {
        file.text("{\"type\":\"Feature\",\"properties\":{")
        var separator: StaticString = ""
        if !path.options.name.isEmpty {
            var writer = JSONWriter()
            writer.string(path.options.name)
            file.text("\"name\":")
            file.bytes.append(contentsOf: writer.bytes)
            separator = ","
        }
        if stretch.isTimed {
            file.text(separator)
            try writeTimes(stretch)
        }
        // A line has two ends.
        let isPoint = stretch.count == 1
        file.text(
            isPoint
                ? "},\"geometry\":{\"type\":\"Point\",\"coordinates\":"
                : "},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[\n")
        var epochs = stretch.epochs
        for index in 0..<stretch.count {
            guard let epoch = epochs.next(path.bytes) else { break }
            losses.note(epoch, altitude: epoch.report.altitudeAboveEllipsoid)
            file.text(index > 0 ? ",\n[" : "[")
            file.number(epoch.report.longitude, decimals: 9)
            file.text(",")
            file.number(epoch.report.latitude, decimals: 9)
            if stretch.hasHeight {
                file.text(",")
                file.number(epoch.report.altitudeAboveEllipsoid, decimals: 4)
            }
            file.text("]")
            try file.flushIfLarge()
        }
        file.text(isPoint ? "}}" : "]}}")
        return epochs
    }

    private mutating func writeTimes(_ stretch: PositionPath.Stretch) throws(DeviceError) {
        var times = stretch.epochs
        let isPoint = stretch.count == 1
        for index in 0..<stretch.count {
            guard let time = times.next(path.bytes)?.time else { break }
            if index == 0 {
                file.text("\"time\":\"")
                file.time(time)
                file.text(isPoint ? "\"" : "\",\"coordTimes\":[")
            }
            guard !isPoint else { return }
            file.text(index > 0 ? ",\"" : "\"")
            file.time(time)
            file.text("\"")
            try file.flushIfLarge()
        }
        file.text("]")
    }
}
