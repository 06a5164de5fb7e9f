// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Writes positions as KML 2.2 with Google's extension for times.
struct KMLWriter: ~Copyable {
    private var file: ExportFile
    private let path: PositionPath
    private var losses = PositionPath.Losses()

    init(_ file: consuming ExportFile, _ path: PositionPath) {
        self.file = file
        self.path = path
    }

    /// Writes all of it, and returns remarks.
    mutating func write() throws(DeviceError) -> [String] {
        file.text(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>
            """)
        file.element("name", path.options.name)
        file.text("\n<Folder><name>Path</name>\n")
        var epochs = path.epochs
        var isTimed = false
        while let stretch = path.stretch(from: epochs, cutsAntimeridian: true) {
            if stretch.isTimed { isTimed = true }
            epochs = try writeLine(stretch)
        }
        file.text("</Folder>\n")
        if isTimed {
            file.text("<Folder><name>Track</name>\n")
            var tracks = path.epochs
            while let stretch = path.stretch(from: tracks) { tracks = try writeTrack(stretch) }
            file.text("</Folder>\n")
        }
        file.text("</Document>\n</kml>\n")
        try file.close()
        return path.remarks(losses, epochs, format: "KML", altitude: "mean sea level")
    }

    private mutating func writeMode(_ stretch: PositionPath.Stretch) {
        file.text("<altitudeMode>")
        file.text(stretch.hasAltitude ? "absolute" : "clampToGround")
        file.text("</altitudeMode>\n")
    }

    /// Writes a line, and returns the place behind it.
    private mutating func writeLine(_ stretch: PositionPath.Stretch) throws(DeviceError) -> PositionEpochs {
        // A line has two ends.
        let isPoint = stretch.count == 1
        file.text(isPoint ? "<Placemark><Point>" : "<Placemark><LineString>")
        writeMode(stretch)
        file.text("<coordinates>\n")
        var epochs = stretch.epochs
        for _ in 0..<stretch.count {
            guard let epoch = epochs.next(path.bytes) else { break }
            losses.note(epoch, altitude: epoch.report.altitudeAboveSeaLevel)
            writePlace(epoch, stretch, separator: UInt8(ascii: ","))
            file.text("\n")
            try file.flushIfLarge()
        }
        file.text(isPoint ? "</coordinates></Point></Placemark>\n" : "</coordinates></LineString></Placemark>\n")
        return epochs
    }

    /// Writes a track with times, where all positions have one, and returns the place behind it.
    private mutating func writeTrack(_ stretch: PositionPath.Stretch) throws(DeviceError) -> PositionEpochs {
        if stretch.isTimed {
            file.text("<Placemark><gx:Track>")
            writeMode(stretch)
            // First all times, then all places: the order of the schema.
            var times = stretch.epochs
            for _ in 0..<stretch.count {
                guard let time = times.next(path.bytes)?.time else { break }
                file.text("<when>")
                file.time(time)
                file.text("</when>\n")
                try file.flushIfLarge()
            }
        }
        var epochs = stretch.epochs
        for _ in 0..<stretch.count {
            guard let epoch = epochs.next(path.bytes) else { break }
            guard stretch.isTimed else { continue }
            file.text("<gx:coord>")
            writePlace(epoch, stretch, separator: UInt8(ascii: " "))
            file.text("</gx:coord>\n")
            try file.flushIfLarge()
        }
        if stretch.isTimed { file.text("</gx:Track></Placemark>\n") }
        return epochs
    }

    private mutating func writePlace(
        _ epoch: PositionEpochs.Epoch, _ stretch: PositionPath.Stretch, separator: UInt8
    ) {
        file.number(epoch.report.longitude, decimals: 9)
        file.bytes.append(separator)
        file.number(epoch.report.latitude, decimals: 9)
        guard stretch.hasAltitude else {
            // Readers of tracks want three numbers.
            if separator == UInt8(ascii: " ") { file.text(" 0") }
            return
        }
        file.bytes.append(separator)
        file.number(epoch.report.altitudeAboveSeaLevel, decimals: 4)
    }
}
