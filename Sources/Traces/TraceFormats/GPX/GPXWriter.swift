// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Writes positions as GPX 1.1, elements in the order of its schema.
struct GPXWriter: ~Copyable {
    private var file: ExportFile
    private let path: PositionPath
    private var losses = PositionPath.Losses()

    init(_ file: consuming ExportFile, _ path: PositionPath) {
        self.file = file
        self.path = path
    }

    /// Writes a track, and returns remarks.
    mutating func writeTrack() throws(DeviceError) -> [String] {
        begin()
        file.text("<trk>")
        file.element("name", path.options.name)
        var epochs = path.epochs
        var isOpen = false
        while let epoch = epochs.next(path.bytes) {
            if epoch.startsSegment {
                file.text(isOpen ? "</trkseg>\n<trkseg>\n" : "\n<trkseg>\n")
                isOpen = true
            }
            writePoint(epoch)
            try file.flushIfLarge()
        }
        if isOpen { file.text("</trkseg>\n") }
        file.text("</trk>\n</gpx>\n")
        try file.close()
        return path.remarks(losses, epochs, format: "GPX", altitude: "mean sea level", hasSatellites: true)
    }

    /// Writes waypoints with times that rise by whole seconds, and returns remarks.
    mutating func writeWaypoints() throws(DeviceError) -> [String] {
        begin()
        var epochs = path.epochs
        var last: Int64?
        var crowded = 0
        while let epoch = epochs.next(path.bytes) {
            var second: Int64?
            if let time = epoch.time {
                let whole = time.nanoseconds / 1_000_000_000
                if let last, whole <= last {
                    crowded += 1
                    continue
                }
                last = whole
                second = whole
            }
            let altitude = epoch.report.altitudeAboveSeaLevel
            losses.note(epoch, altitude: altitude)
            writePlace("<wpt lat=\"", epoch.report)
            file.element("ele", altitude, decimals: 4)
            if let second { writeTime(WallTime(nanoseconds: second * 1_000_000_000)) }
            file.text("</wpt>\n")
            try file.flushIfLarge()
        }
        file.text("</gpx>\n")
        try file.close()
        var remarks = path.remarks(losses, epochs, format: "GPX for Xcode", altitude: "mean sea level")
        remarks.append("GPX for Xcode has waypoints only: course, speed and gaps were left out.")
        if crowded > 0 {
            remarks.append("\(crowded) positions do not lie in a later second than the one before and were left out.")
        }
        return remarks
    }

    private mutating func begin() {
        file.text(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="swift-device-services" xmlns="http://www.topografix.com/GPX/1/1"
            """)
        if path.options.gpxForm == .track {
            file.text(" xmlns:gpxtpx=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\"")
        }
        file.text(">\n")
        if let start = path.trace.start {
            file.text("<metadata>")
            writeTime(start)
            file.text("</metadata>\n")
        }
    }

    private mutating func writePlace(_ tag: StaticString, _ report: PositionReport) {
        file.text(tag)
        file.number(report.latitude, decimals: 9)
        file.text("\" lon=\"")
        // The schema has no 180.
        file.number(report.longitude == 180 ? -180 : report.longitude, decimals: 9)
        file.text("\">")
    }

    private mutating func writeTime(_ time: WallTime) {
        file.text("<time>")
        file.time(time)
        file.text("</time>")
    }

    private mutating func writePoint(_ epoch: PositionEpochs.Epoch) {
        let report = epoch.report
        let altitude = report.altitudeAboveSeaLevel
        losses.note(epoch, altitude: altitude)
        writePlace("<trkpt lat=\"", report)
        file.element("ele", altitude, decimals: 4)
        if let time = epoch.time { writeTime(time) }
        file.element("magvar", Self.direction(report.magneticVariation, decimals: 1), decimals: 1)
        file.element("geoidheight", report.geoidSeparation, decimals: 3)
        file.text("<fix>")
        switch report.status {
        case 2, 3, 4: file.text("dgps")
        case 9: file.text("pps")
        default: file.text(report.mode == .threeDimensional ? "3d" : "2d")
        }
        file.text("</fix>")
        if let sky = epoch.sky {
            let used =
                sky.usedCount >= 0 ? sky.usedCount : Int32(clamping: sky.satellites?.count(where: \.isUsed) ?? -1)
            file.element("sat", used)
            file.element("hdop", sky.hdop, decimals: 2)
            file.element("vdop", sky.vdop, decimals: 2)
            file.element("pdop", sky.pdop, decimals: 2)
        }
        file.element("ageofdgpsdata", report.correctionAge, decimals: 1)
        if report.correctionStation <= 1023 { file.element("dgpsid", report.correctionStation) }
        if !report.speed.isNaN || !report.track.isNaN {
            file.text("<extensions><gpxtpx:TrackPointExtension>")
            file.element("gpxtpx:speed", report.speed, decimals: 3)
            file.element("gpxtpx:course", Self.direction(report.track, decimals: 4), decimals: 4)
            file.text("</gpxtpx:TrackPointExtension></extensions>")
        }
        file.text("</trkpt>\n")
    }

    /// A direction from 0 to below 360 degrees, also when it is written with so many decimals: the schemas have no 360.
    private static func direction(_ degrees: Double, decimals: Int) -> Double {
        let unit: Double = decimals == 1 ? 10 : 10_000
        let rounded = (degrees.remainder(dividingBy: 360) * unit).rounded() / unit
        return rounded < 0 ? rounded + 360 : rounded
    }
}
