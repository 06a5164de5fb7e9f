// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension RecordingFormat {
    /// Positions as a GPX 1.1 track. A new segment starts after a loss of the fix or the source. Course and speed are
    /// written in Garmin's TrackPointExtension v2, in degrees and metres per second. `ele` is the altitude above mean
    /// sea level.
    package static let gpx = RecordingFormat(
        name: "gpx", title: "GPX", fileExtensions: [".gpx"], supportsReceiverSelection: true, reportsDamage: true,
        detect: sniff,
        read: { (input, options) throws(DeviceError) in
            let (trace, remarks) = try GPXFile.trace(input.chunks, options.gpx)
            return .trace(trace, remarks: remarks)
        },
        writer: PathWriter.writer { (writer) throws(DeviceError) in try writer.writeTrack() })

    /// Detects a GPX file by its root element. If the root element cannot be read, for example because the text is
    /// UTF-16, the file name extension decides.
    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
        // The first byte rules out most other formats.
        guard let first = input.firstByte, first == UInt8(ascii: "<") || first >= 0xfe else { return nil }
        if XMLReader.rootName(of: input.prefix) == "gpx" { return .certain }
        return input.name.lowercased().hasSuffix(".gpx") ? .likely : nil
    }

    /// Positions as GPX waypoints, at most one per second, for playback in Xcode and phone simulators.
    package static let xcode = RecordingFormat(
        name: "xcode", supportsReceiverSelection: true, reportsDamage: true,
        writer: PathWriter.writer { (writer) throws(DeviceError) in try writer.writeWaypoints() })
}

// The schema prescribes the order of the elements.
extension PathWriter {
    private static let accuracyRemedy = " When you read the file, specify the accuracy with --accuracy METRES."

    fileprivate mutating func writeTrack() throws(DeviceError) -> [String] {
        begin(" xmlns:gpxtpx=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\"")
        file.append("<trk>")
        file.element("name", options.name)
        var epochs = start
        var isOpen = false
        while let epoch = next(&epochs) {
            if epoch.startsSegment {
                file.append(isOpen ? "</trkseg>\n<trkseg>\n" : "\n<trkseg>\n")
                isOpen = true
            }
            writePoint(epoch)
            try file.flushIfLarge()
        }
        if isOpen { file.append("</trkseg>\n") }
        file.append("</trk>\n</gpx>\n")
        return try close(
            epochs, format: "GPX", altitude: "mean sea level", hasSatellites: true, accuracyRemedy: Self.accuracyRemedy)
    }

    fileprivate mutating func writeWaypoints() throws(DeviceError) -> [String] {
        begin("")
        var epochs = start
        var last: Int64?
        var sameSecondCount = 0
        while let epoch = next(&epochs) {
            let second = epoch.time.map { $0.nanoseconds / 1_000_000_000 }
            if let second, let last, second <= last {
                sameSecondCount += 1
                continue
            }
            last = second ?? last
            writeCoordinates("<wpt lat=\"", epoch)
            if let second { writeTime(WallTime(nanoseconds: second * 1_000_000_000)) }
            file.append("</wpt>\n")
            try file.flushIfLarge()
        }
        file.append("</gpx>\n")
        var remarks = try close(
            epochs, format: "GPX for Xcode", altitude: "mean sea level", accuracyRemedy: Self.accuracyRemedy)
        remarks.append("GPX for Xcode contains only waypoints: course, speed and gaps were omitted.")
        remarks.appendRemark(
            count: sameSecondCount, "positions are not in a later second than the previous one and were omitted.")
        return remarks
    }

    /// Writes the start of the file. `namespaces` are additional attributes of the root element.
    private mutating func begin(_ namespaces: StaticString) {
        file.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="swift-device-services" xmlns="http://www.topografix.com/GPX/1/1"
            """)
        file.append(namespaces)
        file.append(">\n")
        if let start = trace.start {
            file.append("<metadata>")
            writeTime(start)
            file.append("</metadata>\n")
        }
    }

    private mutating func writeCoordinates(_ tag: StaticString, _ epoch: PositionEpochs.Epoch) {
        let report = epoch.report
        file.append(tag)
        file.appendNumber(report.latitude, decimals: 9)
        file.append("\" lon=\"")
        // The schema requires longitudes below 180, so 180 is written as -180.
        file.appendNumber(report.longitude == 180 ? -180 : report.longitude, decimals: 9)
        file.append("\">")
        countOmissions(of: epoch, altitude: report.altitudeAboveSeaLevel)
        file.element("ele", report.altitudeAboveSeaLevel, decimals: 4)
    }

    private mutating func writeTime(_ time: WallTime) {
        file.append("<time>")
        file.appendTime(time)
        file.append("</time>")
    }

    private mutating func writePoint(_ epoch: PositionEpochs.Epoch) {
        let report = epoch.report
        writeCoordinates("<trkpt lat=\"", epoch)
        if let time = epoch.time { writeTime(time) }
        file.element("magvar", Self.direction(report.magneticVariation, decimals: 1), decimals: 1)
        file.element("geoidheight", report.geoidSeparation, decimals: 3)
        file.append("<fix>")
        switch report.status {
        // DGPS, fixed RTK and floating RTK.
        case 2, 3, 4: file.append("dgps")
        case 9: file.append("pps")
        default: file.append(report.mode == .threeDimensional ? "3d" : "2d")
        }
        file.append("</fix>")
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
            file.append("<extensions><gpxtpx:TrackPointExtension>")
            file.element("gpxtpx:speed", report.speed, decimals: 3)
            file.element("gpxtpx:course", Self.direction(report.track, decimals: 4), decimals: 4)
            file.append("</gpxtpx:TrackPointExtension></extensions>")
        }
        file.append("</trkpt>\n")
    }

    /// Rounds a direction to 1 or 4 decimals. The result is less than 360, because the schemas do not allow 360.
    private static func direction(_ degrees: Double, decimals: Int) -> Double {
        let unit: Double = decimals == 1 ? 10 : 10_000
        let rounded = (degrees.remainder(dividingBy: 360) * unit).rounded() / unit
        return rounded < 0 ? rounded + 360 : rounded
    }
}
