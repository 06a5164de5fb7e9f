// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Testing
import TraceFormats

@Suite("Recordings in any format on a simulated device")
struct AnyFormatTests {
    /// A drive of 600 m to the north at 10 m/s, one point per second. 0.0000899° of latitude are 10 m.
    private static func drive() throws -> URL {
        let points = (0..<60).map { second in
            String(
                format: "<trkpt lat=\"%.7f\" lon=\"8\"><time>2026-05-01T10:00:%02dZ</time></trkpt>",
                47 + 0.0000899 * Double(second), second)
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).gpx")
        try Data("<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8).write(to: file)
        return file
    }

    private static func crossings(_ path: String, _ importing: RecordingOptions) throws -> (RegionLog, [String]) {
        let device = try SimulatedDevice(recording: path, importing: importing)
        let log = RegionLog()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = log
            // 300 m after the start of the drive.
            let center = CLLocationCoordinate2D(latitude: 47 + 0.0000899 * 30, longitude: 8)
            manager.startMonitoring(for: CLCircularRegion(center: center, radius: 90, identifier: "home"))
            manager.startUpdatingLocation()
            try device.play()
        }
        return (log, device.remarks)
    }

    @Test("A drive through a circle is reported only if the accuracy of its points is known")
    func region() throws {
        let file = try Self.drive()
        defer { try? FileManager.default.removeItem(at: file) }
        let (without, remarks) = try Self.crossings(file.path, .init())
        #expect(without.events == [])
        #expect(remarks.contains { $0.contains("60 of 60 positions state no accuracy") })
        let (with, none) = try Self.crossings(file.path, .init(accuracy: 5))
        #expect(with.events == ["enter home", "exit home"])
        #expect(!none.contains { $0.contains("accuracy") })
    }

    @Test("The error for a missing file names the file")
    func missing() {
        let error = #expect(throws: DeviceError.self) { try SimulatedDevice(recording: "/nowhere/drive.gpx") }
        #expect(error?.message.contains("/nowhere/drive.gpx") == true)
    }
}

private final class RegionLog: NSObject, CLLocationManagerDelegate {
    var events: [String] = []

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        events.append("enter \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        events.append("exit \(region.identifier)")
    }
}
