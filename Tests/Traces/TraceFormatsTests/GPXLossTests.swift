// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import TraceFormats

@Suite("Loss reporting for GPX files")
struct GPXLossTests {
    private func point(_ latitude: String, _ time: String? = nil, _ more: String = "") -> String {
        let time = time.map { "<time>\($0)</time>" } ?? ""
        return "<trkpt lat=\"\(latitude)\" lon=\"8\">\(more)\(time)</trkpt>\n"
    }

    private func track(_ points: [String]) -> String { "<trk><trkseg>\n\(points.joined())</trkseg></trk>\n" }

    @Test("Points of the same whole second are spread over it in every output format")
    func wholeSeconds() throws {
        let time = "2024-01-01T00:00:00Z"
        let read = try ReadPositions(
            inside: track([
                point("50.0000", time), point("50.0001", time), point("50.0002", time),
                point("50.0003", "2024-01-01T00:00:01Z"),
            ]))
        #expect(read.fixes.map(\.latitude) == [50, 50.0001, 50.0002, 50.0003])
        #expect(read.times.map { ($0 * 1000).rounded() } == [0, 333, 667, 1000])
        #expect(
            read.remarks.count { $0.contains("2 points have the same time as the previous point (first in line ") } == 1
        )
        for format in [RecordingFormat.trace, .gpsd, .nmea, .gpx, .kml, .geojson, .mcap] {
            try Files.withFolder { folder in
                let path = folder + "/out" + (format.fileExtensions.first ?? "")
                _ = try format.write(read.trace, to: path)
                guard format != .kml, format != .geojson else {
                    let text = try String(contentsOfFile: path, encoding: .utf8)
                    for latitude in ["50.0001", "50.0002", "50.0003"] { #expect(text.contains(latitude), "\(format)") }
                    return
                }
                let back = try RecordingFile.open(path)
                #expect(ReadPositions(back.trace).fixes.count == 4, "\(format)")
            }
        }
    }

    @Test("Thousands of points in one second are all kept")
    func manyPoints() throws {
        let points = (0..<3000).map { point("50.\(10_000 + $0)", "2024-01-01T00:00:00Z") }
        let read = try ReadPositions(inside: track(points + [point("51", "2024-01-01T00:00:01Z")]))
        #expect(read.fixes.count == 3001)
        var epochs = PositionEpochs(read.trace)
        let count = read.trace.bytes.withUnsafeBytes { bytes in
            var count = 0
            while epochs.next(bytes) != nil { count += 1 }
            return count
        }
        #expect(count == 3001)
    }

    @Test(
        "Times that are all equal, or all in the first second of 1970, are ignored",
        arguments: [
            (
                ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
                "All points have the time 2024-01-01T00:00:00Z, which was ignored."
            ),
            (
                ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.5Z", "1970-01-01T00:00:00.999Z"],
                "<time> is from a clock that was not set, and was ignored (3 times; first in line "
            ),
        ])
    func oneTime(times: [String], remark: String) throws {
        let read = try ReadPositions(inside: track(zip(["1", "2", "3"], times).map { point($0, $1) }))
        #expect(read.fixes.map(\.latitude) == [1, 2, 3])
        #expect(read.times == [0, 1, 2])
        #expect(read.trace.start == nil)
        #expect(read.hasRemark("The tracks have no times; their points were placed one second apart"))
        #expect(read.hasRemark(remark))
    }

    @Test("A single point with a time of 1970 is placed between its neighbours")
    func pointOf1970() throws {
        let read = try ReadPositions(
            inside: track([
                point("1", "2024-01-01T00:00:00Z"), point("2", "1970-01-01T00:00:00Z"),
                point("3", "2024-01-01T00:00:10Z"),
            ]))
        #expect(read.fixes.map(\.latitude) == [1, 2, 3])
        #expect(read.times == [0, 5, 10])
        #expect(read.hasRemark(#"<time> is from a clock that was not set, and was ignored (line 5: "#))
    }

    @Test("Times from before the clock was set are ignored")
    func clockSetLater() throws {
        let read = try ReadPositions(
            inside: track([
                point("1", "1970-01-01T00:00:04Z"), point("2", "1970-01-01T00:00:05Z"),
                point("3", "2024-01-01T00:00:10Z"), point("4", "2024-01-01T00:00:11Z"),
            ]))
        #expect(read.fixes.map(\.latitude) == [1, 2, 3, 4])
        #expect(read.times == [0, 1, 2, 3])
        #expect(read.fixes[2].time?.nanoseconds == 1_704_067_210_000_000_000)
        #expect(read.hasRemark("from a clock that was not set, and was ignored (2 times"))
        // If the clock was never set, the times still give the intervals.
        let never = try ReadPositions(
            inside: track([point("1", "1970-01-01T00:00:04Z"), point("2", "1970-01-01T00:00:06Z")]))
        #expect(never.times == [0, 2])
    }

    @Test("Points without a time do not change the times of other points")
    func untimed() throws {
        let leading = try ReadPositions(
            inside: track([point("1", nil), point("2", nil), point("3", "2024-01-01T00:00:30Z")]))
        #expect(leading.times == [0, 1, 2])
        #expect(leading.fixes[2].time?.nanoseconds == 1_704_067_230_000_000_000)
        let back = try ReadPositions(
            inside: track([point("1", "2024-01-01T00:00:03Z"), point("2", nil), point("3", "2024-01-01T00:00:01Z")]))
        #expect(back.times == [0, 2, 3])
        #expect(back.fixes.map(\.latitude) == [3, 1, 2])
    }

    @Test("A point without a fix and a course out of range are reported")
    func noFixAndRange() throws {
        let read = try ReadPositions(
            inside: """
                <trk><trkseg><trkpt lat="1" lon="2"><fix>none</fix></trkpt>
                <trkpt lat="1" lon="2"><course>370</course><speed>-4</speed></trkpt>
                <trkpt lat="1" lon="2"><course>-1</course><speed>-1</speed></trkpt></trkseg></trk>
                """)
        #expect(read.fixes.count == 2)
        #expect(read.hasRemark("<fix> states that there is no fix"))
        #expect(read.hasRemark("<course> is out of range and was ignored (line 4: \"370.0\")"))
        #expect(read.hasRemark("<speed> is out of range and was ignored (line 4: \"-4.0\")"))
    }

    @Test(
        "Times at the ends of the range neither trap nor hang",
        arguments: [
            ["2200-01-01T00:00:00Z", "2201-01-01T00:00:00Z", "1700-01-01T00:00:00Z"],
            [nil, "1677-09-21T00:12:44Z"], [nil, nil, "1677-09-21T00:12:44Z", "2262-04-11T23:47:16Z"],
        ] as [[String?]])
    func extremeTimes(times: [String?]) throws {
        let read = try ReadPositions(inside: track(times.enumerated().map { point("\($0 + 1)", $1) }))
        #expect(read.fixes.count == times.count)
    }

    @Test("Many points of overlapping tracks get free times without a linear search for each")
    func manyOverlapping() throws {
        // 20,000 points in steps of 1 ms, twice. A search along the chain of taken times would take 4·10⁸ steps.
        let points = (0..<20_000).map { index in
            let thousandths = String(index % 1000 + 1000).dropFirst()
            let second = String(index / 1000 + 100).dropFirst()
            return point("\(1 + Double(index) / 1e6)", "2024-01-01T00:00:\(second).\(thousandths)Z")
        }
        let read = try ReadPositions(inside: track(points) + track(points))
        #expect(read.fixes.count == 40_000)
        #expect(Set(read.times).count == 40_000)
    }

    @Test("Points of overlapping tracks with equal times are all kept")
    func overlap() throws {
        let times = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z", "2024-01-01T00:00:02Z"]
        let first = track(zip(["1", "2", "3"], times).map { point($0, $1) })
        let second = track(zip(["4", "5", "6"], times).map { point($0, $1) })
        let read = try ReadPositions(inside: first + second)
        #expect(Set(read.fixes.map(\.latitude)) == [1, 2, 3, 4, 5, 6])
        #expect(Set(read.fixes.compactMap(\.time)).count == 6)
    }

    @Test(
        "A number that cannot be parsed is reported with its line and text",
        arguments: [
            ("<ele>100,5</ele>", "<ele> has a decimal comma", "100,5"),
            ("<ele>high</ele>", "<ele> is not a number", "high"),
            ("<speed>3,5</speed>", "<speed> has a decimal comma", "3,5"),
            ("<course>N</course>", "<course> is not a number", "N"),
            ("<hdop>0,9</hdop>", "<hdop> has a decimal comma", "0,9"),
            ("<vdop>x</vdop>", "<vdop> is not a number", "x"),
            ("<pdop>1e999</pdop>", "<pdop> is not a number", "1e999"),
            ("<magvar>W3</magvar>", "<magvar> is not a number", "W3"),
            ("<geoidheight>47 m</geoidheight>", "<geoidheight> is not a number", "47 m"),
            ("<ageofdgpsdata>?</ageofdgpsdata>", "<ageofdgpsdata> is not a number", "?"),
            ("<sat>many</sat>", "<sat> is not a number", "many"),
            ("<sat>-3</sat>", "<sat> is not a valid count", "-3.0"),
            ("<dgpsid>x</dgpsid>", "<dgpsid> is not a number", "x"),
            ("<fix>4d</fix>", "<fix> is not a known kind of fix", "4d"),
            ("<time>noon</time>", "<time> is not a time", "noon"),
            ("<extensions><speed>3,5</speed></extensions>", "<speed> has a decimal comma", "3,5"),
            ("<extensions><accuracy>good</accuracy></extensions>", "<accuracy> is not a number", "good"),
            ("<extensions><vacc>x</vacc></extensions>", "<vacc> is not a number", "x"),
            ("<extensions><g:meta c=\"1,5\" s=\"2\"/></extensions>", "attribute c has a decimal comma", "1,5"),
        ])
    func unreadable(element: String, problem: String, text: String) throws {
        let read = try ReadPositions(inside: "\n" + track([point("1", nil, element)]))
        let remark = try #require(read.remarks.first { $0.hasPrefix(problem) }, "\(read.remarks)")
        #expect(remark.hasSuffix("\"\(text)\").") && remark.contains("(line "))
    }

    @Test("The error names decimal commas if all coordinates have them")
    func coordinates() throws {
        let error = #expect(throws: DeviceError.self) {
            try ReadPositions(inside: track([point("50,1"), point("50,2")]))
        }
        #expect(error?.message.contains("decimal comma") == true)
        #expect(error?.message.contains("right file") == false)
    }

    @Test("Garmin's points between two points of a route belong to the route")
    func routePoints() throws {
        func point(_ latitude: String, _ inner: [String]) -> String {
            let points = inner.map { "<gpxx:rpt lat=\"\($0)\" lon=\"8\"/>" }.joined()
            return
                "<rtept lat=\"\(latitude)\" lon=\"8\"><extensions><gpxx:RoutePointExtension><gpxx:Subclass>0</gpxx:Subclass>\(points)</gpxx:RoutePointExtension></extensions></rtept>"
        }
        let read = try ReadPositions(
            inside: "<rte>\(point("50", ["50.1", "50.2"]))\(point("50.3", ["x", "50.4"]))\(point("50.5", []))</rte>")
        #expect(read.fixes.map(\.latitude) == [50, 50.1, 50.2, 50.3, 50.4, 50.5])
        #expect(read.hasRemark(#"missing or out of range, and the point was skipped (line 3: "lat=x lon=8")"#))
    }

    @Test(
        "Speed and accuracy inside other containers are ignored",
        arguments: [
            "<weather><wind><speed>12</speed><course>270</course></wind></weather>",
            "<average><accuracy>99</accuracy><speed>3</speed></average>",
            "<wind c=\"1\"><meta c=\"5\" s=\"9\"/></wind>",
        ])
    func nested(extension text: String) throws {
        let read = try ReadPositions(inside: track([point("1", nil, "<extensions>\(text)</extensions>")]))
        #expect(read.fixes[0].speed.isNaN && read.fixes[0].track.isNaN && read.fixes[0].horizontalError.isNaN)
    }
}
