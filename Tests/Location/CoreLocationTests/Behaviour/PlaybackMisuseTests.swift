// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing
import Trace

@Suite("Misuse of playback")
struct PlaybackMisuseTests {
    private func play(_ lines: [String], _ body: (SimulatedDevice, CLLocationManager) throws -> Void) throws -> Recorder
    {
        let device = try Drives.device(lines)
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            try body(device, manager)
        }
        return recorder
    }
    private let lines = (0..<5).map { Drives.report(Double($0), latitude: 48 + Double($0)) }

    @Test("A step delivers one event, even if several events have the same time")
    func stepsSingly() throws {
        let device = try Drives.device([
            #"{"class":"TPV","mode":3,"lat":1,"lon":1}"#, #"{"class":"TPV","mode":3,"lat":2,"lon":2}"#,
            #"{"class":"TPV","mode":3,"lat":3,"lon":3}"#,
        ])
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            #expect(device.step())
            #expect(recorder.locations.count == 1)
            #expect(device.step())
            #expect(recorder.locations.count == 2)
            #expect(device.step())
            #expect(!device.step())
        }
        #expect(recorder.locations.count == 3)
    }

    @Test("Invalid amounts of time are ignored", arguments: [-1, .nan, -.infinity, 0, -1e300])
    func oddAmounts(seconds: Double) throws {
        let recorder = try play(lines) { device, manager in
            manager.startUpdatingLocation()
            device.advance(by: seconds)
            #expect(Drives.second(manager.location?.timestamp ?? .distantPast) <= 0)
        }
        #expect(recorder.locations.count <= 1)
    }

    @Test("Time-outs expire after an infinite advance", arguments: [Double.infinity, 1e300])
    func endless(seconds: Double) throws {
        let recorder = try play([Drives.report(0, mode: 1)]) { device, manager in
            manager.requestLocation()
            device.advance(by: seconds)
            device.advance(by: seconds)
        }
        #expect(recorder.events == ["authorization 4", "error 0"])
    }

    @Test("Playing in a callback throws an error; advancing and stepping have no effect")
    func reentrant() throws {
        let recorder = try play(lines) { device, manager in
            (manager.delegate as? Recorder)?.onLocations = { _, _ in
                let error = #expect(throws: DeviceError.self) { try device.play() }
                #expect(error?.code == .busy)
                device.advance(by: 100)
                #expect(!device.step())
            }
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.count == 5)
        #expect(recorder.locations.map(\.coordinate.latitude) == [48, 49, 50, 51, 52])
    }

    @Test("Reading warnings or stepping does not accelerate real-time playback")
    func warningsWhilePlaying() async throws {
        let device = try Drives.device((0..<20).map { Drives.report(Double($0), latitude: 48) })
        let isDone = Atomic<Bool>(false)
        let observer = Thread {
            // The number of calls is limited, because other tests may delay the playback for a long time.
            for _ in 0..<10_000 where !isDone.load(ordering: .relaxed) {
                _ = device.warnings
                device.step()
            }
        }
        let recorder = Recorder()
        recorder.onLocations = { _, locations in
            // The thread starts with the first location, because other tests may delay this test for a long time.
            let second = Drives.second(locations[0].timestamp)
            if second == 0 { observer.start() }
            if second == 19 { isDone.store(true, ordering: .relaxed) }
        }
        let clock = ContinuousClock()
        let start = clock.now
        try await device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            // 19 seconds, forty times faster than real time.
            try await device.play(speed: 40)
        }
        let time = clock.now - start
        isDone.store(true, ordering: .relaxed)
        #expect(time >= .milliseconds(450))
    }

    @Test("An invalid speed plays the trace without delays", arguments: [0, -1, .nan, .infinity])
    func oddSpeeds(speed: Double) async throws {
        let device = try Drives.device(lines)
        let recorder = Recorder()
        try await device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try await device.play(speed: speed)
        }
        #expect(recorder.locations.count == 5)
    }
}
