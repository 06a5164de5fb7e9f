// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Conversion of recordings to traces")
struct RecordingTraceTests {
    private func sample() throws -> Recording {
        var recording = try Recording(
            text: """
                t,gx,gy,gz,ax,ay,az,p
                0,0.1,-0.2,0.3,0.5,0.25,9.80665,
                0.010000001,1e-07,2,3,,,,101.325
                0.02,,,,4,5,1e300,

                """)
        recording.start = WallTime(nanoseconds: 1_767_620_467_000_000_001)
        recording.contexts = ["<context/>"]
        recording.tracks[1].sensor.id = "board/\"gyro\""
        recording.tracks[1].sensor.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        return recording
    }

    @Test("The trace in memory equals the one that a trace writer writes")
    func sameBytes() throws {
        let recording = try sample()
        try Files.withFolder { folder in
            let writer = try TraceWriter(path: folder + "/a.trace")
            try recording.write(to: writer, source: "a.csv")
            try writer.close()
            let written = String(decoding: try Files.bytes(folder + "/a.trace"), as: UTF8.self)
            #expect(String(decoding: try recording.trace(named: "a.csv").bytes, as: UTF8.self) == written)
            let lines = written.split(separator: "\n")
            // The last reading is out of range for a trace.
            #expect(lines.count == 5)
            #expect(lines[1] == "{\"t\":0.000000000,\"accelerometer\":[0.5,0.25,9.80665]}")
            #expect(lines[2] == "{\"t\":0.000000000,\"gyroscope\":[0.1,-0.2,0.3],\"sensor\":\"board/\\\"gyro\\\"\"}")
            #expect(lines[4] == "{\"t\":0.010000001,\"pressure\":101.325}")
        }
    }

    @Test("A player receives the same records from an in-memory trace as from its parsed lines")
    func playedRecords() throws {
        let made = try sample().trace(named: "a.csv")
        let read = try TraceFile(bytes: Array(made.bytes), name: "a.csv")
        #expect(made.playedSize == 0 && read.playedSize == read.bytes.count)
        #expect(made.header == read.header && made.start == read.start)
        #expect(made.findSensors() == read.findSensors())
        func readings(_ file: TraceFile) -> [(Int64?, TraceSample?)] {
            file.play { cursor, bytes in
                var found: [(Int64?, TraceSample?)] = []
                while let record = cursor.next(bytes) { found.append((record.time, record.sample)) }
                return found
            }
        }
        let (ours, theirs) = (readings(made), readings(read))
        #expect(ours.map(\.0) == theirs.map(\.0) && ours.map(\.1) == theirs.map(\.1))
        #expect(ours.count == 4)
    }

    @Test("A trace is read back with its sensors, times and start")
    func roundTrip() throws {
        let recording = try sample()
        let file = try recording.trace(named: "t")
        let reread = try Recording(trace: file)
        #expect(reread.start == recording.start)
        #expect(reread.contexts == ["<context/>"])
        #expect(reread.sensors.map(\.id) == ["accelerometer", "board/\"gyro\"", "pressure"])
        #expect(reread.tracks[1].sensor.mountMatrix == recording.tracks[1].sensor.mountMatrix)
        #expect(reread.tracks[1].times == recording.tracks[1].times)
        #expect(reread.tracks[1].values == recording.tracks[1].values)
        #expect(reread.tracks[0].values == [recording.tracks[0].values[0]])
    }

    @Test("The time of a reading is its measurement time, not its arrival time")
    func stamps() throws {
        let text = """
            {"format":"device-services-trace","version":1}
            {"t":1.5,"accelerometer":[0,0,9.8],"stamp":1.25}
            {"t":1.5,"gpsd":{"class":"TPV"}}
            {"t":1.5,"accelerometer":[0,0,9.9],"stamp":1.26}
            {"t":1.6,"accelerometer":[0,0,10]}
            """
        let recording = try Recording(trace: try TraceFile(bytes: [UInt8](text.utf8), name: "t"))
        #expect(recording.tracks[0].times == [1_250_000_000, 1_260_000_000, 1_600_000_000])
        #expect(recording.tracks[0].values.map(\.z) == [9.8, 9.9, 10])
    }

    @Test("A trace without motion is an error that names the trace")
    func without() throws {
        let text = "{\"format\":\"device-services-trace\",\"version\":1}\n{\"t\":1,\"gpsd\":{\"class\":\"TPV\"}}\n"
        let file = try TraceFile(bytes: [UInt8](text.utf8), name: "drive.trace")
        let error = #expect(throws: DeviceError.self) { try Recording(trace: file) }
        #expect(error?.message.contains("drive.trace contains no motion") == true)
    }
}
