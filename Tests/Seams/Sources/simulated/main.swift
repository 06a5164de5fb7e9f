// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice
import Trace

let lines = [
    #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-01-01T00:00:00.000Z","lat":48.1,"lon":11.5}"#,
    #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-01-01T00:00:01.000Z","lat":48.2,"lon":11.5}"#,
]
let trace = try TraceFile(bytes: Array(lines.joined(separator: "\n").utf8), name: "two fixes")
let simulated = SimulatedDevice(trace)
let subscription = simulated.device.positionSource.subscribe(.init()) { event in
    if case .report(let report) = event { print("fix \(report.latitude) \(report.longitude)") }
}
try simulated.play()
subscription.cancel()
print("played to \(simulated.wallTime.nanoseconds)")
