// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import Foundation
import SimulatedDevice
import Trace

/// Plays weeks of readings as fast as possible, and prints the resources of the process every few hours of virtual
/// time.
enum VirtualWeeks {
    private final class LocationCounter: NSObject, CLLocationManagerDelegate {
        var count = 0

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            count += locations.count
        }
    }

    /// A tenth of a day, with one fix and one sample of each sensor per second, and occasional losses of gpsd.
    private static func trace() throws -> TraceFile {
        var text = #"{"format":"device-services-trace","version":1,"#
        text += #""start":{"utc":"2026-05-01T00:00:00Z","boot":100.0},"#
        text += #""sensors":[{"id":"a","kind":"accelerometer"},{"id":"g","kind":"gyroscope"}]}"# + "\n"
        for second in 0..<8640 {
            let time = Date(timeIntervalSince1970: 1_777_593_600 + Double(second))
            text += #"{"t":\#(second).0,"gpsd":{"class":"TPV","device":"/dev/ttyE0","mode":3,"#
            text += #""time":"\#(time.formatted(.iso8601))","lat":\#(48 + Double(second % 1000) * 1e-5),"#
            text += #""lon":11.5,"altMSL":500.0,"eph":5.0}}"# + "\n"
            text += #"{"t":\#(second).1,"accelerometer":[0.1,0.2,9.8],"sensor":"a"}"# + "\n"
            text += #"{"t":\#(second).1,"gyroscope":[0.0,0.0,0.01],"sensor":"g"}"# + "\n"
            guard second % 1000 == 999 else { continue }
            text += #"{"t":\#(second).2,"lost":{"code":"connectionLost","message":"gone"}}"# + "\n"
            text += #"{"t":\#(second).9,"regained":true}"# + "\n"
        }
        return try TraceFile(bytes: Array(text.utf8), name: "weeks")
    }

    static func play(_ weeks: Int) throws {
        var options = PlaybackOptions()
        options.loops = .endless
        let device = SimulatedDevice(try trace(), options: options)
        let locations = LocationCounter()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = locations
            manager.startUpdatingLocation()
            let motion = CMMotionManager()
            motion.startAccelerometerUpdates(to: .main) { _, _ in }
            motion.startDeviceMotionUpdates(to: .main) { _, _ in }
            for step in 1...max(1, weeks * 7 * 4) {
                device.advance(by: 6 * 3600)
                Lines.write(
                    "week",
                    [
                        "hours": step * 6, "resident": ProcessUse.resident, "heap": ProcessUse.heap,
                        "locations": locations.count,
                    ])
            }
        }
    }
}
