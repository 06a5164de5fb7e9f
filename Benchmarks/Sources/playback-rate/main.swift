// SPDX-License-Identifier: Apache-2.0

// Measures the locations per second that a trace in memory delivers through a manager to its delegate, including
// parsing.

import CoreLocation
import DeviceCore
import SimulatedDevice
import Trace

final class Counter: NSObject, CLLocationManagerDelegate {
    var count = 0
    var sum = 0.0

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            count += 1
            sum += location.coordinate.latitude
        }
    }
}

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

// playback-rate [LOCATIONS [RUNS]]
let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = max(1, arguments.first ?? 200_000)
let runs = max(1, arguments.dropFirst().first ?? 7)
var text = ""
text.reserveCapacity(count * 400)
for index in 0..<count {
    let second = index % 60
    let minute = index / 60 % 60
    let hour = index / 3600 % 24
    let day = 1 + index / 86_400
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    text += "{\"class\":\"TPV\",\"device\":\"/dev/ttyACM0\",\"mode\":3,"
    text += "\"time\":\"2026-05-\(two(day))T\(two(hour)):\(two(minute)):\(two(second)).000Z\",\"ept\":0.005,"
    text +=
        "\"lat\":\(48 + Double(index) * 1e-6),\"lon\":11.517390000,\"altHAE\":545.2000,\"altMSL\":499.8000,\"alt\":499.8000,"
    text +=
        "\"epx\":8.438,\"epy\":11.249,\"epv\":28.750,\"track\":180.1200,\"magtrack\":183.2000,\"magvar\":3.1,\"speed\":13.250,"
    text += "\"climb\":0.100,\"eps\":22.50,\"epc\":57.50,\"geoidSep\":45.400,\"eph\":14.440,\"sep\":26.220}\n"
}
let bytes = Array(text.utf8)
var rates: [Double] = []
for _ in 0..<runs {
    let file = try TraceFile(bytes: bytes, name: "memory")
    let device = SimulatedDevice(file)
    let counter = Counter()
    try device.use {
        let manager = CLLocationManager()
        manager.delegate = counter
        manager.startUpdatingLocation()
        let start = seconds()
        try device.play()
        rates.append(Double(counter.count) / (seconds() - start))
    }
    precondition(counter.count == count)
}
rates.sort()
print(
    "{\"locations\":\(count),\"bytes_per_report\":\(bytes.count / count),\"locations_per_s_median\":\(Int(rates[runs / 2])),\"best\":\(Int(rates[runs - 1])),\"worst\":\(Int(rates[0]))}"
)
