// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("A trace as a sequence")
struct TraceSequenceTests {
    private static let text = """
        \(headerLine)
        {"t":1,"gpsd":\(tpv)}
        {"t":2,"accelerometer":[1,2,3],"sensor":"accelerometer"}
        not JSON
        {"t":4,"regained":true}

        """

    private func file(_ text: String = text) throws -> TraceFile {
        try TraceFile(bytes: [UInt8](text.utf8), name: "test.trace")
    }

    @Test("Iterating returns the events in the order of the file, and can be repeated")
    func events() throws {
        let file = try file()
        for _ in 0..<2 {
            var times: [Int64?] = []
            for event in file { times.append(event.time) }
            #expect(times == [1_000_000_000, 2_000_000_000, 4_000_000_000])
        }
        let first = try #require(file.first { _ in true })
        guard case .gpsd(let line) = first.contents else { throw Failure() }
        #expect(String(decoding: line, as: UTF8.self) == tpv)
        guard case .sample(let value, .accelerometer, let sensor, nil) = Array(file)[1].contents else {
            throw Failure()
        }
        #expect(value == SIMD3(1, 2, 3))
        #expect(sensor == "accelerometer")
    }

    @Test("A skipped line is reported by the iterator that passed it and by the trace")
    func warnings() throws {
        let file = try file()
        #expect(file.warnings.map(\.reason) == [.malformedLine])
        #expect(file.warnings.map(\.line) == [4])
        var iterator = file.makeIterator()
        _ = iterator.next()
        _ = iterator.next()
        #expect(iterator.warnings.isEmpty)
        while iterator.next() != nil {}
        #expect(iterator.warnings == file.warnings)
        #expect(iterator.warningCount == 1)
    }

    @Test("The warnings of the header are reported")
    func headerWarnings() throws {
        let header = headerLine.replacing("\"version\":1,", with: "\"version\":1,\"clock\":5,")
        try #require(header != headerLine)
        #expect(try file("\(header)\n{\"t\":1,\"regained\":true}\n").warnings.map(\.reason) == [.invalidMember])
    }

    @Test("A trace in memory yields its readings")
    func inMemory() throws {
        var header = TraceHeader()
        let sensor = SensorDescription(id: "a", kind: .accelerometer)
        header.add(sensor)
        var trace = try InMemoryTrace(header, name: "made", count: 1)
        let sensorIndex = try #require(trace.sensorIndex(of: sensor))
        trace.append(SIMD3(1, 2, 3), kind: .accelerometer, sensorIndex: sensorIndex, at: 5)
        let file = trace.file(named: "made")
        #expect(file.map(\.time) == [5])
        #expect(file.warnings.isEmpty)
    }

    private struct Failure: Error {}
}
