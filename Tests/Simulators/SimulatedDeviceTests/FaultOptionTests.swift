// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Testing
import Trace

@Suite("Faults in playback options", .timeLimit(.minutes(30)))
struct FaultOptionTests {
    private static func options(_ faults: String, change: (inout PlaybackOptions) -> Void = { _ in }) throws
        -> PlaybackOptions
    {
        var options = PlaybackOptions()
        options.faults = try TraceFault.list(faults)
        change(&options)
        return options
    }

    /// Plays the device and returns the latitudes and errors that a manager delivers.
    private static func play(_ device: SimulatedDevice) throws -> (latitudes: [Double], errors: [CLError.Code]) {
        let (client, log, errors) = (LocationClient(), ValueLog<Double>(), ValueLog<CLError.Code>())
        try device.use {
            client.start { _, callback in
                switch callback {
                case .location(let location): log.add(location.coordinate.latitude)
                case .error(let error): errors.add(error.code)
                case .authorization: break
                }
            }
            try device.play()
        }
        return (log.all, errors.all)
    }

    @Test("A loss removes the positions of its duration")
    func loss() throws {
        let start = try Drive.device().wallTime
        let device = SimulatedDevice(
            try Drive.file(Drive.lines(10)), options: try Self.options("loss@2500ms+3s"))
        #expect(device.wallTime == start)
        // The reports of 3 s, 4 s and 5 s are lost.
        let all = Drive.latitudes(10)
        #expect(try Self.play(device).latitudes == Array(all[0...2] + all[6...9]))
        #expect(device.elapsed == .seconds(9))
    }

    @Test("The seed determines which random faults occur")
    func seeds() throws {
        func latitudes(_ seed: UInt64) throws -> [Double] {
            let options = try Self.options("drop=0.5") { $0.seed = seed }
            return try Self.play(SimulatedDevice(try Drive.file(Drive.lines(60)), options: options)).latitudes
        }
        let first = try latitudes(1)
        #expect((1..<60).contains(first.count))
        #expect(try latitudes(1) == first)
        #expect(try latitudes(2) != first)
    }

    @Test(
        "A fault that does not apply to the trace throws an error, and the trace is not played",
        arguments: [
            ("loss@20s", "begins after the end of the recording, which is at 9.0 s"),
            ("stuck(gyroscope)", "is not a sensor of the recording"),
            ("loss@6s", "begins after the end of playback"),
            ("loss@1s+1s", "ends before the start of playback"),
        ])
    func doesNotApply(faults: String, problem: String) async throws {
        let options = try Self.options(faults) { options in
            if faults == "loss@6s" { options.to = .seconds(5) }
            if faults == "loss@1s+1s" { options.from = .seconds(2) }
        }
        let trace = try Drive.file(Drive.lines(10))
        let device = SimulatedDevice(trace, options: options)
        let error = try #require(throws: DeviceError.self) { try Self.play(device) }
        #expect(error.message.contains(problem), "\(error)")
        await #expect(throws: DeviceError.self) { try await device.play() }
        await #expect(throws: DeviceError.self) { try await device.play(speed: 1000) }
        await #expect(throws: DeviceError.self) { try await device.play(until: { true }) }
        #expect(!device.step())
        await device.advance(by: .seconds(60))
        #expect(device.elapsed == options.from)
    }
}
