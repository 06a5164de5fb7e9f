// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import SimulatedDevice
import Trace

let lines = [
    #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-01-01T00:00:00.000Z","lat":48.1,"lon":11.5,"eph":5}"#,
    #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-01-01T00:00:01.000Z","lat":48.2,"lon":11.5,"eph":5}"#,
]
let trace = try TraceFile(bytes: Array(lines.joined(separator: "\n").utf8), name: "two fixes")
let simulated = SimulatedDevice(trace)
try MainActor.assumeIsolated {
    try simulated.use {
        let plain = PlainDelegate()
        let manager = MadeUpManager()
        manager.delegate = plain
        manager.feed(CLLocation(latitude: 1, longitude: 2))
        manager.startUpdatingLocation()
        let whole = WholeDelegate()
        whole.locationManager.startUpdatingLocation()
        try simulated.play()
        print("plain \(plain.count), whole \(whole.count)")
    }
}
print("\(kilometres(from: CLLocation(latitude: 0, longitude: 0), to: CLLocation(latitude: 0, longitude: 1))) km")
