// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Loss reporting for tables")
struct TableLossTests {
    private func read(_ text: String, _ map: String) throws -> ReadPositions {
        var options = RecordingOptions()
        options.columns = try CSVColumnMap(map)
        let file = try RecordingFile.read([UInt8](text.utf8), name: "t.csv", options: options)
        return ReadPositions(file.trace, remarks: file.remarks)
    }

    @Test("Positions of the same whole second are spread over it")
    func wholeSeconds() throws {
        let text = """
            t,a,b
            2024-01-01T00:00:00Z,50.0000,8
            2024-01-01T00:00:00Z,50.0001,8
            2024-01-01T00:00:01Z,50.0002,8

            """
        let read = try read(text, "time=t:iso,lat=a,lon=b")
        #expect(read.times == [0, 0.5, 1])
        #expect(read.fixes.map { $0.time?.seconds } == [1_704_067_200, 1_704_067_200.5, 1_704_067_201])
        #expect(read.hasRemark(#"at most one second (line 3: "50.0001, 8.0")"#))
    }

    @Test(
        "Positions with equal times, or in the first second of 1970, are one second apart without civil times",
        arguments: ["2024-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
    func oneTime(time: String) throws {
        let read = try read("t,a,b\n\(time),50,8\n\(time),51,8\n\(time),52,8\n", "time=t:iso,lat=a,lon=b")
        #expect(read.times == [0, 1, 2])
        #expect(read.trace.start == nil)
        #expect(read.fixes.allSatisfy { $0.time == nil })
        #expect(read.hasRemark("were placed one second apart"))
    }

    @Test("A row with a time of 1970 is placed beside its neighbours")
    func rowOf1970() throws {
        let text = """
            t,a,b
            1970-01-01T00:00:00Z,50,8
            2024-01-01T00:00:00Z,51,8
            2024-01-01T00:00:02Z,52,8

            """
        let read = try read(text, "time=t:iso,lat=a,lon=b")
        #expect(read.fixes.map(\.latitude) == [50, 51, 52])
        #expect(read.times == [0, 1, 3])
        #expect(read.fixes[1].time?.nanoseconds == 1_704_067_200_000_000_000)
        #expect(read.hasRemark("the position has no time although others do"))
        let numbers = try self.read(
            "t,a,b\n0,50,8\n1704067200000,51,8\n1704067202000,52,8\n", "time=t:ms,lat=a,lon=b")
        #expect(numbers.times == [0, 1, 3])
        let uptime = try self.read(
            "t,a,b\n5000,50,8\n6000,51,8\n1704067202000,52,8\n", "time=t:ms,lat=a,lon=b")
        #expect(uptime.times == [0, 1, 2])
    }

    @Test("The only time in a table is kept, in any row")
    func onlyTime() throws {
        for rows in [
            ["2024-01-01T00:00:00Z", "", ""], ["", "2024-01-01T00:00:01Z", ""], ["", "", "2024-01-01T00:00:02Z"],
        ] {
            let text = "t,a,b\n" + rows.enumerated().map { "\($1),\(50 + $0),8\n" }.joined()
            let read = try read(text, "time=t:iso,lat=a,lon=b")
            #expect(read.times == [0, 1, 2])
            #expect(read.fixes.compactMap(\.time).count == 1)
            #expect(read.trace.start?.nanoseconds == 1_704_067_200_000_000_000)
        }
        #expect(try read("t,a,b\n,50,8\n,51,8\n", "time=t:iso,lat=a,lon=b").times == [0, 1])
    }

    @Test("A single position without a valid time is kept", arguments: ["", "1970-01-01T00:00:00Z"])
    func onePosition(time: String) throws {
        let read = try read("t,a,b\n\(time),50,8\n", "time=t:iso,lat=a,lon=b")
        #expect(read.fixes.map(\.latitude) == [50])
        #expect(read.trace.start == nil)
    }

    @Test("A time that cannot be parsed is reported, also in tables of positions")
    func unreadableTime() throws {
        let iso = try read(
            "t,a,b\n2024-01-01T00:00:00Z,50,8\nnoon,51,8\n2024-01-01T00:00:02Z,52,8\n", "time=t:iso,lat=a,lon=b")
        #expect(iso.times == [0, 1, 2])
        #expect(iso.hasRemark(#"the cell of column "t" cannot be read and was ignored (line 3: "noon")"#))
        let number = try read("t,a,b\n0,50,8\nnoon,51,8\n2,52,8\n", "time=t:s,lat=a,lon=b")
        #expect(number.hasRemark(#"the cell of column "t" cannot be read and was ignored (line 3: "noon")"#))
        let date = try read(
            "d,t,a,b\n2024-01-01,10:00:00,50,8\n2024-01-32,10:00:01,51,8\n", "date=d,time=t:iso,lat=a,lon=b")
        #expect(date.hasRemark(#"the cell of column "d" cannot be read and was ignored (line 3: "2024-01-32")"#))
    }

    @Test("An unreadable cell below an empty first row is ignored with a remark")
    func emptyFirstRow() throws {
        let read = try read("t,a,b,s\n,,,\n0,50,8,fast\n1,51,8,2\n", "time=t,lat=a,lon=b,speed=s")
        #expect(read.fixes.map(\.latitude) == [50, 51])
        #expect(read.hasRemark(#"the cell of column "s" cannot be read and was ignored (line 3: "fast")"#))
    }

    @Test("Positions from before the clock was set precede the motion readings of the table")
    func positionsBeforeMotion() throws {
        let text = """
            t,a,b,x,y,z
            1970-01-01T00:00:00Z,50,8,,,
            1970-01-01T00:00:00Z,51,8,,,
            2024-01-01T00:00:00Z,,,0,0,9.8
            2024-01-01T00:00:01Z,,,0,0,9.8

            """
        let read = try read(text, "time=t:iso,lat=a,lon=b,accel.x=x,accel.y=y,accel.z=z")
        #expect(read.times == [0, 1])
        #expect(read.trace.start?.nanoseconds == 1_704_067_198_000_000_000)
        #expect(read.hasRemark("the time is from a clock that was not set, and was ignored (2 times; first in line 2"))
    }

    @Test("Seconds of the week are not a civil fix time")
    func elapsedFixTime() throws {
        let read = try read(
            "t,a,b,f\n2024-01-01T00:00:00Z,50,8,345600\n2024-01-01T00:00:01Z,51,8,345601\n",
            "time=t:iso,lat=a,lon=b,fix.time=f:s")
        #expect(read.fixes.map { $0.time?.seconds } == [1_704_067_200, 1_704_067_201])
    }

    @Test("Only one row below the header may contain units")
    func oneRowOfUnits() {
        let error = #expect(throws: DeviceError.self) {
            try RecordingFile.read([UInt8]("t,ax,ay,az\ns,m,m,m\nx,y,z,w\n0,1,2,3\n".utf8), name: "t.csv")
        }
        #expect(error?.message.contains("line 3") == true, "\(error?.message ?? "")")
    }

    @Test("New positions with an unchanged fix time are kept, and zero is not a fix time")
    func fastFixes() throws {
        let text = """
            t,a,b,f
            2024-01-01T00:00:00.0Z,50,8,2024-01-01T00:00:00Z
            2024-01-01T00:00:00.5Z,51,8,2024-01-01T00:00:00Z
            2024-01-01T00:00:00.7Z,51,8,2024-01-01T00:00:00Z
            2024-01-01T00:00:01.0Z,52,8,2024-01-01T00:00:01Z

            """
        let read = try read(text, "time=t:iso,lat=a,lon=b,fix.time=f:iso")
        #expect(read.fixes.map(\.latitude) == [50, 51, 52])
        #expect(read.fixes.map { ($0.time?.nanoseconds ?? 0) % 1_000_000_000 } == [0, 500_000_000, 0])
        let zero = try self.read(
            "t,a,b,f\n1,50,8,0\n2,51,8,0\n3,52,8,0\n", "time=t:s,lat=a,lon=b,fix.time=f:s")
        #expect(zero.fixes.map(\.latitude) == [50, 51, 52])
        #expect(zero.fixes.allSatisfy { $0.time == nil })
    }

    @Test("A position without a hemisphere, or with a contradicting sign, is ignored")
    func contradictions() throws {
        let text = """
            t,a,ns,b,ew
            1,33.5,S,70,W
            2,33.5,,70,W
            3,-33.5,N,70,W
            4,-33.5,S,-70,W
            5,-33.5,,70,E
            6,33.5,NaN,70,E
            7,33.5S,N,70,E
            8,33.5,South,70,ERROR

            """
        let read = try read(text, "time=t:s,lat=a,lat.dir=ns,lon=b,lon.dir=ew")
        #expect(read.times == [1, 4, 5])
        #expect(read.fixes.map(\.latitude) == [-33.5, -33.5, -33.5])
        #expect(
            read.hasRemark("does not specify the hemisphere of its latitude, and its position was skipped (2 times"))
        #expect(read.hasRemark(#"the cell of column "ew" cannot be read and was ignored (line 9: "ERROR")"#))
        #expect(read.hasRemark("contradict each other"))
    }

    @Test("Values out of range are reported with their cell")
    func outOfRange() throws {
        let read = try read(
            "t,a,b,c,n,m\n1,50,8,90,9,3\n2,50,8,400,9.7,4\n", "time=t:s,lat=a,lon=b,course=c,sats=n,mode=m")
        for column in ["c", "n", "m"] { #expect(read.hasRemark("the cell of column \"\(column)\" cannot be read")) }
        #expect(TableTime.timeOfDay("13:08:01 PM") == nil)
        #expect(TableTime.timeOfDay("12:08:01 AM") == 481_000_000_000)
    }

    @Test("The fix time column distinguishes repeated fixes from new ones")
    func fixTime() throws {
        var text = "loggingTime,fixTime,lat,lon,speed,ax,ay,az\n"
        for row in 0..<40 {
            let fix = row < 20 ? 0 : 20
            text += "\(row),\(fix),\(row < 20 ? 50 : 50.001),8,11,0,0,9.8\n"
        }
        let map = "time=loggingTime,lat=lat,lon=lon,speed=speed,accel.x=ax,accel.y=ay,accel.z=az"
        let known = try read(text, map + ",fix.time=fixTime")
        #expect(known.times == [0, 20])
        #expect(known.hasRemark("38 rows repeat the previous position, which was used only once."))
        // Without that column, a remark suggests that the logger may repeat its last fix.
        let unknown = try read(text, map)
        #expect(unknown.hasRemark("if the logger repeats its last fix, name the column with the time of the fix"))
        // The constant position of a stationary receiver is not an old fix.
        let still = try read(text.replacing(",11,", with: ",0,"), map)
        #expect(!still.hasRemark("fix.time"))
    }

    @Test(
        "A row that indicates no fix has none, regardless of its coordinates",
        arguments: [("50", "8", "0", ""), ("50", "8", "5", "99.99"), ("0", "0", "", ""), ("0", "0", "0", "99.99")])
    func noFix(latitude: String, longitude: String, satellites: String, dilution: String) throws {
        let read = try read(
            "t,a,b,s,h\n0,\(latitude),\(longitude),\(satellites),\(dilution)\n1,50,8,7,1.1\n",
            "time=t,lat=a,lon=b,sats=s,hdop=h")
        #expect(read.reports.map(\.report.mode) == [FixMode.none, .twoDimensional])
        #expect(read.hasRemark("and was treated as having no fix (line 2: "))
    }

    @Test(
        "Dates may be in a separate column",
        arguments: [
            ("2024-01-31", "10:08:00", "ymd"), ("31.01.2024", "10:08:00", "dmy"), ("01/31/2024", "10:08:00", "mdy"),
            ("20240131", "100800", "ymd"), ("310124", "100800.000", "dmy"), ("2024/1/31", "10:08:00 AM", "ymd"),
        ])
    func dates(date: String, time: String, order: String) throws {
        let read = try read(
            "d,t,a,b\n\(date),\(time),50,8\n", "date=d:\(order),time=t:iso,lat=a,lon=b")
        // 2024-01-31T10:08:00Z
        #expect(read.fixes.first?.time?.seconds == 1_706_695_680)
    }

    @Test(
        "Times in other notations are parsed",
        arguments: [
            "2024/01/31 10:08:00", "2024-01-31 10:08:00 +0000", "2024-01-31 10:08:00:000", "2024-01-31T12:08:00+0200",
            "2024-01-31 10:08:00 UTC", "2024/01/31 10:08:00.000 +0000",
        ])
    func times(time: String) throws {
        let read = try read("t,a,b\n\(time),50,8\n", "time=t:iso,lat=a,lon=b")
        #expect(read.fixes.first?.time?.seconds == 1_706_695_680)
    }

    @Test("Hemispheres may be in separate columns, or before or after the number")
    func hemispheres() throws {
        let columns = try read(
            "t,a,ns,b,ew\n0,33.5,S,70.6,W\n1,33.5,N,70.6,E\n",
            "time=t,lat=a,lat.dir=ns,lon=b,lon.dir=ew")
        #expect(columns.fixes.map(\.latitude) == [-33.5, 33.5])
        #expect(columns.fixes.map(\.longitude) == [-70.6, 70.6])
        let cells = try read("t,a,b\n0,33.5S,70.6 W\n1,N33.5,E 70.6\n", "time=t,lat=a,lon=b")
        #expect(cells.fixes.map(\.latitude) == [-33.5, 33.5])
        #expect(cells.fixes.map(\.longitude) == [-70.6, 70.6])
        // Without its hemispheres, a position in Chile would be in Pakistan.
        let unnamed = try read("t,a,ns,b,ew\n0,33.5,S,70.6,W\n", "time=t,lat=a,lon=b")
        #expect(unnamed.remarks.count { $0.contains("seems to contain hemispheres, which were ignored") } == 2)
        let wrong = try read("t,a,ns,b\n0,33.5,N,70\n1,33.5,X,70.6\n", "time=t,lat=a,lat.dir=ns,lon=b")
        #expect(wrong.fixes.count == 1)
        #expect(wrong.hasRemark(#"the cell of column "ns" cannot be read and was ignored (line 3: "X")"#))
    }

    @Test("A row of units below the header is omitted")
    func units() throws {
        let read = try read("t,a,b,alt\ns,deg,deg,m\n0,50,8,100\n", "time=t,lat=a,lon=b,alt.msl=alt")
        #expect(read.fixes.map(\.altitudeMSL) == [100])
        #expect(read.hasRemark(#"units or other text instead of numbers and was skipped (line 2: "s, deg, deg, m")"#))
        let motion = try Recording(
            csv: [UInt8]("t,ax,ay,az\ns,m/s2,m/s2,m/s2\n0,1,2,9\n".utf8), name: "t.csv")
        #expect(motion.tracks.first?.values == [[1, 2, 9]])
    }

    @Test("A cell may contain the satellites used and in view")
    func satellites() throws {
        let read = try read("t,a,b,s\n0,50,8,18 / 19\n", "time=t,lat=a,lon=b,sats=s")
        #expect(read.skies.first?.usedCount == 18)
    }

    @Test("The error explains how to read whole numbers of 1e-7 degrees")
    func wholeDegrees() throws {
        let error = #expect(throws: DeviceError.self) {
            try self.read("epoch,a,b\n1704067200,501234567,81234567\n", "time=epoch,lat=a,lon=b")
        }
        #expect(error?.message.contains("for integers of 1e-7 degrees, write :e7") == true)
        let read = try read("epoch,a,b\n1704067200,501234567,81234567\n", "time=epoch,lat=a:e7,lon=b:e7")
        #expect(read.fixes.first?.latitude == 50.1234567)
    }

    @Test(
        "A cell that cannot be parsed is reported with its line and text",
        arguments: [
            "lat", "lon", "altm", "alth", "speed", "course", "climb", "acch", "accv", "accs", "accc", "mode", "sats",
            "hdop",
            "vdop", "pdop", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz", "p", "fix", "ns", "ew", "t",
        ])
    func cells(column: String) throws {
        let columns = [
            "t": "time", "lat": "lat", "lon": "lon", "altm": "alt.msl", "alth": "alt.hae", "speed": "speed",
            "course": "course", "climb": "climb", "acch": "acc.h", "accv": "acc.v", "accs": "acc.speed",
            "accc": "acc.course", "mode": "mode", "sats": "sats", "hdop": "hdop", "vdop": "vdop", "pdop": "pdop",
            "ax": "accel.x", "ay": "accel.y", "az": "accel.z", "gx": "gyro.x", "gy": "gyro.y", "gz": "gyro.z",
            "mx": "mag.x", "my": "mag.y", "mz": "mag.z", "p": "pressure", "fix": "fix.time", "ns": "lat.dir",
            "ew": "lon.dir",
        ]
        let names = columns.keys.sorted()
        func row(_ number: Int, _ changed: String? = nil) -> String {
            names.map { name in
                if name == changed { return "rubbish" }
                switch name {
                case "t", "fix": return "\(number)"
                case "ns": return "N"
                case "ew": return "E"
                case "mode": return "3"
                default: return "2"
                }
            }.joined(separator: ",")
        }
        let text =
            [names.joined(separator: ","), row(0), row(1), row(2, column), row(3)].joined(separator: "\n") + "\n"
        let map = columns.map { "\($1)=\($0)" }.joined(separator: ",")
        let read = try read(text, map)
        #expect(read.remarks.contains { $0.contains("(line 4: \"rubbish\")") }, "\(read.remarks)")
    }

    @Test(
        "Readings in another unit give a remark",
        arguments: [
            ("accel.x=x,accel.y=y,accel.z=z", "0,0,1.0", "Is it in g"),
            ("accel.x=x,accel.y=y,accel.z=z", "0,0,981", "mg or cm/s²"),
            ("gyro.x=x,gyro.y=y,gyro.z=z", "0,0,250", "degrees per second"), ("pressure=z", "0,0,1013.25", "hPa"),
            ("pressure=z", "0,0,101325", "in Pa"), ("mag.x=x,mag.y=y,mag.z=z", "0,0,48000", "The magnetic field"),
        ])
    func units(map: String, values: String, remark: String) throws {
        let text = "t,x,y,z\n" + (0..<10).map { "\($0),\(values)\n" }.joined()
        #expect(try read(text, "time=t,\(map)").hasRemark(remark))
    }

    @Test("Readings in the correct unit give no remark")
    func rightUnits() throws {
        let text = "t,ax,ay,az,gx,gy,gz,p\n" + (0..<10).map { "\($0),0,0,9.8,0.1,0,0,101.3\n" }.joined()
        #expect(try Recording(csv: [UInt8](text.utf8), name: "t.csv").remarks == [])
        let wrong = "t,ax,ay,az,p\n" + (0..<10).map { "\($0),0,0,0.98,1013\n" }.joined()
        #expect(try Recording(csv: [UInt8](wrong.utf8), name: "t.csv").remarks.count == 2)
    }

    @Test("Sentences in the last column of a table are recognised by content, regardless of the file name")
    func sentences() throws {
        let text = """
            time,source,sentence
            12:00:01,gps,$GPRMC,194101,A,4426.1130,N,07140.5596,W,5.2,77.3,160906,15.8,W*70
            12:00:02,gps,$GPRMC,194102,A,4426.1130,N,07140.5596,W,5.2,77.3,160906,15.8,W*73

            """
        for name in ["t.csv", "t.txt"] {
            let file = try RecordingFile.read([UInt8](text.utf8), name: name)
            #expect(file.format == .nmea)
            #expect(ReadPositions(file.trace).fixes.count == 2)
        }
    }

    @Test("The error for a phone's JSON log gives advice")
    func json() {
        for text in [
            #"[{"sensor":"Accelerometer","time":"1","seconds_elapsed":"0.1","x":"1"}]"#,
            #"{"loggingTime":"2024-01-01","locationLatitude":"50"}"#,
        ] {
            let error = #expect(throws: DeviceError.self) {
                try RecordingFile.read([UInt8](text.utf8), name: "log.json")
            }
            #expect(error?.message.contains("log.json is a JSON log of a phone app") == true)
        }
    }
}
