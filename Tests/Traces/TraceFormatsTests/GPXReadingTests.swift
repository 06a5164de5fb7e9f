// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Reading GPX")
struct GPXReadingTests {
    @Test("All elements of a track point are read")
    func fields() throws {
        let read = try ReadPositions(
            inside: """
                <trk><name>A &amp; B</name><trkseg>
                <trkpt lat="47.25" lon="-11.5"><ele>100.5</ele><time>2021-06-16T23:46:05.25Z</time><magvar>356.5</magvar>
                <geoidheight>47.2</geoidheight><name>x</name><link href="u"><text>9</text></link><fix>dgps</fix><sat>9</sat>
                <hdop>0.9</hdop><vdop>1.5</vdop><pdop>1.75</pdop><ageofdgpsdata>2.5</ageofdgpsdata><dgpsid>120</dgpsid>
                <extensions xmlns:g="http://www.garmin.com/xmlschemas/TrackPointExtension/v2"><g:TrackPointExtension>
                <g:hr>150</g:hr><g:speed>3.25</g:speed><g:course>271.5</g:course></g:TrackPointExtension></extensions>
                </trkpt></trkseg></trk>
                """)
        let report = try #require(read.fixes.first)
        #expect(read.reports.count == 1)
        #expect(read.trace.start?.nanoseconds == 1_623_887_165_250_000_000)
        #expect(report.time?.nanoseconds == 1_623_887_165_250_000_000)
        #expect((report.latitude, report.longitude) == (47.25, -11.5))
        #expect((report.altitudeMSL, report.geoidSeparation) == (100.5, 47.2))
        #expect((report.altitudeHAE - 147.7).magnitude < 1e-9)
        #expect((report.magneticVariation, report.speed, report.track) == (-3.5, 3.25, 271.5))
        #expect((report.mode, report.status, report.correctionStation) == (.threeDimensional, 2, 120))
        #expect(report.correctionAge == 2.5)
        let sky = try #require(read.skies.first)
        #expect((sky.usedCount, sky.hdop, sky.vdop, sky.pdop) == (9, 0.9, 1.5, 1.75))
        #expect(read.remarks == [])
    }

    @Test("An elevation is above mean sea level and never above the ellipsoid")
    func altitude() throws {
        let read = try ReadPositions(
            inside: "<wpt lat='1' lon='2'><ele>-3.5</ele></wpt><wpt lat='1' lon='2'><ele>1e400</ele></wpt>")
        #expect(read.fixes[0].altitudeMSL == -3.5)
        #expect(read.fixes[0].altitudeHAE.isNaN)
        #expect(read.fixes.map(\.mode) == [.threeDimensional, .twoDimensional])
    }

    @Test(
        "Course and speed are read in the forms of several programs",
        arguments: [
            "<course>90</course><speed>2.5</speed>",
            "<extensions><speed>2.5</speed><heading>1</heading><bearing>90</bearing></extensions>",
            "<extensions><osmand:speed>2.5</osmand:speed><osmand:bearing>90</osmand:bearing></extensions>",
            "<extensions><gpxtpx:TrackPointExtension><gpxtpx:atemp>20</gpxtpx:atemp><gpxtpx:speed> 2.5 </gpxtpx:speed><gpxtpx:course>90</gpxtpx:course></gpxtpx:TrackPointExtension></extensions>",
            "<extensions><geotracker:meta c=\"90\" s=\"2.5\"/></extensions>",
        ])
    func motion(text: String) throws {
        let read = try ReadPositions(inside: "<trk><trkseg><trkpt lat='1' lon='2'>\(text)</trkpt></trkseg></trk>")
        #expect((read.fixes[0].speed, read.fixes[0].track) == (2.5, 90))
    }

    @Test("Accuracies in extensions are read as gpsd's errors")
    func accuracies() throws {
        let read = try ReadPositions(
            inside:
                "<wpt lat='1' lon='2'><ele>3</ele><extensions><opentracks:accuracy_horizontal>6.813</opentracks:accuracy_horizontal><t:extras><t:vacc>4</t:vacc><t:sacc>0.5</t:sacc></t:extras></extensions></wpt>"
        )
        #expect((read.fixes[0].horizontalError, read.fixes[0].verticalError) == (6.813, 4))
        #expect(read.fixes[0].speedError == 0.5)
    }

    @Test("The fix element determines the mode; if it is missing, the elevation does")
    func modes() throws {
        let read = try ReadPositions(
            inside: """
                <trk><trkseg><trkpt lat="1" lon="2"><time>2021-06-16T23:46:05Z</time><fix>3d</fix></trkpt>
                <trkpt lat="1" lon="2"><ele>5</ele><time>2021-06-16T23:46:06Z</time><fix>2d</fix></trkpt>
                <trkpt lat="1" lon="2"><ele>5</ele><time>2021-06-16T23:46:07Z</time><fix>none</fix></trkpt>
                <trkpt lat="1" lon="2"><ele>5</ele><time>2021-06-16T23:46:08Z</time><fix>pps</fix></trkpt></trkseg></trk>
                """)
        #expect(read.reports.map(\.report.mode) == [.threeDimensional, .twoDimensional, .none, .threeDimensional])
        #expect(read.reports[3].report.status == 9)
    }

    @Test("Between segments the fix is lost after one second, or halfway to the next point")
    func segments() throws {
        func point(_ second: Int) -> String {
            "<trkpt lat='1' lon='2'><time>2021-06-16T23:46:\(second)Z</time></trkpt>"
        }
        let read = try ReadPositions(
            inside:
                "<trk><trkseg>\(point(10))\(point(11))</trkseg><trkseg/><trkseg>\(point(21))</trkseg><trkseg>\(point(22))</trkseg></trk>"
        )
        #expect(read.times == [0, 1, 2, 11, 11.5, 12])
        #expect(read.reports.map { $0.report.mode == .none } == [false, false, true, false, true, false])
        #expect(read.reports[2].report.time?.nanoseconds == 1_623_887_172_000_000_000)
    }

    @Test("A route without times gets times from the speed, or one second for each point")
    func routes() throws {
        let route = "<rte><name>r</name>" + (0...2).map { "<rtept lat='0' lon='0.00\($0)'/>" }.joined() + "</rte>"
        let paced = try ReadPositions(inside: route)
        #expect(paced.times == [0, 1, 2])
        #expect(paced.trace.start == nil)
        #expect(paced.fixes[0].time == nil)
        #expect(paced.hasRemark("one second apart"))
        // 0.001 degrees on the equator are 6378137 m * pi / 180000 = 111.31949 m.
        let timed = try ReadPositions(inside: route, options: GPXOptions(speed: 11.131949079327358))
        #expect(zip(timed.times, [0, 10, 20]).allSatisfy { ($0 - $1).magnitude < 1e-6 })
        #expect((timed.fixes[2].speed - 11.132).magnitude < 1e-9)
        #expect(timed.fixes[2].track == 90)
        #expect(timed.hasRemark("11.13"))
        #expect(throws: DeviceError.self) { try ReadPositions(inside: route, options: GPXOptions(speed: 0)) }
    }

    @Test("Waypoints are read if there are no tracks and routes, or on request")
    func waypoints() throws {
        let waypoints =
            "<wpt lat='1' lon='2'><time>2021-06-16T23:46:05Z</time></wpt><wpt lat='3' lon='4'><time>2021-06-16T23:46:04Z</time></wpt>"
        let alone = try ReadPositions(inside: waypoints)
        #expect(alone.fixes.map(\.latitude) == [3, 1])
        #expect(alone.hasRemark("waypoints are not in chronological order"))
        let both = waypoints + "<rte><rtept lat='5' lon='6'/></rte>"
        let route = try ReadPositions(inside: both)
        #expect(route.fixes.map(\.latitude) == [5])
        #expect(route.hasRemark("2 waypoints"))
        #expect(try ReadPositions(inside: both, options: GPXOptions(content: .waypoints)).fixes.count == 2)
        #expect(throws: DeviceError.self) { try ReadPositions(inside: both, options: GPXOptions(content: .tracks)) }
    }

    @Test(
        "Times are parsed with zones and decimals",
        arguments: [
            ("2021-06-16T23:46:05Z", 1_623_887_165_000_000_000, true),
            ("2021-06-17T01:46:05+02:00", 1_623_887_165_000_000_000, true),
            ("2021-06-16T18:16:05.5-0530", 1_623_887_165_500_000_000, true),
            ("2021-06-16T23:46:05", 1_623_887_165_000_000_000, false),
            ("2021-06-16 23:46:05.123456789123z", 1_623_887_165_123_456_789, true),
            ("2021-06-16T23:46Z", 1_623_887_160_000_000_000, true),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000, true),
        ] as [(String, Int64, Bool)])
    func times(text: String, nanoseconds: Int64, hasZone: Bool) {
        let found = [UInt8](text.utf8).withUnsafeBytes { CivilTime.parseZoned($0) }
        #expect(found?.time.nanoseconds == nanoseconds)
        #expect(found.map { $0.zone != .missing } == hasZone)
    }

    @Test(
        "Invalid times are rejected",
        arguments: [
            "", "now", "2021-06-16", "2021-06-16T", "2021-06-16T25:00:00Z", "2021-02-29T00:00:00Z",
            "2021-06-16T23:46:05.Z",
            "2021-06-16T23:46:05+", "2021-06-16T23:46:05+2", "2021-06-16T23:46:05+02:", "2021-06-16T23:46:05Zx",
            "9999-06-16T23:46:05Z", "0000-00-00T00:00:00Z", "-021-06-16T23:46:05Z", "2021-06-16T23:46:05+99:00",
        ])
    func noTimes(text: String) {
        #expect([UInt8](text.utf8).withUnsafeBytes { CivilTime.parseZoned($0)?.time } == nil)
    }

    /// Returns a track with points at these seconds of a minute. The latitudes equal the seconds.
    private func track(_ seconds: [Int], _ name: String = "") -> String {
        let points = seconds.map {
            "<trkpt lat='\($0)' lon='2'><time>2021-06-16T23:46:\($0 < 10 ? "0" : "")\($0)Z</time></trkpt>\n"
        }
        return "<trk><name>\(name)</name><trkseg>\(points.joined())</trkseg></trk>\n"
    }

    @Test("Several tracks are read in time order")
    func severalTracks() throws {
        let text = track([30, 31], "late") + track([10, 11, 12]) + track([], "empty")
        let all = try ReadPositions(inside: text)
        #expect(all.times == [0, 1, 2, 3, 20, 21])
        #expect(all.fixes.map(\.latitude) == [10, 11, 12, 30, 31])
        #expect(all.hasRemark("2 tracks were joined in chronological order"))
        let one = try ReadPositions(inside: text, options: GPXOptions(number: 1))
        #expect(one.fixes.map(\.latitude) == [30, 31])
        #expect(one.remarks.count { $0.contains("track") } == 0)
        for number in [0, 3, 4] {
            #expect(throws: DeviceError.self) { try ReadPositions(inside: text, options: GPXOptions(number: number)) }
        }
    }

    @Test("Overlapping tracks are merged in time order with a remark")
    func overlap() throws {
        let read = try ReadPositions(inside: track([10, 12, 14], "a") + track([11, 13], "b"))
        #expect(read.fixes.map(\.latitude) == [10, 11, 12, 13, 14])
        #expect(read.reports.count == 5)
        #expect(read.hasRemark("1 (a) and 2 (b) overlap"))
        let back = try ReadPositions(inside: track([10, 12, 11]))
        #expect(back.fixes.map(\.latitude) == [10, 11, 12])
        #expect(back.hasRemark("not in chronological order"))
    }

    @Test("Missing course, speed and climb are derived")
    func derived() throws {
        // East on the equator by 11.131949 m in one second, and up by 2 m.
        let text = """
            <trk><trkseg><trkpt lat="0" lon="0"><ele>1</ele><time>2021-06-16T23:46:05Z</time></trkpt>
            <trkpt lat="0" lon="0.0001"><ele>3</ele><time>2021-06-16T23:46:06Z</time></trkpt>
            <trkpt lat="0" lon="0.0001"><ele>3</ele><time>2021-06-16T23:46:07Z</time><speed>7</speed></trkpt></trkseg></trk>
            """
        let read = try ReadPositions(inside: text)
        #expect(read.fixes[0].speed.isNaN)
        #expect((read.fixes[1].speed, read.fixes[1].track, read.fixes[1].climb) == (11.132, 90, 2))
        // The given speed is kept, and a stationary point has no course.
        #expect(read.fixes[2].speed == 7)
        #expect(read.fixes[2].track.isNaN)
        #expect(read.hasRemark("of 2 positions were derived"))
        let bare = try ReadPositions(inside: text, options: GPXOptions(derivesMotion: false))
        #expect(bare.fixes[1].speed.isNaN && bare.fixes[1].track.isNaN && bare.fixes[1].climb.isNaN)
    }

    @Test("Invalid points are omitted and counted with their line")
    func faults() throws {
        let read = try ReadPositions(
            inside: """
                <trk><trkseg><trkpt lat="1" lon="2"><time>2021-06-16T23:46:05</time></trkpt>
                <trkpt lat="91" lon="2"><time>2021-06-16T23:46:06Z</time></trkpt>
                <trkpt lat="1,5" lon="2"/><trkpt lon="2"/><trkpt lat="nan" lon="2"/>
                <trkpt lat="2" lon="3"><time>yesterday</time></trkpt>
                <trkpt lat="3" lon="4"/></trkseg></trk><trkpt lat="1" lon="1"/>
                """)
        #expect(read.fixes.map(\.latitude) == [1, 2, 3])
        #expect(read.times == [0, 1, 2])
        #expect(
            read.remarks == [
                #"<time> has no time zone and was read as UTC (line 3: "2021-06-16T23:46:05")."#,
                #"the latitude or longitude of a point is missing or out of range, and the point was skipped (3 times; first in line 4: "lat=91 lon=2")."#,
                #"the latitude or longitude of a point has a decimal comma, and the point was skipped (line 5: "lat=1,5 lon=2")."#,
                #"<time> is not a time such as 2026-11-21T03:39:16Z and was ignored (line 6: "yesterday")."#,
                #"a point outside the tracks and routes that were read was skipped (line 7: "lat=1.0 lon=1.0")."#,
                "2 points have no time although others do; they were placed between their neighbours, or one second apart before the first time and after the last.",
                "Course, speed or climb of 2 positions were derived from the previous positions.",
                "3 of 3 positions state no accuracy, so 100 m is assumed: regions with a smaller radius are never entered, and entries into larger ones may be late or missing. Specify the accuracy with --accuracy METRES (GPXOptions.accuracy).",
            ])
    }

    @Test("A given accuracy applies only to points that state none, and other points are counted")
    func accuracy() throws {
        // The accuracy of the first point is unknown, that of the second is stated, that of the third is estimated from
        // the dilution, and the fourth is not a position.
        let text = """
            <trk><trkseg><trkpt lat="1" lon="2"/>
            <trkpt lat="2" lon="2"><extensions><accuracy>7</accuracy></extensions></trkpt>
            <trkpt lat="3" lon="2"><hdop>1.5</hdop></trkpt>
            <trkpt lat="4" lon="2"><fix>none</fix></trkpt></trkseg></trk>
            """
        let without = try ReadPositions(inside: text)
        #expect(without.fixes.map(\.horizontalError).map { $0.isNaN ? -1 : $0 } == [-1, 7, -1])
        #expect(without.remarks.contains { $0.hasPrefix("1 of 3 positions state no accuracy, so 100 m is assumed") })
        let with = try ReadPositions(inside: text, options: GPXOptions(accuracy: 5))
        #expect(with.fixes.map(\.horizontalError) == [5, 7, 5])
        #expect(!with.remarks.contains { $0.contains("accuracy") })
    }

    @Test("An accuracy that is not a positive number is rejected", arguments: [0, -5, Double.nan, .infinity])
    func invalidAccuracy(accuracy: Double) throws {
        let error = #expect(throws: DeviceError.self) {
            try ReadPositions(inside: "<wpt lat='1' lon='2'/>", options: GPXOptions(accuracy: accuracy))
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("Impossible numbers count as unknown, and nothing is derived from them")
    func impossibleNumbers() throws {
        let read = try ReadPositions(
            inside: """
                <trk><trkseg><trkpt lat="1" lon="2"><ele>10</ele><time>2021-06-16T23:46:05Z</time></trkpt>
                <trkpt lat="1" lon="2"><ele>1000000000</ele><time>2021-06-16T23:46:06Z</time></trkpt>
                <trkpt lat="1" lon="2"><ele>12</ele><time>2021-06-16T23:46:07Z</time></trkpt></trkseg></trk>
                """)
        #expect(read.fixes.count == 3 && read.fixes[1].altitudeMSL.isNaN)
        #expect(read.fixes.allSatisfy { !(abs($0.climb) > 100) })
        #expect(read.hasRemark(#"a number of a point is impossible and was ignored (line 4: "lat=1.0 lon=2.0")."#))
    }

    @Test("A file is identified by its contents, and its tracks are read in time order")
    func file() throws {
        try Files.withFolder { folder in
            let text = "<?xml version='1.0'?><x:gpx xmlns:x='urn:x'>" + track([30, 31]) + track([10]) + "</x:gpx>"
            try Files.write([UInt8](text.utf8), folder + "/a.xml")
            let file = try RecordingFile.open(folder + "/a.xml")
            #expect(file.format == .gpx)
            #expect(ReadPositions(file.trace).fixes.map(\.latitude) == [10, 30, 31])
        }
    }

    @Test("Reading in a single pass and in two passes yields the same trace")
    func direct() throws {
        func point(_ second: Int?, _ latitude: Double) -> String {
            let time = second.map { "<time>2026-01-01T00:00:\($0 < 10 ? "0" : "")\($0)Z</time>" } ?? ""
            return "<trkpt lat=\"\(latitude)\" lon=\"2\"><ele>5</ele>\(time)<hdop>1.5</hdop></trkpt>"
        }
        func track(_ segments: [[String]]) -> String {
            "<trk>" + segments.map { "<trkseg>\($0.joined())</trkseg>" }.joined() + "</trk>\n"
        }
        let early = track([[point(1, 1), point(nil, 1.5), point(2, 2)], [point(9, 3)]])
        let late = track([[], [point(20, 4), point(21, 5)]])
        let mixed = track([[point(15, 6), point(25, 7)]])
        let timeless = track([[point(nil, 8), point(nil, 9)]])
        let back = track([[point(40, 1), point(39, 2)]])
        let places = "<wpt lat=\"1\" lon=\"1\"><time>2020-01-01T00:00:00Z</time></wpt>"
        for parts in [
            [early], [early, late], [late, early], [early, late, mixed], [timeless], [timeless, early],
            [early, timeless, late], [back], [early, back], [places, early], [places], [early, places, late],
        ] {
            for cut in [0, 30] {
                let text = "<gpx>\n" + parts.joined() + "</gpx>"
                let bytes = [UInt8](text.utf8.dropLast(cut))
                let builder = TraceBuilder(name: "t.gpx")
                guard let remarks = try? GPXFile.read(bytes, name: "t.gpx", to: builder) else {
                    // The rest contains no point.
                    #expect(parts == [places] && cut > 0)
                    #expect(throws: DeviceError.self) { try RecordingFile.read(bytes, name: "t.gpx") }
                    continue
                }
                let file = try RecordingFile.read(bytes, name: "t.gpx")
                #expect(
                    String(decoding: file.trace.bytes, as: UTF8.self)
                        == String(decoding: try builder.file().bytes, as: UTF8.self))
                #expect(file.remarks == remarks)
            }
        }
    }
}
