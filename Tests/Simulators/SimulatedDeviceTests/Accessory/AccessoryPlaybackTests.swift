// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Testing
import Trace

@Suite("Playback of accessories", .timeLimit(.minutes(5)))
struct AccessoryPlaybackTests {
    @Test("Accessories attach and detach at their recorded times and are numbered from 1")
    func attachments() throws {
        let trace = try accessoryTrace([
            #"{"t":2,"attach":{"id":"x","name":"Other"}}"#, #"{"t":3,"detach":"1"}"#,
            #"{"t":4,"attach":{"id":"1","name":"Scale again"}}"#, #"{"t":5,"attach":{"id":"x","name":"Renamed"}}"#,
            #"{"t":6,"detach":"x"}"#,
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device)
        playNow(device)
        #expect(
            program.log == [
                "1.0 attached 1 Scale", "2.0 attached 2 Other", "3.0 detached 1 Scale", "4.0 attached 3 Scale again",
                "5.0 changed 2 Renamed", "6.0 detached 2 Renamed",
            ])
        #expect(device.device.accessorySource.accessories.map(\.id) == [3])
        #expect(device.accessoryDifferences.isEmpty)
        #expect(device.warnings.isEmpty)
    }

    @Test("A program that writes the recorded output receives the recorded input on time")
    func dialogue() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "in", "READY"), entry(2, "out", "READ"), entry(3, "in", "12 kg"),
            entry(3.5, "in", "13 kg"),
            closed(4),
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        program.answer("com.a") { $0 == "READY" ? "READ" : nil }
        playNow(device)
        #expect(
            program.log == [
                "1.0 attached 1 Scale", "2.0 com.a < READY", "3.0 com.a < 12 kg", "3.5 com.a < 13 kg",
            ])
        #expect(device.accessoryDifferences.isEmpty)
    }

    @Test("A dialogue waits for the program while the rest of the trace continues")
    func waiting() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "out", "RE"), entry(2, "out", "AD"), entry(3, "in", "first"), entry(4, "in", "second"),
            #"{"t":5,"attach":{"id":"2","name":"Other"}}"#, #"{"t":6,"battery":{"level":0.5,"state":"full"}}"#,
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.advance(by: 5.5)
        #expect(program.log == ["1.0 attached 1 Scale", "5.0 attached 2 Other"])
        program.write("REA", "com.a")
        device.advance(by: 0)
        #expect(program.log.count == 2)
        program.write("D", "com.a")
        // Nothing is delivered outside playback.
        #expect(program.log.count == 2)
        playNow(device)
        #expect(program.log.dropFirst(2) == ["5.5 com.a < firstsecond"])
        #expect(device.accessoryDifferences.isEmpty)
    }

    @Test("Undelivered input and missing output are reported at the end of the trace")
    func waitingAtTheEnd() throws {
        let trace = try accessoryTrace([opened(1), entry(2, "out", "READ"), entry(3, "in", "12345"), closed(4)])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.advance(by: 3)
        #expect(device.accessoryDifferences.isEmpty)
        playNow(device)
        let differences = device.accessoryDifferences
        #expect(differences.map(\.kind) == [.bytes, .notRead(5)])
        #expect(differences.first?.expected == Array("READ".utf8))
        #expect(differences.first?.found == [])
        #expect(differences.first?.session == 1)
        #expect(differences.first?.accessory == 1)
        #expect(
            differences.map(\.description) == [
                #"session 1 with com.a of Scale, byte 0: the recording has "READ", the program wrote nothing"#,
                "session 1 with com.a of Scale: 5 recorded bytes did not reach the program",
            ])
        // Late output is not a difference. A difference becomes final only when the session ends.
        program.write("READ", "com.a")
        device.advance(by: 1)
        #expect(device.accessoryDifferences.isEmpty)
        #expect(program.log.last == "4.0 com.a < 12345")
    }

    @Test("Differing bytes are reported with their offset, and the dialogue continues")
    func differences() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "out", "READ 1\\r\\n"), entry(3, "in", "one"), entry(3, "out", "READ 2\\r\\n"),
            entry(4, "in", "two"), entry(4, "out", "BYE"), closed(5),
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        program.answer("com.a") { $0 == "one" ? "READ 2\r\n" : "BYE!" }
        device.advance(by: 1)
        program.write("REED 1\r\n", "com.a")
        device.advance(by: 3.5)
        program.close("com.a")
        playNow(device)
        #expect(program.log.dropFirst() == ["3.0 com.a < one", "4.0 com.a < two"])
        let found = device.accessoryDifferences
        #expect(found.map(\.kind) == [.bytes, .bytes])
        #expect(found.map(\.offset) == [2, 19])
        #expect(found.map { String(decoding: $0.expected, as: UTF8.self) } == ["AD 1\r\n", ""])
        #expect(found.map { String(decoding: $0.found, as: UTF8.self) } == ["ED 1\r\n", "!"])
        #expect(found.first?.time.seconds == 2)
    }

    @Test("A program that opens late receives pending input, and a session never opened is reported")
    func lateOpening() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "in", "a"), entry(3, "in", "b"), closed(4),
            #"{"t":4,"open":"com.b","accessory":"1"}"#, #"{"t":5,"in":"z","accessory":"1","protocol":"com.b"}"#,
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device)
        playNow(device)
        #expect(device.accessoryDifferences.map(\.kind) == [.notOpened, .notOpened])
        #expect(device.accessoryDifferences.map(\.protocolName) == ["com.a", "com.b"])
        program.open(1, "com.a")
        device.advance(by: 0)
        #expect(program.log.dropFirst() == ["5.0 com.a < ab"])
        #expect(device.accessoryDifferences.map(\.kind) == [.notOpened])
    }

    @Test("Each session plays the dialogue of its number, and a protocol in use is busy")
    func sessions() throws {
        let trace = try accessoryTrace([
            opened(1), entry(1.5, "in", "first"), closed(2), opened(3), entry(4, "in", "second"),
            entry(5, "in", "more"),
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.advance(by: 1.75)
        program.open(1, "com.a")
        program.close("com.a")
        // Opens before the recorded time, at the moment at which the first session ended.
        program.open(1, "com.a")
        playNow(device)
        #expect(
            program.log == [
                "1.0 attached 1 Scale", "1.5 com.a < first", "1.75 com.a busy", "4.0 com.a < second",
                "5.0 com.a < more",
            ])
        #expect(device.accessoryDifferences.isEmpty)
        program.open(7, "com.a")
        program.open(1, "com.c")
        #expect(program.log.suffix(2) == ["5.0 com.a notFound", "5.0 com.c notFound"])
    }

    @Test("Bytes without a recorded opening form a dialogue, and closing early leaves the rest undelivered")
    func closedEarly() throws {
        let trace = try accessoryTrace([entry(2, "in", "a"), entry(3, "in", "bc"), entry(4, "in", "def"), closed(5)])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.advance(by: 2.5)
        program.close("com.a")
        playNow(device)
        #expect(program.log.dropFirst() == ["2.0 com.a < a"])
        #expect(device.accessoryDifferences.map(\.kind) == [.notRead(5)])
    }

    @Test("A session ends as recorded, after all preceding bytes")
    func recordedEnds() throws {
        let hungUp = SimulatedDevice(
            try accessoryTrace([opened(1), entry(2, "out", "X"), entry(2, "in", "bye"), closed(3, "hungUp")]))
        let program = AccessoryProgram(hungUp, opening: ["com.a"])
        hungUp.advance(by: 4)
        #expect(program.log.count == 1)
        program.write("X", "com.a")
        playNow(hungUp)
        #expect(program.log.dropFirst() == ["4.0 com.a < bye", "4.0 com.a ended: hungUp"])
        #expect(hungUp.accessoryDifferences.isEmpty)
        let failed = SimulatedDevice(try accessoryTrace([opened(1), entry(2, "in", "bye"), closed(3, "failed")]))
        let other = AccessoryProgram(failed, opening: ["com.a"])
        playNow(failed)
        #expect(other.log.dropFirst() == ["2.0 com.a < bye", "3.0 com.a ended: failed"])
    }

    @Test("Detaching ends sessions first; received bytes stay readable and missing ones are reported")
    func unplugged() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "in", "a"), entry(3, "out", "X"), entry(3.5, "in", "never"), #"{"t":4,"detach":"1"}"#,
            entry(5, "in", "late"),
        ])
        let device = SimulatedDevice(trace)
        let program = AccessoryProgram(device, opening: ["com.a"])
        playNow(device)
        #expect(
            program.log.dropFirst() == ["2.0 com.a < a", "4.0 com.a ended: detached", "4.0 detached 1 Scale"])
        #expect(device.accessoryDifferences.map(\.kind) == [.bytes, .notRead(5)])
        #expect(device.warnings.map(\.reason) == [.unknownAccessory])
        program.write("X", "com.a")
        #expect(program.log.last == "4.0 com.a cannot write: detached")
    }

    @Test("Input for a program that does not read is bounded, and the oldest input is dropped first")
    func bounded() throws {
        let line = String(repeating: "x", count: 65_535)
        let device = SimulatedDevice(
            try accessoryTrace([opened(1)] + (0..<20).map { entry(2, "in", String($0 % 10) + line) }))
        let program = AccessoryProgram(device)
        playNow(device)
        program.open(1, "com.a")
        device.advance(by: 0)
        let read = program.log.dropFirst()
        // Of 20 blocks of 64 KiB, 16 are kept.
        #expect(read.joined().utf8.filter { $0 == UInt8(ascii: "x") }.count == 16 * 65_535)
        #expect(read.first?.hasPrefix("2.0 com.a < 4x") == true)
        #expect(device.accessoryDifferences.map(\.kind) == [.dropped(4 * 65_536)])
    }

    @Test("A program that writes far more than recorded is reported once")
    func endlessWriting() throws {
        let device = SimulatedDevice(try accessoryTrace([opened(1), entry(2, "out", "ab"), closed(3)]))
        let program = AccessoryProgram(device, opening: ["com.a"])
        playNow(device)
        let text = String(repeating: "ab", count: 16_384)
        for _ in 0..<100 {
            program.write(text, "com.a")
            device.advance(by: 0)
        }
        #expect(device.accessoryDifferences.map(\.kind) == [.bytes])
        #expect(device.accessoryDifferences.first?.offset == 2)
        #expect(device.accessoryDifferences.first?.found.count == AccessoryDifference.maximumBytes)
    }

    @Test("Each step is one event of the trace, and the last step leaves no work pending")
    func steps() throws {
        let device = SimulatedDevice(
            try accessoryTrace([opened(1), entry(2, "in", "a"), entry(2, "out", "A"), entry(2, "in", "b")]))
        let program = AccessoryProgram(device, opening: ["com.a"])
        program.answer("com.a") { $0 == "a" ? "A" : nil }
        var count = 0
        while device.step() { count += 1 }
        #expect(count == 5)
        #expect(program.log.dropFirst() == ["2.0 com.a < a", "2.0 com.a < b"])
    }

    @Test("Devices that play the same trace produce identical events in both delivery modes")
    func determinism() async throws {
        var lines = [opened(1)]
        for second in 2..<60 {
            lines.append(entry(Double(second), "in", "ask \(second)\\n"))
            lines.append(entry(Double(second), "out", "answer \(second)\\n"))
            lines.append(entry(Double(second) + 0.25, "in", "good\\n"))
        }
        let trace = try accessoryTrace(lines)
        func run(_ device: SimulatedDevice) -> AccessoryProgram {
            let program = AccessoryProgram(device, opening: ["com.a"])
            program.answer("com.a") { text in
                // Every seventh answer is wrong.
                guard let number = Int(text.filter(\.isNumber)) else { return nil }
                return number % 7 == 0 ? "wrong  \(number)\n" : "answer \(number)\n"
            }
            return program
        }
        let devices = (0..<3).map { _ in SimulatedDevice(trace) }
        let programs = devices.map(run)
        playNow(devices[0])
        playNow(devices[1])
        try await devices[2].play(speed: 0)
        // One for the attachment and two for each second.
        let noteCount = 1 + 2 * 58
        #expect(programs[0].log.count == noteCount)
        #expect(programs[1].log == programs[0].log)
        #expect(programs[2].log == programs[0].log)
        #expect(devices[0].accessoryDifferences.count == 8)
        #expect(devices[1].accessoryDifferences == devices[0].accessoryDifferences)
        #expect(devices[2].accessoryDifferences == devices[0].accessoryDifferences)
    }

    @Test("A played session is recorded unchanged, and its recording plays identically")
    func recordingOfPlayback() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "in", "READY"), entry(2, "out", "READ"), entry(3, "in", "12 kg"),
            closed(4, "hungUp"), #"{"t":5,"detach":"1"}"#,
        ])
        func play(_ trace: TraceFile, recordingTo path: String?) throws -> [String] {
            let simulated = SimulatedDevice(trace)
            let device = simulated.device.recordingAccessories()
            let program = AccessoryProgram(simulated, opening: ["com.a"], device: device)
            program.answer("com.a") { $0 == "READY" ? "READ" : nil }
            var recorder: TraceRecorder?
            if let path {
                recorder = TraceRecorder(device: device, writer: try TraceWriter(path: path))
                try recorder?.start()
            }
            playNow(simulated)
            try recorder?.stop()
            #expect(simulated.accessoryDifferences.isEmpty)
            return program.log
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("played-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.trace").path
        let first = try play(trace, recordingTo: path)
        #expect(
            first == [
                "1.0 attached 1 Scale", "2.0 com.a < READY", "3.0 com.a < 12 kg", "4.0 com.a ended: hungUp",
                "5.0 detached 1 Scale",
            ])
        let recorded = try TraceFile(path: path)
        #expect(try play(recorded, recordingTo: nil) == first)
    }
}
