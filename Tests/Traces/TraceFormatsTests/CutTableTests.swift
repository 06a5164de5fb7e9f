// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

/// Tables without their end. A row without a line ending may lack digits, so it is omitted.
@Suite("Truncated tables")
struct CutTableTests {
    /// A kind of table with a header and two rows, and the function that reads it.
    struct Table: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let read: @Sendable ([UInt8]) throws(DeviceError) -> Recording

        static func plain(_ name: String, _ text: String) -> Table {
            Table(testDescription: name, text: text) { (bytes) throws(DeviceError) in
                try Recording(csv: bytes, name: "t")
            }
        }

        static func mapped(_ name: String, _ map: String, _ text: String) -> Table {
            Table(testDescription: name, text: text) { (bytes) throws(DeviceError) in
                try Recording(table: bytes, name: "t", columns: try CSVColumnMap(map))
            }
        }

        static func sensorLogger(_ file: String, _ text: String) -> Table {
            Table(testDescription: file, text: text) { (bytes) throws(DeviceError) in
                try Recording(sensorLogger: [file: bytes], name: "t", options: .init(platform: .android))
            }
        }

        static let all: [Table] = [
            plain("SI", "t,ax,ay,az\n0,1.25,2.25,3.25\n1.5,4.25,5.25,6.25\n"),
            plain("one value", "t,p\r\n0,101.25\r\n1.5,102.25\r\n"),
            plain(
                "MotionSense",
                "roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz\n0,0,0,0,0,-10000,100,200,300,0,0,0\n0,0,0,7419,6698,-317,3167,7782,10828,2949,-1845,3775\n"
            ),
            plain(
                "BROAD",
                "gx,gy,gz,ax,ay,az,mx,my,mz,qw,qx,qy,qz,move\n99,-36,-60,22,-3,9811,3,168,-409\n-14,-39,67,-2,-3,9843,1,138,-393,9,-2008,1256,-139,0\n"
            ),
            mapped("map", "time=a,lat=b,lon=c", "a,b,c\n0,46.55,6.25\n1.5,46.56,6.26\n"),
            mapped("map without header", "time=#1:ms,lat=#2,lon=#3,header=no", "0,46.55,6.25\n1500,46.56,6.26\n"),
            sensorLogger(
                "Gyroscope.csv",
                "time,seconds_elapsed,z,y,x\n1767620467000000000,0,1.5,2.5,3.5\n1767620467100000000,0.1,1.5,2.5,3.5\n"),
            sensorLogger(
                "Location.csv",
                "time,seconds_elapsed,latitude,longitude\n1767620467000000000,0,46.55,6.25\n1767620468000000000,1,46.56,6.26\n"
            ),
            Table(
                testDescription: "phyphox",
                text: "\"Time (s)\",\"Pressure (hPa)\"\n0.5,1013.25\n1.500E0,1.01425E3\n"
            ) { (bytes) throws(DeviceError) in
                try Recording(phyphox: ["A.csv": bytes], name: "t")
            },
        ]
    }

    @Test("A truncated last row is omitted with a remark that names its line", arguments: Table.all)
    func lastRow(table: Table) throws {
        let bytes = [UInt8](table.text.utf8)
        let whole = try table.read(bytes)
        #expect(whole.count + whole.reports.count == 2 * (whole.tracks.isEmpty ? 1 : whole.tracks.count))
        let rowEnds = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        let lastStart = try #require(rowEnds.dropLast().last)
        let before = try table.read(Array(bytes[..<lastStart]))
        #expect(before.tracks.map(\.values) == whole.tracks.map { $0.values.dropLast() })
        #expect(before.count + before.reports.count == (whole.count + whole.reports.count) / 2)
        let line = rowEnds.count
        let lineEnd = try #require(bytes[lastStart...].firstIndex { $0 == 0x0d || $0 == 0x0a })
        for end in lastStart + 1...lineEnd {
            let cut = try table.read(Array(bytes[..<end]))
            #expect(cut.tracks.map(\.values) == before.tracks.map(\.values), "at \(end)")
            #expect(cut.reports.count == before.reports.count, "at \(end)")
            let received = cut.remarks.filter { $0.contains("Line \(line) of ") && $0.contains("truncated") }
            #expect(received.count == 1, "at \(end): \(cut.remarks)")
        }
        for end in lineEnd + 1...bytes.count {
            #expect(try table.read(Array(bytes[..<end])).tracks.map(\.values) == whole.tracks.map(\.values))
        }
    }

    @Test("Rows that lack cells are counted", arguments: ["t,ax,ay,az\n0,1,2,3\n1,4\n2,5,6\n3,7,8,9\n"])
    func shortRows(text: String) throws {
        let recording = try Recording(text: text)
        #expect(recording.tracks[0].values == [[1, 2, 3], [7, 8, 9]])
        #expect(recording.remarks.contains { $0.hasPrefix("2 rows of t.csv lack cells at their end,") })
    }

    @Test("Truncated metadata is ignored and reported")
    func metadata() throws {
        let text = "device name,platform,recording epoch time\nPhone,android,1767620467000"
        let error = #expect(throws: DeviceError.self) {
            try Recording(
                sensorLogger: [
                    "Metadata.csv": [UInt8](text.utf8),
                    "TotalAcceleration.csv": [UInt8]("time,z,y,x\n1767620467000000000,9.8,0,0\n".utf8),
                ], name: "walk")
        }
        #expect(error?.message.contains("--platform") == true)
        #expect(error?.message.contains("Line 2 of walk/Metadata.csv has no line end") == true)
    }

    @Test("Truncated headers and a truncated phone model are reported, also in directories")
    func headers() throws {
        #expect(csvError("t,ax,ay,az")?.contains("Line 1 of t.csv has no line end") == true)
        let gyroscope = "time,z,y,x\n1767620467000000000,1,2,3\n"
        let logged = try Recording(
            sensorLogger: ["Gyroscope.csv": [UInt8](gyroscope.utf8), "Barometer.csv": [UInt8]("time,pressure".utf8)],
            name: "walk")
        #expect(logged.tracks.map(\.values) == [[[3, 2, 1]]])
        #expect(logged.remarks.contains { $0.hasPrefix("Line 1 of walk/Barometer.csv has no line end") })
        let measured = try Recording(
            phyphox: [
                "A.csv": [UInt8]("\"Time (s)\",\"Pressure (hPa)\"\n1,1000\n".utf8),
                "meta/device.csv": [UInt8]("property,value\ndeviceModel,Pix".utf8),
            ], name: "walk")
        #expect(measured.tracks.map(\.values) == [[[100, 0, 0]]])
        #expect(!measured.tracks.contains { $0.sensor.name.contains("Pix") })
        #expect(measured.remarks.contains { $0.hasPrefix("Line 2 of walk/meta/device.csv has no line end") })
    }

    @Test("A table whose only row is truncated is an error that names the line")
    func nothingElse() {
        #expect(csvError("t,ax,ay,az\n0,1,2,3")?.contains("Line 2 of t.csv has no line end") == true)
    }

    @Test("An open quote is a truncation if it begins in the last row, and otherwise an error")
    func quotes() throws {
        let recording = try Recording(text: "t,ax,ay,az\n0,1,2,3\n1,4,5,\"6.2")
        #expect(recording.tracks[0].values == [[1, 2, 3]])
        #expect(recording.remarks.contains { $0.hasPrefix("Line 3 of ") })
        for lineEnd in ["\n", "\r"] {
            let text = "t,ax,ay,az\n0,\"1,2,3\n1,4,5,6\n".replacing("\n", with: lineEnd)
            #expect(csvError(text)?.contains("line 2, column 2") == true)
        }
    }
}
