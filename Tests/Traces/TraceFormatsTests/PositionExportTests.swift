// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace
import TraceEditing

@testable import TraceFormats

@Suite("Export of positions as GPX, KML and GeoJSON")
struct PositionExportTests {
    /// Returns a trace with two positions, a loss and a third position. The second position is reported twice, and
    /// another receiver reports a position at the same time.
    private func trace() throws -> TraceFile {
        try gpsdTrace([
            (0, #"{"class":"SKY","device":"/dev/a","hdop":0.9,"uSat":7}"#),
            (
                0,
                #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":47.5,"lon":-11.25,"altHAE":147.25,"altMSL":100.125,"geoidSep":47.125,"track":359.99999,"speed":1.5,"eph":3.0,"magvar":-3.5}"#
            ),
            (1, #"{"class":"TPV","device":"/dev/a","mode":2,"time":"2023-11-14T22:13:21.500Z","lat":47.5,"lon":-11}"#),
            (
                1.1,
                #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2023-11-14T22:13:21.500Z","lat":47.6,"lon":-11,"altMSL":101,"altHAE":148}"#
            ),
            (1.2, #"{"class":"TPV","device":"/dev/b","mode":3,"time":"2023-11-14T22:13:21.500Z","lat":1,"lon":1}"#),
            (2, #"{"class":"TPV","device":"/dev/a","mode":1,"time":"2023-11-14T22:13:22.000Z"}"#),
            (
                9,
                #"{"class":"TPV","device":"/dev/a","mode":3,"status":2,"time":"2023-11-14T22:13:29.000Z","lat":-0.000000001,"lon":180,"altMSL":0,"altHAE":47}"#
            ),
        ])
    }

    @Test("An unreadable line is reported in every format")
    func brokenLines() throws {
        let whole = String(decoding: Array(try trace().bytes), as: UTF8.self)
        let broken = try TraceFile(bytes: Array((whole + "{\"t\":10,\"gpsd\":[[[\n").utf8), name: "t")
        let line = whole.split(separator: "\n").count + 1
        for format in [RecordingFormat.trace, .gpsd, .nmea, .gpx, .xcode, .kml, .geojson, .mcap] {
            try Files.withFolder { folder in
                let remarks = try format.write(broken, to: folder + "/out")
                #expect(
                    remarks.count { $0.hasPrefix("the line cannot be read and was skipped (line \(line): ") } == 1,
                    "\(format): \(remarks)")
            }
        }
    }

    @Test("A damaged report gives one remark in every format, also if the trace was edited before")
    func damagedReports() throws {
        let prefix = #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":47.5,"lon":1}"#
        let log = try TraceFile(bytes: Array("\(prefix)\n\(prefix.dropLast()),,}\n\(prefix)\n".utf8), name: "t")
        let builder = TraceBuilder(name: "made")
        _ = try TraceEditor.write(log, edits: [], to: builder)
        let made = try builder.file()
        #expect(TraceSummary(made).remarks.count { $0.contains("a report is damaged and was ignored (line") } == 1)
        for format in [RecordingFormat.trace, .gpsd, .nmea, .gpx, .xcode, .kml, .geojson, .mcap] {
            for trace in [log, made] {
                for isKnown in [false, true] {
                    try Files.withFolder { folder in
                        var options = ExportOptions()
                        options.isDamageReported = isKnown
                        let remarks = try format.write(trace, to: folder + "/out", options: options)
                        let received = remarks.filter { remark in
                            ["damaged", "not gpsd reports", "JSON"].contains { remark.contains($0) }
                        }
                        // An export to a trace gives no remark, because readers of that trace report the damage.
                        guard isKnown || format != .trace else { return }
                        #expect(received.count == (isKnown ? 0 : 1), "\(format): \(received)")
                    }
                }
            }
        }
    }

    @Test("GPX has a point for each epoch and a segment for each interval with a fix")
    func gpx() throws {
        let (text, remarks) = try exported(try trace(), ExportOptions(name: "a<b")) {
            trace, path, options throws(DeviceError) in
            try RecordingFormat.gpx.write(trace, to: path, options: options)
        }
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="swift-device-services" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
                <metadata><time>2023-11-14T22:13:20Z</time></metadata>
                <trk><name>a&lt;b</name>
                <trkseg>
                <trkpt lat="47.5" lon="-11.25"><ele>100.125</ele><time>2023-11-14T22:13:20Z</time><magvar>356.5</magvar><geoidheight>47.125</geoidheight><fix>3d</fix><sat>7</sat><hdop>0.9</hdop><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>1.5</gpxtpx:speed><gpxtpx:course>0</gpxtpx:course></gpxtpx:TrackPointExtension></extensions></trkpt>
                <trkpt lat="47.6" lon="-11"><ele>101</ele><time>2023-11-14T22:13:21.500Z</time><fix>3d</fix><sat>7</sat><hdop>0.9</hdop></trkpt>
                </trkseg>
                <trkseg>
                <trkpt lat="-0.000000001" lon="-180"><ele>0</ele><time>2023-11-14T22:13:29Z</time><fix>dgps</fix></trkpt>
                </trkseg>
                </trk>
                </gpx>

                """)
        #expect(remarks.count == 2)
        #expect(remarks.contains { $0.contains("1 positions of receivers other than") })
        #expect(remarks.contains { $0.contains("accuracies; those of 1 positions") })
    }

    @Test("Another receiver can be chosen, and a missing receiver is an error")
    func receiver() throws {
        let (text, _) = try exported(try trace(), ExportOptions(receiver: "/dev/b")) {
            trace, path, options throws(DeviceError) in
            try RecordingFormat.gpx.write(trace, to: path, options: options)
        }
        #expect(text.contains("<trkpt lat=\"1\" lon=\"1\">"))
        #expect(text.split(separator: "<trkpt").count == 2)
        for trace in [try trace(), try gpsdTrace([(0, #"{"class":"TPV","mode":1}"#)])] {
            let error = #expect(throws: DeviceError.self) {
                try RecordingFormat.gpx.write(trace, to: "/nowhere/x", options: ExportOptions(receiver: "/dev/c"))
            }
            #expect(error?.message.contains("contains no positions of the receiver /dev/c") == true)
        }
    }

    @Test("GPX for Xcode contains waypoints with increasing times in whole seconds")
    func xcode() throws {
        let trace = try gpsdTrace([
            (0, #"{"class":"TPV","mode":2,"time":"2023-11-14T22:13:20.200Z","lat":47.5,"lon":-11.25}"#),
            (1, #"{"class":"TPV","mode":2,"time":"2023-11-14T22:13:20.900Z","lat":47.6,"lon":-11.25}"#),
            (2, #"{"class":"TPV","mode":3,"time":"2023-11-14T22:13:21.100Z","lat":47.7,"lon":-11.25,"altMSL":5.5}"#),
        ])
        let (text, remarks) = try exported(trace) {
            trace, path, options throws(DeviceError) in
            try RecordingFormat.xcode.write(trace, to: path, options: options)
        }
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="swift-device-services" xmlns="http://www.topografix.com/GPX/1/1">
                <metadata><time>2023-11-14T22:13:20Z</time></metadata>
                <wpt lat="47.5" lon="-11.25"><time>2023-11-14T22:13:20Z</time></wpt>
                <wpt lat="47.7" lon="-11.25"><ele>5.5</ele><time>2023-11-14T22:13:21Z</time></wpt>
                </gpx>

                """)
        #expect(remarks.contains { $0.contains("1 positions are not in a later second") })
    }

    @Test("The contents of GPX survive a round trip")
    func roundTrip() throws {
        let first = ReadPositions(try trace())
        try Files.withFolder { folder in
            _ = try RecordingFormat.gpx.write(first.trace, to: folder + "/a.gpx")
            let reread = ReadPositions(try RecordingFile.open(folder + "/a.gpx").trace)
            #expect(reread.trace.start == first.trace.start)
            #expect(reread.times == [0, 1.5, 2.5, 9])
            #expect(
                reread.reports.map(\.report.mode) == [.threeDimensional, .threeDimensional, .none, .threeDimensional])
            let (old, new) = (first.fixes[0], reread.fixes[0])
            #expect((new.latitude, new.longitude, new.altitudeMSL) == (old.latitude, old.longitude, old.altitudeMSL))
            #expect((new.altitudeHAE, new.speed, new.track) == (old.altitudeHAE, old.speed, 0))
            #expect((new.magneticVariation, new.time) == (old.magneticVariation, old.time))
            #expect(reread.skies[0].hdop == 0.9)
            // A second export of the same trace is the same file.
            _ = try RecordingFormat.gpx.write(first.trace, to: folder + "/b.gpx")
            #expect(try Files.bytes(folder + "/a.gpx") == Files.bytes(folder + "/b.gpx"))
            #expect(throws: DeviceError.self) { try RecordingFormat.gpx.write(first.trace, to: folder + "/b.gpx") }
            _ = try RecordingFormat.gpx.write(
                first.trace, to: folder + "/b.gpx", options: ExportOptions(overwrite: true))
        }
    }

    @Test("KML has lines, and tracks with all times before all coordinates")
    func kml() throws {
        let (text, _) = try exported(try trace()) { trace, path, options throws(DeviceError) in
            try RecordingFormat.kml.write(trace, to: path, options: options)
        }
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
                <Document>
                <Folder><name>Path</name>
                <Placemark><LineString><altitudeMode>absolute</altitudeMode>
                <coordinates>
                -11.25,47.5,100.125
                -11,47.6,101
                </coordinates></LineString></Placemark>
                <Placemark><Point><altitudeMode>absolute</altitudeMode>
                <coordinates>
                180,-0.000000001,0
                </coordinates></Point></Placemark>
                </Folder>
                <Folder><name>Track</name>
                <Placemark><gx:Track><altitudeMode>absolute</altitudeMode>
                <when>2023-11-14T22:13:20Z</when>
                <when>2023-11-14T22:13:21.500Z</when>
                <gx:coord>-11.25 47.5 100.125</gx:coord>
                <gx:coord>-11 47.6 101</gx:coord>
                </gx:Track></Placemark>
                <Placemark><gx:Track><altitudeMode>absolute</altitudeMode>
                <when>2023-11-14T22:13:29Z</when>
                <gx:coord>180 -0.000000001 0</gx:coord>
                </gx:Track></Placemark>
                </Folder>
                </Document>
                </kml>

                """)
    }

    @Test("GeoJSON has heights above the ellipsoid, and its lines end at the 180th meridian")
    func geoJSON() throws {
        let (text, _) = try exported(try trace(), ExportOptions(name: "a\"b")) {
            trace, path, options throws(DeviceError) in
            try RecordingFormat.geojson.write(trace, to: path, options: options)
        }
        #expect(
            text == """
                {"type":"FeatureCollection","features":[
                {"type":"Feature","properties":{"name":"a\\"b","time":"2023-11-14T22:13:20Z","coordTimes":["2023-11-14T22:13:20Z","2023-11-14T22:13:21.500Z"]},"geometry":{"type":"LineString","coordinates":[
                [-11.25,47.5,147.25],
                [-11,47.6,148]]}},
                {"type":"Feature","properties":{"name":"a\\"b","time":"2023-11-14T22:13:29Z"},"geometry":{"type":"Point","coordinates":[180,-0.000000001,47]}}
                ]}

                """)
        let crossing = try gpsdTrace(
            [179.8, 179.9, -179.9, -179.8].enumerated().map {
                (Double($0), #"{"class":"TPV","mode":3,"lat":1,"lon":\#($1),"altMSL":3}"#)
            })
        let (cut, remarks) = try exported(crossing) { trace, path, options throws(DeviceError) in
            try RecordingFormat.geojson.write(trace, to: path, options: options)
        }
        #expect(cut.split(separator: "LineString").count == 3)
        #expect(cut.contains("[\n[179.8,1],\n[179.9,1]]"))
        #expect(cut.contains("[\n[-179.9,1],\n[-179.8,1]]"))
        #expect(remarks.contains { $0.contains("altitudes above the ellipsoid, which 4 positions lack") })
    }

    @Test("KML's lines end at the 180th meridian")
    func crossing() throws {
        let crossing = try gpsdTrace(
            [179.8, 179.9, -179.9, -179.8].enumerated().map {
                (Double($0), #"{"class":"TPV","mode":3,"lat":1,"lon":\#($1),"altMSL":3}"#)
            })
        let (text, _) = try exported(crossing) { trace, path, options throws(DeviceError) in
            try RecordingFormat.kml.write(trace, to: path, options: options)
        }
        #expect(text.split(separator: "<LineString>").count == 3)
        #expect(text.contains("\n179.8,1,3\n179.9,1,3\n</coordinates>"))
        #expect(text.contains("\n-179.9,1,3\n-179.8,1,3\n</coordinates>"))
    }

    @Test("Implausible numbers are omitted and counted")
    func implausible() throws {
        let trace = try gpsdTrace([
            (0, #"{"class":"SKY","time":"2023-11-14T22:13:20.000Z","hdop":0.9,"uSat":2147483647}"#),
            (
                0,
                #"{"class":"TPV","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":1.0,"lon":2.0,"altHAE":1e308,"altMSL":-1e307,"speed":-3.0,"track":90.0,"dgpsAge":1.0,"dgpsSta":1234567890}"#
            ),
            (1, #"{"class":"TPV","mode":3,"time":"2023-11-14T22:13:21.000Z","lat":1.0,"lon":2.0,"altMSL":7.0}"#),
        ])
        try Files.withFolder { folder in
            for format in [RecordingFormat.gpx, .kml, .geojson, .nmea] {
                let path = "\(folder)/\(format)"
                let remarks = try format.write(trace, to: path)
                #expect(remarks.contains { $0.hasPrefix("2 reports had impossible numbers") }, "\(format)")
                let text = String(decoding: try Files.bytes(path), as: UTF8.self)
                #expect(!text.contains("-3") && !text.contains("5.832") && !text.contains("1234567890"), "\(format)")
                #expect(!text.contains("2147483647") && !text.contains("000000000000"), "\(format)")
            }
            let text = String(decoding: try Files.bytes("\(folder)/gpx"), as: UTF8.self)
            #expect(
                text.contains(
                    "<trkpt lat=\"1\" lon=\"2\"><time>2023-11-14T22:13:20Z</time><fix>3d</fix><hdop>0.9</hdop>"))
        }
    }

    @Test("Each epoch with a fix in gpsd's own logs is one point")
    func logs() throws {
        for name in ["ublox-8", "hemi", "isync", "sirfstarv", "ublox-neo-m8u-hnr"] {
            let trace = try TraceFile(path: Files.trace("gpsd/\(name).log.chk"))
            let read = ReadPositions(trace)
            // Counted independently of the exporter: consecutive reports with equal times are one epoch.
            var epochs = 0
            var last: WallTime?
            for report in read.reports.map(\.report) where report.time == nil || report.time != last || report.hasFix {
                if report.hasFix, report.time == nil || report.time != last { epochs += 1 }
                if report.hasFix || report.time != last { last = report.hasFix ? report.time : nil }
            }
            let (text, _) = try exported(trace) { trace, path, options throws(DeviceError) in
                try RecordingFormat.gpx.write(trace, to: path, options: options)
            }
            #expect(text.split(separator: "<trkpt").count - 1 == epochs, "\(name)")
        }
    }

    @Test(
        "The file name determines the format, and the written file has that format",
        arguments: [
            ("a.gpx", RecordingFormat.gpx, "<trkpt "), ("a.KML", .kml, "<kml "),
            ("a.geojson", .geojson, "FeatureCollection"),
            ("a.nmea", .nmea, "$GPGGA,"), ("a.json", .gpsd, #"{"class":"SKY""#),
            ("a.trace", .trace, "device-services-trace"),
        ])
    func names(name: String, format: RecordingFormat, text: String) throws {
        #expect(RecordingFormat(fileName: name) == format)
        let trace = try trace()
        try Files.withFolder { folder in
            _ = try format.write(trace, to: "\(folder)/\(name)")
            #expect(String(decoding: try Files.bytes("\(folder)/\(name)"), as: UTF8.self).contains(text))
            #expect(throws: DeviceError.self) { try format.write(trace, to: "\(folder)/\(name)") }
            _ = try RecordingFormat.xcode.write(trace, to: "\(folder)/\(name)", overwrite: true)
            #expect(String(decoding: try Files.bytes("\(folder)/\(name)"), as: UTF8.self).contains("<wpt "))
        }
    }
}
