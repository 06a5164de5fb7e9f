// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import SimulatedServers
import TestProgramApps
import TestSupport
import Testing
import Trace

extension IntegrationTests {
    @Suite(
        "A program with all frameworks on simulated servers",
        .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing)) @MainActor
    struct SimulatedServersProgramTests {
        /// Eight seconds with one position per second, numbered accelerometer readings, and a scale that is asked for
        /// its name.
        private static func trace() throws -> TraceFile {
            let builder = TraceBuilder(name: "journey")
            var header = TraceHeader(
                start: TraceHeader.Start(
                    wallTime: WallTime(nanoseconds: 1_767_225_600_000_000_000), boot: BootTime(nanoseconds: 0)))
            header.add(SensorDescription(id: "accelerometer", kind: .accelerometer))
            try builder.write(header)
            let scale = try AccessoryDescriptionText.scale()
            for tick in 0...800 {
                let time = Int64(tick) * 10_000_000
                if tick % 100 == 0 {
                    let second = tick / 100
                    let line =
                        #"{"class":"TPV","device":"/dev/ttyS1","mode":3,"time":"2026-01-01T00:00:0\#(second).000Z","#
                        + #""lat":48.\#(100 + second)000000,"lon":11.500000000,"altHAE":500,"track":0.5,"speed":11.1,"#
                        + #""eph":5.0,"epv":8.0}"#
                    try builder.write(TraceEvent(time: time, .gpsd(Array(line.utf8))))
                }
                let changes: [TraceAccessoryEvent.Change] =
                    switch tick {
                    case 50: [.attached(scale)]
                    case 100: [.opened("com.example.scale")]
                    case 105: [.sent("com.example.scale", Array("ID?\r\n".utf8))]
                    case 107: [.received("com.example.scale", Array("Weigh Scale 2.10\r\n".utf8))]
                    case 300: [.closed("com.example.scale", .closed)]
                    case 400: [.detached]
                    default: []
                    }
                for change in changes {
                    try builder.write(
                        TraceEvent(time: time, .accessory(TraceAccessoryEvent(accessory: "1", change))))
                }
                try builder.write(
                    TraceEvent(
                        time: time,
                        .sample(
                            [Double(tick) / 1000, 0.25, 9.80665], kind: .accelerometer, sensor: "accelerometer",
                            stamp: nil)))
            }
            return try builder.file()
        }

        private static func lines(_ kind: String, _ all: [String]) -> [String] {
            all.filter { $0.hasPrefix(kind + " ") }
        }

        @Test("A program on simulated servers shows the same output as during playback")
        func sameAsPlayback() async throws {
            let trace = try Self.trace()
            var played: [String] = []
            let device = SimulatedDevice(trace)
            try device.use {
                let controller = JourneyController()
                controller.show = { played.append($0) }
                controller.viewDidLoad()
                try device.play()
            }
            #expect(Self.lines("location", played).count == 9)
            let expectedLocations = Self.lines("location", played)
            var shown: [String] = []
            // The clock starts with the program's first connection. A connection that is delayed before its request
            // reaches gpsd misses the reports until then. A busy machine may therefore try again.
            for _ in 0..<10 where Self.lines("location", shown).count < 9 {
                shown = try await Self.shown(trace)
                // Only earlier locations may be missing.
                let locations = Self.lines("location", shown)
                #expect(locations == Array(expectedLocations.suffix(locations.count)))
            }
            #expect(Self.lines("location", shown) == expectedLocations)
            for kind in ["connected", "said", "disconnected"] {
                #expect(Self.lines(kind, played).count == 1, "\(kind)")
                #expect(Self.lines(kind, shown) == Self.lines(kind, played), "\(kind)")
            }
            // The program opens the sensor shortly after the clock starts, and its first reading may precede the
            // buffer. After that nothing is missing.
            let expected = Self.lines("acceleration", played)
            let measured = Self.lines("acceleration", shown).dropFirst()
            #expect(expected.count == 801)
            let first = try #require(measured.first.flatMap { expected.firstIndex(of: $0) })
            #expect(measured.count > 100)
            #expect(Array(measured) == Array(expected[first..<min(first + measured.count, expected.count)]))
        }

        /// Returns the output of a program that uses simulated servers instead of the machine's.
        private static func shown(_ trace: TraceFile) async throws -> [String] {
            let servers = try SimulatedServers([trace])
            #expect(servers.sources == [.positions, .motion, .accessories])
            let environment = try servers.start()
            defer { servers.stop() }
            // The last position is the last event of the trace that is the same in every run.
            let process = try ChildProcess(.apps, ["journey", "location 48.1080000"], environment: environment)
            let shown = await process.output()
            #expect(await process.wait() == .exited(0), "\(shown.suffix(5))")
            #expect(servers.differences.isEmpty, "\(servers.differences)")
            return shown
        }
    }
}

/// The accessory of a line in a trace.
private enum AccessoryDescriptionText {
    static func scale() throws -> AccessoryDescription {
        let text = #"""
            {"format":"device-services-trace","version":1}
            {"t":0,"attach":{"id":"1","name":"Weigh Scale","manufacturer":"Example Corp","serial":"7","protocols":["com.example.scale"]}}
            """#
        let file = try TraceFile(bytes: Array(text.utf8), name: "scale")
        let event = file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            return cursor.nextEvent(bytes)
        }
        guard case .accessory(let accessory) = event?.contents, case .attached(let description) = accessory.change
        else {
            throw DeviceError(.invalidTrace, "The line is no accessory.")
        }
        return description
    }
}
