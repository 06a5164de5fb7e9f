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
try simulated.use {
    let plain = PlainDelegate()
    let first = MadeUpManager()
    first.delegate = plain
    first.feed(CLLocation(latitude: 1, longitude: 2))
    let isolated = IsolatedDelegate()
    let preconcurrency = PreconcurrencyDelegate()
    let second = CLLocationManager()
    second.delegate = preconcurrency
    let stepping = SteppingDelegate()
    let third = CLLocationManager()
    third.delegate = stepping
    for manager in [first, isolated.locationManager, second, third] { manager.startUpdatingLocation() }
    try simulated.play()
    print("plain \(plain.count), isolated \(isolated.count)")
    print("preconcurrency \(preconcurrency.count), stepping \(stepping.count)")
}
print("\(kilometres(from: CLLocation(latitude: 0, longitude: 0), to: CLLocation(latitude: 0, longitude: 1))) km")
print(details(of: CLLocation(latitude: 0, longitude: 0)))
