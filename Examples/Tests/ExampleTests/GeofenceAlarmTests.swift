// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import GeofenceAlarm
import SimulatedDevice
import Testing

@Suite("The geofence alarm") struct GeofenceAlarmTests {
    /// The start of the drive in mountain-road.json, and a place on its far side.
    private static let home = Fence(name: "home", latitude: 46.5537033, longitude: 7.9012135, radius: 300)
    private static let pass = Fence(name: "pass", latitude: 46.5512237, longitude: 7.9220803, radius: 300)

    /// Returns the notices of the drive.
    private static func notices(_ fences: [Fence]) async throws -> [Notice] {
        let device = SimulatedDevice(try Recordings.open("synthetic/mountain-road.json"))
        return try await device.use {
            let alarm = Task {
                var notices: [Notice] = []
                try await GeofenceAlarm(fences).run { notices.append($0) }
                return notices
            }
            await device.waitForConsumers(1)
            try await device.play()
            alarm.cancel()
            return try await alarm.value
        }
    }

    /// Returns the times at which the recorded positions change sides, with distances by the haversine formula.
    private static func crossings(_ fence: Fence) throws -> [(isInside: Bool, date: Date)] {
        var crossings: [(isInside: Bool, date: Date)] = []
        for fix in try Recordings.fixes("synthetic/mountain-road.json") {
            guard let latitude = fix["lat"] as? Double, let longitude = fix["lon"] as? Double,
                let time = fix["time"] as? String
            else { continue }
            let (a, b) = (latitude * .pi / 180, fence.latitude * .pi / 180)
            let (dy, dx) = (sin((a - b) / 2), sin((longitude - fence.longitude) * .pi / 360))
            let isInside = 2 * 6_371_008.8 * asin((dy * dy + cos(a) * cos(b) * dx * dx).squareRoot()) < fence.radius
            if isInside != crossings.last?.isInside {
                let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                crossings.append((isInside, try format.parse(time)))
            }
        }
        return crossings
    }

    @Test("Each crossing in a drive is reported once, with the time of the first position beyond it")
    func drive() async throws {
        let notices = try await Self.notices([Self.home, Self.pass])
        for (fence, kinds) in [
            (Self.home, [Notice.Kind.isInside, .left]), (Self.pass, [Notice.Kind.isOutside, .entered, .left]),
        ] {
            let received = notices.filter { $0.fence == fence.name }
            #expect(received.map(\.kind) == kinds)
            let crossings = try Self.crossings(fence)
            #expect(crossings.count == kinds.count)
            for (notice, crossing) in zip(received, crossings) {
                // Sphere and ellipsoid differ by one or two meters, which the drive covers in half a second or one fix.
                #expect(abs(notice.date.timeIntervalSince(crossing.date)) <= 0.51, "\(notice)")
            }
        }
        #expect(notices.count == 5)
    }

    @Test("An invalid fence is reported, and the others are watched")
    func noFence() async throws {
        let notices = try await Self.notices([
            Fence(name: "nowhere", latitude: 120, longitude: 0, radius: 100), Self.home,
        ])
        #expect(notices.filter { $0.fence == "nowhere" }.map(\.kind) == [.unwatched("the circle is invalid")])
        #expect(notices.filter { $0.fence == "home" }.map(\.kind) == [.isInside, .left])
    }
}

extension ProgramTests {
    @Test("The geofence program rejects two fences with the same name and reports the name")
    func sameName() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("fences.json")
            let fences = [48.1, 48.2].map { Fence(name: "yard", latitude: $0, longitude: 11.5, radius: 150) }
            try JSONEncoder().encode(fences).write(to: file)
            let state = ["DEVICE_SERVICES_STATE": folder.path]
            let end = try Programs.run("geofence-alarm", [file.path], environment: state)
            #expect(end.status == 65)
            let words = "Two fences have the name \"yard\". Give each a name of its own."
            #expect(end.lines == ["geofence-alarm: \(file.path) cannot be used: \(words)"])
        }
    }

    /// Ten seconds northward at 5 m/s, starting inside or outside a circle.
    private static func walk(_ latitude: Double, after second: Double) throws -> TraceFile {
        try Recordings.trace(
            (0..<10).map { Recordings.fix(Double($0), after: second, latitude + Double($0) * 4.5e-5, 11.5) })
    }

    @Test("The geofence program survives a kill and reports crossings in between once")
    func geofenceAlarm() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("fences.json")
            try JSONEncoder().encode([Fence(name: "yard", latitude: 48.1, longitude: 11.5, radius: 150)]).write(
                to: file)
            /// True once the reported state is stored. The program stores it after the report, so that no notice is
            /// lost in between.
            func isKept(_ state: CLMonitor.Event.State) -> Bool {
                let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                return files?.contains {
                    (try? String(contentsOf: $0, encoding: .utf8))?.contains("\"state\":\(state.rawValue)") == true
                } == true
            }
            func run(
                _ latitude: Double, after second: Double, _ word: String, _ state: CLMonitor.Event.State
            ) throws -> [String] {
                try withBoard(try Self.walk(latitude, after: second), state: folder) { environment in
                    try Programs.run("geofence-alarm", [file.path], environment: environment, signal: SIGKILL) {
                        lines in
                        guard lines.contains(where: { $0.contains(word) }) else { return false }
                        for _ in 0..<6000 where !isKept(state) { usleep(10_000) }
                        return true
                    }.lines.filter { $0.contains("yard") }
                }
            }
            let first = try run(48.1, after: 0, "inside", .satisfied)
            #expect(first.map { String($0.suffix(12)) } == [" inside yard"])
            // 0.01° are 1.1 km.
            let second = try run(48.11, after: 600, "left", .unsatisfied)
            #expect(second == ["\u{7}2026-07-01T12:10:00Z left yard"])
            let third = try run(48.1, after: 1200, "entered", .satisfied)
            #expect(third == ["\u{7}2026-07-01T12:20:00Z entered yard"])
        }
        #expect(try Programs.run("geofence-alarm").status == 64)
        #expect(try Programs.run("geofence-alarm", ["/dev/null"]).status == 65)
    }
}
