// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Faults in traces")
struct FaultTests {
    static let sensors = #"{"id":"gyroscope","kind":"gyroscope"},{"id":"m","kind":"magnetometer"}"#

    static func motion(_ count: Int = 1000) throws -> TraceFile {
        try makeTrace(
            (0..<count).map { #"{"t":\#(Double($0) / 100),"gyroscope":[\#(Double($0)),2.0,3.0]}"# }, sensors: sensors)
    }

    static func apply(_ faults: String, seed: UInt64 = 1, to trace: TraceFile) throws -> TraceFile {
        try TraceEditor.trace(trace, edits: [FaultEdit(try TraceFault.list(faults), seed: seed)], named: "f")
    }

    @Test("Equal seeds give equal traces, different seeds different ones, and the header records the seed")
    func seeds() throws {
        let trace = try Self.motion()
        let faults = "drop=0.1,duplicate=0.1,jitter=20ms"
        let one = try Self.apply(faults, to: trace)
        #expect(try Self.apply(faults, to: trace).bytes == one.bytes)
        #expect(try Self.apply(faults, seed: 2, to: trace).eventLines != one.eventLines)
        let member = try #require(one.header?.otherMembers.first { $0.name == "faults" })
        #expect(
            String(decoding: member.json, as: UTF8.self)
                == #"{"seed":"1","list":"drop=0.1,duplicate=0.1,jitter=0.02s"}"#)
    }

    @Test("Events are dropped and duplicated with the given probability")
    func probabilities() throws {
        let trace = try Self.motion(10_000)
        // The tolerance is four standard deviations of a binomial distribution, sqrt(10000 * 0.1 * 0.9) = 30.
        #expect(abs(try Self.apply("drop=0.1", to: trace).eventLines.count - 9000) < 120)
        #expect(abs(try Self.apply("duplicate=0.1", to: trace).eventLines.count - 11_000) < 120)
        #expect(try Self.apply("drop=1(gyroscope)@2s+1s", to: trace).eventLines.count == 9900)
        #expect(try Self.apply("drop=1(gpsd)", to: trace).eventLines.count == 10_000)
    }

    @Test("Jitter keeps events in time order and stamps readings with the time of measurement")
    func jitter() throws {
        let late = try Self.apply("jitter=500ms", to: try Self.motion())
        var reading = TimedEventReader(late)
        var last: Int64 = 0
        var stamps: [Int64] = []
        while let event = reading.next() {
            let time = try #require(event.time)
            #expect(time >= last)
            last = time
            guard case .sample(_, _, _, let stamp) = event.contents else { continue }
            #expect((0...500_000_000).contains(time - (stamp ?? time)))
            stamps.append(stamp ?? time)
        }
        #expect(reading.warningCount == 0)
        #expect(stamps.count == 1000 && Set(stamps).count == 1000 && stamps != stamps.sorted())
    }

    @Test("A sensor or one of its axes is stuck, saturated or disturbed")
    func values() throws {
        let trace = try Self.motion(4)
        func values(_ faults: String) throws -> [SIMD3<Double>] {
            var reading = TimedEventReader(try Self.apply(faults, to: trace))
            var values: [SIMD3<Double>] = []
            while let event = reading.next() {
                if case .sample(let value, _, _, _) = event.contents { values.append(value) }
            }
            return values
        }
        #expect(try values("stuck(gyroscope.x)@10ms+20ms").map(\.x) == [0, 1, 1, 3])
        #expect(try values("stuck@20ms").map(\.x) == [0, 1, 2, 2])
        #expect(try values("saturate=2.5(gyroscope)") == [[0, 2, 2.5], [1, 2, 2.5], [2, 2, 2.5], [2.5, 2, 2.5]])
        #expect(try values("disturb=1/0/-1(gyroscope)@30ms") == [[0, 2, 3], [1, 2, 3], [2, 2, 3], [4, 2, 2]])
        #expect(try values("disturb=1/0/-1(magnetometer)").first == [0, 2, 3])
    }

    @Test("gpsd loses its fix, disconnects and reconnects, and its clock is stepped")
    func positions() throws {
        let trace = try makeTrace((0..<6).map { #"{"t":\#($0),"gpsd":\#(tpvLine(50, 8, second: $0))}"# })
        #expect(
            try Self.apply("nofix@2s+2s", to: trace).positions.map(\.hasFix) == [true, true, false, false, true, true])
        let gone = try Self.apply("loss@1500ms+2s", to: trace).eventLines
        #expect(gone.count == 6)
        #expect(gone[2].hasPrefix(#"{"t":1.5,"lost""#))
        #expect(gone[3] == #"{"t":3.5,"regained":true}"#)
        let stepped = try Self.apply("clockstep=-2s@3s", to: trace).positions.compactMap { $0.time?.seconds }
        let first = try #require(stepped.first)
        #expect(stepped.map { $0 - first } == [0, 1, 2, 1, 2, 3])
    }

    @Test("A sensor is lost and regained")
    func sensorLoss() throws {
        let lines = try Self.apply("loss(gyroscope)@15ms+10ms", to: try Self.motion(4)).eventLines
        #expect(lines.count == 5)
        #expect(lines[2].contains(#""lost""#) && lines[2].contains(#""sensor":"gyroscope""#))
        #expect(lines[3] == #"{"t":0.025,"regained":true,"sensor":"gyroscope"}"#)
    }

    @Test("An accessory is unplugged, also during a write, and has no further events")
    func accessories() throws {
        let trace = try makeTrace([
            #"{"t":1,"attach":{"id":"1","name":"Scale","port":"1-2","protocols":["com.example.a"]}}"#,
            #"{"t":2,"open":"com.example.a","accessory":"1"}"#,
            #"{"t":3,"out":"ABCD","accessory":"1","protocol":"com.example.a"}"#,
            #"{"t":4,"in":"OK","accessory":"1","protocol":"com.example.a"}"#,
            #"{"t":5,"detach":"1"}"#,
        ])
        #expect(trace.eventLines.count == 5)
        var reading = TimedEventReader(trace)
        var count = 0
        while reading.next() != nil { count += 1 }
        try #require(count == 5, "the lines above are not what traces say")
        let pulled = try Self.apply("unplug(1)@2500ms", to: trace).eventLines
        #expect(pulled.count == 4)
        #expect(pulled[2].contains("close") && pulled[3].contains("detach") && pulled[3].hasPrefix(#"{"t":2.5"#))
        let cut = try Self.apply("cut(1)", to: trace).eventLines
        #expect(cut.count == 5)
        #expect(cut[2].contains("AB") && !cut[2].contains("ABCD"))
        #expect(cut[4].contains("detach"))
    }

    @Test("A fault list is parsed and formatted without change, and invalid faults are rejected")
    func text() throws {
        let text =
            "nofix@10.0s+5.0s,silence(gpsd),loss,drop=0.01(gyroscope),duplicate=0.5,jitter=0.02s,stuck(m.z)@1.0s,stuck(.y),saturate=4.36,disturb=0.3/0.0/-0.1(magnetometer)@1.0s+2.0s,clockstep=-2.0s@3.0s,unplug(1)@4.0s,cut"
        #expect(try TraceFault.list(text).map(\.description).joined(separator: ",") == text)
        #expect(try TraceFault.list("stuck(.y)").map(\.target) == [nil])
        #expect(
            try TraceFault.list("jitter=20,clockstep=-1:30").map(\.description) == ["jitter=20.0s", "clockstep=-90.0s"])
        // `restart` is a loss of gpsd with a duration, 1 s by default.
        let restarts = try TraceFault.list("restart@10s,restart(gpsd)@0s+3s").map(\.description)
        #expect(restarts == ["loss(gpsd)@10.0s+1.0s", "loss(gpsd)@0.0s+3.0s"])
        for wrong in [
            "fly", "restart(gyroscope)", "drop", "drop=2", "drop=x", "jitter=20d", "jitter=1:01", "disturb=1/2",
            "nofix=3", "stuck()",
            "nofix@-1s",
            "nofix@1s+x", "clockstep=x", "=3", "@1s", String(repeating: "x", count: 20_000),
        ] {
            #expect(throws: DeviceError.self, "\(wrong)") { try TraceFault.list(wrong) }
        }
    }

    @Test("A list without faults is rejected", arguments: ["", ",", ",,"])
    func empty(text: String) {
        #expect(throws: DeviceError.self) { try TraceFault.list(text) }
    }
}
